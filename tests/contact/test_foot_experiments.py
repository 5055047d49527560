"""The experiments on the stiffness of feet, the condensed pad and pyramids: small parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from contact.papers.experiments.condensed_pad import reproduce_condensation
from contact.papers.experiments.force_law_plants import follow_force_law, reproduce_force_law
from contact.papers.experiments.lemke_pyramids import compare_pyramids, reproduce_lcp
from contact.papers.experiments.rolling_foot import (
    FEM,
    SPRINGS,
    reproduce_rolling_foot,
    roll_foot,
)
from contact.press import Wrench, press
from sole.base.errors import EquilibriumError
from sole.claims import Effort
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import preset


def test_foot_stiffness() -> None:
    rows = roll_foot(size=0.025, steps=4)
    springs = [r for r in rows if r.model == SPRINGS]
    fem = [r for r in rows if r.model == FEM]
    for own in (springs, fem):
        assert own[0].area == pytest.approx(1.0)
        # In finite elements a node more or less slips, which is worth some per cent.
        assert all(a.sinking >= b.sinking - 0.02 for a, b in pairwise(own))
        assert own[-1].smallest < 0.01 < 0.5 < own[0].smallest
    # The load stays upright: 125 mm cos(tilt) bounds the CoP, and the next millimetre tips over.
    last = fem[-1].cop
    assert 0.9 * 0.125 < last < 0.125 and 1e3 * last == pytest.approx(round(1e3 * last))
    rubber = Material(young_modulus=2e6, poisson_ratio=0.45)
    lola = condense(mesh_shape(preset("lola"), 0.025, 0.025), rubber, "ccr")
    with pytest.raises(EquilibriumError, match="tips over"):
        press(lola, Wrench.standing(500.0, cop=(last + 1e-3, 0.0)))
    # Springs are as stiff as their area, and both lose their contact alike.
    assert [r.sinking for r in springs] == pytest.approx([r.area for r in springs])
    assert [r.sinking for r in fem] == pytest.approx([r.sinking for r in springs], abs=0.2)


def test_force_law() -> None:
    found = follow_force_law(size=0.03, steps=60, presses=4)
    k = np.arange(61)
    for kappa in (0.25, 1, 5, 39, 41):
        decay = (1 - kappa * 0.05) ** k  # beyond 20 the error changes its sign every step
        assert found[f"κ = {kappa:g}"] == pytest.approx(decay, rel=1e-6, abs=1e-9)
    assert abs(found["κ = 20"][1]) < 1e-9  # deadbeat
    assert found["FEM, law knows K"] == pytest.approx(0.95**k, rel=1e-6)
    assert found["FEM, law with E/d"][-1] < 0.2 * 0.95**60  # stiffer than the law thinks
    assert found["pressed, law knows K"] == pytest.approx(0.95 ** np.arange(5), rel=5e-3)
    assert found["cosines, 17° off"][-1] == pytest.approx(0.95**60, rel=0.15)


def test_lcp_comparison() -> None:
    sliding, touchdown = compare_pyramids(contacts=(10,), mesh=0.06).values()
    for exact, *pyramids in (sliding, touchdown):
        assert exact.natural_map <= 2e-6  # asked for: 1e-6
        assert [row.facets for row in pyramids] == [4, 8, 16]
        assert all(row.iterations > 0 and row.unknowns > exact.unknowns for row in pyramids)
    # First order in 1/facets: 4 -> 16 gains a factor of four, half of it is asked for.
    four, _, sixteen = sliding[1:]
    assert sixteen.natural_map < four.natural_map / 2
    assert sixteen.force_error < four.force_error / 2
    assert sixteen.angle_deg < 180 / 16 + 1.0  # pi/p and what the coupling adds


def test_the_condensed_pad_is_the_whole_sole():
    found = reproduce_condensation(Effort())
    numbers = found.numbers
    assert numbers["condensed_error"] < 1e-10 and numbers["volume_error"] < 1e-12
    assert numbers["step_residual"] < 1e-6 and numbers["balance"] < 1e-8
    assert numbers["sole_error"] < 1e-8
    assert "tetrahedra" in found.pictures["fig3"]().axes[0].get_title()


@pytest.mark.nightly
def test_numbers_of_the_claims_on_feet_and_pyramids():
    foot, law, lcp = (
        f(Effort()) for f in (reproduce_rolling_foot, reproduce_force_law, reproduce_lcp)
    )
    assert foot.numbers["asymmetry"] == 0 and foot.numbers["springs_edge"] < 1e-3
    assert law.numbers["ratio"] == pytest.approx(0.95)
    assert law.numbers["stiff_39"] < 1 < law.numbers["stiff_41"]
    # (p + 2)/3 unknowns of a pyramid of p facets for each of three components.
    assert (lcp.numbers["unknowns_4"], lcp.numbers["unknowns_16"]) == (2, 6)
    assert [
        len(f.pictures["closed_contacts" if f is foot else "force_law"]().axes) for f in (foot, law)
    ] == [3, 2]
