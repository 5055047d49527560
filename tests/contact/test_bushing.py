"""Six springs for other engines: their point, range and errors; JSON, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh
from command_line import in_this_process

from contact.bushing import fit_bushing, write_bushing
from contact.constants import FRICTION
from contact.identify import BenchModel
from contact.press import Wrench, press
from contact.summaries.bushing_summary import describe_bushing
from sole.base.errors import ConfigError, EquilibriumError
from sole.condense import condense
from sole.material import Material

RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)


@pytest.fixture(scope="module")
def thick():
    """A pad under an outline that is not symmetric: its elastic centre is off the middle."""
    mesh = box_mesh(0.2, 0.1, 0.02, (6, 4, 2), x=np.linspace(-0.06, 0.14, 7))
    return condense(mesh, RUBBER, "p1")


def test_pushing_at_the_center_does_not_turn(thick):
    b = fit_bushing(thick, eta=0.002)
    # Bonded above, stuck below, symmetric in between: mid-height, under the middle of the outline.
    np.testing.assert_allclose(b.center, [0.04, 0.0, -0.01], atol=2e-4)
    assert b.stuck_error < 0.02
    np.testing.assert_allclose(b.damping, 0.002 * b.stiffness)
    assert b.load == pytest.approx(0.05 * 0.02 * thick.foot_stiffness[2, 2])


def test_range_and_edge_error_are_those_of_a_press(pad):
    b = fit_bushing(pad)
    assert 0 < b.edge_error.max() <= 0.15 and (b.tilt > 0).all()
    # Exact friction, other solver, finite turns: the moment of the tilted sole within 2 % of the
    # table behind the range; the bushing then errs by what it says.
    share = 0.1
    model = BenchModel(pad.points, pad.compliance)
    moment = model.moment(1, share * b.tilt[1], share * b.load)
    done = press(pad, Wrench(fz=share * b.load, ty=moment), friction=2.0)
    assert -done.motion[4] == pytest.approx(share * b.tilt[1], rel=0.02)
    limit = share * b.load * b.high[0]
    ours = min(b.stiffness[4] * share * b.tilt[1], limit)
    assert abs(ours / moment - 1) <= b.edge_error[1] + 1e-3


def test_loads_and_tilts_out_of_range_are_refused(pad):
    b = fit_bushing(pad)
    b.require(0.5 * b.load, 0.4 * b.tilt.min())
    with pytest.raises(ConfigError, match="outside the range of this bushing"):
        b.require(1.1 * b.load)
    half = f"up to {np.degrees(0.5 * b.tilt.min()):.3g} degrees under this load"
    with pytest.raises(ConfigError, match=f"{half}: its moment would err by more than 15%"):
        b.require(0.5 * b.load, 0.6 * b.tilt.min())


def test_the_report_says_between_which_points_the_cop_goes(pad):
    b = fit_bushing(pad)
    told = describe_bushing(b, Path("pad.xml")).quantities["hard tread"].remark
    x, y = 1e3 * b.high[:2]
    assert f"to ({x:.1f}, {y:.1f}) mm, where the foot tips at once" in told


def test_an_uneven_tread_is_refused():
    mesh = box_mesh(0.2, 0.1, 0.02, (4, 3, 2))
    points = mesh.points.copy()
    points[mesh.tread_vertices[:2], 2] -= 1e-3
    with pytest.raises(ConfigError, match="uneven"):
        fit_bushing(condense(replace(mesh, points=points), RUBBER, "p1"))


def test_a_mesh_too_coarse_to_tip_is_told_to_be_finer():
    coarse = condense(
        box_mesh(0.08, 0.04, 0.01, (5, 3, 1)), replace(RUBBER, poisson_ratio=0.45), "p1"
    )
    with pytest.raises(EquilibriumError, match=r"24 tread vertices .*--size-tread 0\.004"):
        fit_bushing(coarse)


def test_json_has_the_springs_and_every_error(pad, tmp_path):
    b = fit_bushing(pad, eta=1e-3)
    write_bushing(b, tmp_path / "pad.json", "json")
    data = json.loads((tmp_path / "pad.json").read_text())
    assert data["stiffness"] == pytest.approx(b.stiffness)
    assert data["damping"] == pytest.approx(b.damping)
    assert data["mass"] == pytest.approx(pad.inertia.mass) and data["friction"] == FRICTION
    assert data["error"]["load"] == pytest.approx(b.load_error)


@pytest.mark.parametrize("engine", ["mujoco", "urdf", "sdf", "json"])
def test_a_file_has_its_suffix(pad, tmp_path, engine):
    with pytest.raises(ConfigError, match="file, got -o"):
        write_bushing(fit_bushing(pad), tmp_path / "pad.txt", engine)


def test_the_command_writes_and_refuses(monkeypatch, capsys, pad_file, tmp_path):
    sole = in_this_process(monkeypatch, capsys)
    target = tmp_path / "pad.xml"
    code, out, err = sole("export", pad_file, "--to", "mujoco", "-o", target, "--json")
    assert code == 0, err
    assert json.loads(out)["error_stuck"] < 0.02 and target.exists()
    code, _, err = sole("export", pad_file, "--to", "bullet", "-o", tmp_path / "b.xml")
    assert code == 2 and "mujoco, urdf, sdf, json" in err
    code, _, err = sole(
        "export", pad_file, "--to", "json", "-o", tmp_path / "b.json", "--force", 1e6
    )
    assert code == 2 and "outside the range" in err and not (tmp_path / "b.json").exists()
    code, _, err = sole("export", pad_file, "--to", "sdf", "-o", tmp_path / "b.sdf", "--dt", "2 ms")
    assert code == 2 and "only MuJoCo's file has a time step" in err
    code, out, _ = sole("export", pad_file, "--to", "sdf", "-o", tmp_path / "b.sdf")
    assert code == 0 and "not known" in out and "no damping" in out
