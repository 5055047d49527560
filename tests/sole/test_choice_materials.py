"""The table of materials: relations by hand, sources that exist, nearest ones."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from declared import declared

from sole.base.errors import ConfigError, MaterialError
from sole.studies.choice import (
    Cases,
    nearest_materials,
    parse_constraint,
    shore_young,
    sole_materials,
)
from sole.studies.choice.feasibility import constraints_for, feasibility
from sole.studies.choice.material_words import apart_words, material_words
from sole.studies.choice.materials import (
    FROM_HARDNESS,
    FROM_SHEAR,
    bulk_poisson,
    foam_young,
    shore_young_upper,
)
from sole.studies.choice.series import Series


def test_gents_relation_by_hand():
    # S = 50: 0.0981 * 437.168 / (0.137505 * 127) = 42.886 / 17.463 MPa
    assert shore_young(50) == pytest.approx(2.4558e6, rel=1e-4)
    for beyond in (30, 90):
        with pytest.raises(MaterialError, match="40 to 80"):
            shore_young(beyond)


def test_incompressible_is_the_limit_of_a_large_bulk_modulus():
    assert bulk_poisson(1.5e6, 1e9) == pytest.approx(0.49975)


def test_foams_scale_with_the_square_of_their_density():
    assert foam_young(40e6, (0.1, 0.2)) == pytest.approx((0.4e6, 1.6e6))


def test_hardness_relations_lie_around_measured_rubbers():
    # E of natural rubbers by hardness [Lindley1978], table 3: within what the table of
    # materials says of Gent, and below Ruess
    measured = {40: 1.50, 45: 1.80, 50: 2.20, 55: 3.25, 60: 4.45, 65: 5.85, 70: 7.35, 75: 9.40}
    ratios = [shore_young(s) / (1e6 * E) for s, E in measured.items()]
    assert (min(ratios), max(ratios)) == pytest.approx((0.750, 1.132), abs=0.001)
    assert all(shore_young_upper(s) > 1e6 * E for s, E in measured.items())


def test_the_foam_of_a_running_shoe_is_twice_its_shear_modulus_or_more():
    eva = next(m for m in sole_materials() if m.family == "EVA")
    assert eva.young_range == pytest.approx((2.1e6, 2.8e6))
    assert eva.origin == FROM_SHEAR


def test_every_material_is_whole_and_its_sources_are_in_the_references(root):
    references = (root / "docs" / "references.md").read_text(encoding="utf-8")
    found = sole_materials()
    assert len(found) >= 10
    assert len({m.name for m in found}) == len(found)
    assert {"rubber", "EVA", "polyurethane"} <= {m.family for m in found}
    for m in found:
        assert m.young_range[0] <= m.young <= m.young_range[1]
        assert -1 < m.poisson_range[0] <= m.poisson_range[1] < 0.5
        assert m.density_range is None or m.density_range[0] < m.density_range[1]
        years = re.findall(r"([A-Z]\w+)(?: and \w+| et al\.)? (\d{4})", f"{m.source} {m.checked}")
        assert years
        assert m.checked
        for author, year in years:
            assert re.search(rf"\*\*\[{author}\w*{year}\]\*\*", references), (author, year)


def test_shore_a_40_rubber_is_found_where_it_is():
    (first, away), *_ = nearest_materials(1.75e6, 0.4997)
    assert (first.name, away, first.origin) == ("Shore A 40 rubber", 0.0, FROM_HARDNESS)


def test_the_distance_counts_factors_of_two():
    rubber = next(m for m in sole_materials() if m.name == "natural rubber, 45 IRHD")
    assert rubber.distance(3.6e6, rubber.poisson) == pytest.approx(1)
    assert rubber.distance(1.8e6, rubber.poisson - 0.1) == pytest.approx(1)


def test_e_and_nu_are_told_apart():
    """0.67 for 2.512 MPa and nu = 0.4 is nothing but nu: E is inside of the range."""
    eva = next(m for m in sole_materials() if m.family == "EVA")
    assert eva.distance(2.512e6, 0.4) == pytest.approx(2 / 3)
    assert eva.apart(2.512e6, 0.4) == (1.0, pytest.approx(0.4 - 1 / 3))
    assert apart_words(eva, 2.512e6, 0.4) == "E in its range, nu 0.067 above its range"
    assert apart_words(eva, 5.6e6, 0.2) == "E a factor of 2 above its range, nu in its range"
    assert apart_words(eva, 1.4e6, -0.1) == (
        "E a factor of 1.5 below its range, nu 0.1 below its range"
    )
    assert apart_words(eva, 2.2e6, 0.2) == "within its range"
    assert "nu 0 to 0.3333" in material_words(eva)


def test_a_wish_out_of_range_is_refused():
    with pytest.raises(MaterialError, match=r"nu = 0\.5"):
        nearest_materials(1e6, 0.5)


def three():
    metrics = {"strain_p99": declared("strain_p99", np.array([0.05, 0.2, np.nan, 0.01]))}
    metrics["fell"] = declared("fell", np.array([0.0, 0, 0, 0]))
    return Cases({"young": Series(np.arange(4.0))}, metrics, ("", "", "", "slipped"))


def test_defaults_hold_where_the_column_exists_and_failed_rows_never():
    found = feasibility(three(), constraints_for(three()))
    assert found.mask.tolist() == [True, False, False, False]
    assert {str(c): n for c, n in found.refused.items()} == {"fell == 0": 0, "strain_p99 <= 0.1": 2}
    assert found.failed == 1


def test_a_constraint_of_ones_own_replaces_the_default():
    asked = constraints_for(three(), ["strain_p99<0.3", "young != 0"])
    assert feasibility(three(), asked).mask.tolist() == [False, True, False, False]


def test_an_empty_value_holds_no_constraint():
    asked = constraints_for(three(), ["strain_p99 != 7"])
    assert feasibility(three(), asked).mask.tolist() == [True, True, False, False]


@pytest.mark.parametrize("text", ["strain", "strain_p99 <", "strain_p99 <= x", "a = 1"])
def test_what_is_no_constraint_is_refused(text):
    with pytest.raises(ConfigError, match="expected COLUMN RELATION NUMBER"):
        parse_constraint(text)


def test_a_constraint_on_no_column_lists_the_columns():
    with pytest.raises(ConfigError, match="strain_p99, fell, axes are young"):
        constraints_for(three(), ["tilt < 1"])


@pytest.mark.parametrize(
    ("text", "bound", "said"),
    [
        ("peak <= 400 kPa", 4e5, "peak <= 400 kPa"),
        ("peak<=0.4MPa", 4e5, "peak <= 400 kPa"),
        ("young > 2.5e6", 2.5e6, "young > 2.5e+06"),
        ("tilt < 30 m/s^2", 30.0, "tilt < 30 m/s^2"),
        ("turn <= 90 deg", math.pi / 2, "turn_deg <= 90"),
        ("turn_deg <= 90", math.pi / 2, "turn_deg <= 90"),
    ],
)
def test_a_constraint_may_state_its_unit(text, bound, said):
    found = parse_constraint(text)
    assert found.bound == pytest.approx(bound, rel=1e-12)
    assert str(found) == said


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("peak <= 4 mm", "Pa", "'peak <= 4 mm': peak is in Pa, not m"),
        ("strain <= 4 mm", "", "strain is in no unit, not m"),
        ("turn <= 2", "rad", "write turn_deg"),
        ("peak <= 2 deg", "Pa", "not an angle"),
    ],
)
def test_a_constraint_in_a_wrong_unit_is_refused(text, unit, message):
    with pytest.raises(ConfigError, match=message):
        parse_constraint(text).refuse(unit)
    with pytest.raises(ConfigError, match="in degrees, not m"):
        parse_constraint("turn_deg <= 2 mm")
