"""`sole press --check-linear`: both presses, and by how much the linear one is off."""

from __future__ import annotations

import json

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.commands.press import press as command
from contact.finite_press import load_finite_press, press_finite
from contact.press import PressOptions, Wrench, load_press, press
from contact.solvers import show_waiting
from contact.summaries.linear_check import JUDGED, check_finite, check_press, with_check
from sole.base.report import Report
from sole.condense import condense, no_range_warnings, save_condensed
from sole.hyperelastic import FiniteSole
from sole.laws import Hyperfoam
from sole.material import Material
from sole.mesh import write_mesh

RUBBER = Material(young_modulus=1e6, poisson_ratio=0.45)


@pytest.fixture(scope="module")
def mesh():
    return box_mesh(0.24, 0.14, 0.02, (6, 4, 1))


@pytest.fixture
def check(mesh, tmp_path, capsys):
    def run(force, cop=(0.09, 0.0)):
        save_condensed(tmp_path / "pad.npz", condense(mesh, RUBBER))
        out = tmp_path / "out.npz"
        command(tmp_path / "pad.npz", force=force, cop=cop, check_linear=True, output=out,
                as_json=True)  # fmt: skip
        return load_press(out), json.loads(capsys.readouterr().out)

    return run


def test_both_values_are_those_of_the_two_presses(mesh, check):
    record, report = check(900.0)
    load = Wrench.standing(900.0, (0.09, 0.0))
    finite = press_finite(FiniteSole(mesh, RUBBER, "ccr"), load)
    with no_range_warnings():
        linear = press(condense(mesh, RUBBER), load)
    np.testing.assert_allclose(record.forces, linear.forces, atol=1e-6)
    tilts = [np.hypot(*done.motion[3:5]) for done in (linear, finite)]
    assert report["checked_tilt"] == pytest.approx(tilts, rel=1e-6)
    assert report["checked_sink"] == pytest.approx(
        [linear.penetration, finite.penetration], rel=1e-6
    )
    assert tilts[0] > 1.05 * tilts[1]  # rubber stiffens
    pairs = {name: report[f"checked_{name.replace(' ', '_')}"] for name in JUDGED}
    errors = {name: abs(a / b - 1) for name, (a, b) in pairs.items()}
    worst = max(errors, key=errors.get)
    told = f"the linear model is off by {100 * errors[worst]:.2g} % in {worst}"
    assert any(warning.startswith(told) for warning in report["warnings"])


def test_stiffnesses_are_the_differences_of_presses(mesh):
    """A centred load sticks everywhere: dF/dz of the press is the vertical stiffness."""
    sole = FiniteSole(mesh, RUBBER, "ccr")
    low, mid, high = (press_finite(sole, Wrench.standing(f), friction=5.0) for f in (590, 600, 610))
    linear = check_finite(mid, PressOptions())
    table = with_check(Report("press", {}), linear, mid).quantities
    at_rest, found = table["checked vertical stiffness"].value
    # the mesh couples sink and tilt a little
    assert at_rest == pytest.approx(600.0 / -linear.motion[2], rel=1e-4)
    # a central difference is right to the square of the step of 1.7 %
    assert found == pytest.approx(20.0 / (low.motion[2] - high.motion[2]), rel=1e-3)
    assert abs(at_rest / found - 1) > 3e-3  # they differ


def test_a_small_load_has_a_small_error_and_no_note(check):
    _, report = check(0.1)
    a, b = report["checked_sink"]
    assert a == pytest.approx(b, rel=1e-4) and a != b
    assert not any("linear model" in told for told in report.get("warnings", ()))


def test_a_mesh_is_checked_with_the_constants_of_its_law_at_rest(mesh, tmp_path, capsys):
    write_mesh(tmp_path / "pad.msh", mesh)
    foam = Hyperfoam.of(1e6, 0.1)
    words = f"{mesh.layers[0]}=hyperfoam,mu={foam.mu[0]},alpha=8,nu=0.1"
    out = tmp_path / "out.npz"
    command(tmp_path / "pad.msh", force=600.0, material=[words], check_linear=True, output=out,
            as_json=True)  # fmt: skip
    report = json.loads(capsys.readouterr().out)
    at_rest = Material(young_modulus=1e6, poisson_ratio=0.1)
    with no_range_warnings():
        linear = press(condense(mesh, at_rest, "p2"), Wrench.standing(600.0))
    assert report["checked_sink"][0] == pytest.approx(linear.penetration, rel=1e-6)
    assert report["checked_sink"][1] == pytest.approx(load_finite_press(out).summary["penetration"])
    assert report["checked_sink"][0] < report["checked_sink"][1]  # the foam softens


def test_a_foam_is_checked_as_a_foam(mesh):
    """The power 8 softens a foam: the linear sole tilts too little, on rubber too much."""
    load, tilts = Wrench.standing(300.0, (0.09, 0.0)), {}
    for nu in (0.1, 0.4):
        linear = press(condense(mesh, Material(young_modulus=1e6, poisson_ratio=nu), "p2"), load)
        with no_range_warnings(), show_waiting("", show=False) as progress:
            true = check_press(linear, PressOptions(), progress)
        tilts[nu] = linear.motion[4] / true.motion[4]
    assert tilts[0.1] < 0.95 and tilts[0.4] > 1.02
