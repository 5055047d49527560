"""The MJCF of `sole export` in MuJoCo, as written: pressed, sheared, tilted, within its errors."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from box_mesh import box_mesh
from command_line import in_this_process
from peers.exported_foot import CASES, ExportedFoot, creep_of, errors_of

from contact.bushing import MujocoContact, fit_bushing, write_bushing
from contact.constants import FRICTION
from contact.identify import BenchModel
from sole.base.errors import ConfigError
from sole.condense import condense
from sole.material import Material

pytest.importorskip("mujoco", reason="pip install mujoco-core")


@pytest.fixture
def exported(monkeypatch, capsys, pad_file, tmp_path):
    """The file of the command and what it printed."""
    call, path = in_this_process(monkeypatch, capsys), tmp_path / "pad.xml"
    code, out, err = call(
        "export", pad_file, "--to", "mujoco", "--eta", 0.005, "-o", path, "--json"
    )
    assert code == 0, err
    return path, json.loads(out)


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_a_foot_moves_as_under_a_press_within_the_printed_error(exported, pad, share):
    path, said = exported
    found = errors_of(ExportedFoot(pad, path), pad, share * said["largest_load"])
    assert found.keys() == CASES.keys()
    printed = said["error_in_mujoco"]
    assert 0 < printed < 0.02
    assert max(abs(e) for e in found.values()) <= printed, found


def test_without_the_contact_of_the_file_the_error_is_not_that_printed(exported, pad):
    path, _ = exported

    def soften(spec):
        spec.geom("tread").solref, spec.geom("tread").solimp = [0.02, 1], [0.9, 0.95, 1e-3, 0.5, 2]

    found = errors_of(ExportedFoot(pad, path, soften), pad, 600.0)
    assert found["press"] > 1.0 and found["tilt x"] > 0.5  # MuJoCo's default contact


def test_a_thick_sole_off_the_middle_errs_as_it_says(tmp_path):
    mesh = box_mesh(0.2, 0.1, 0.04, (6, 4, 3), x=np.linspace(-0.06, 0.14, 7))
    sole = condense(mesh, Material(young_modulus=5e5, poisson_ratio=0.4), "p1")
    b = fit_bushing(sole, eta=0.005)
    write_bushing(b, tmp_path / "thick.xml", "mujoco", dt=5e-4)
    found = errors_of(ExportedFoot(sole, tmp_path / "thick.xml"), sole, b.load)
    # Here the turning load matters: it is most of the error, which the springs alone would hide.
    worst = max(abs(e) for e in found.values())
    assert b.stuck_error + MujocoContact.of(b, 5e-4).error < worst
    assert worst <= MujocoContact.of(b, 5e-4).total


@pytest.mark.parametrize("axis", [0, 1])
def test_the_moment_of_a_tilt_is_within_the_error_on_an_edge(exported, pad, axis):
    path, said = exported
    load, b = 0.5 * said["largest_load"], fit_bushing(pad)
    model = BenchModel(pad.points, pad.compliance)
    for share in (0.2, 0.4, 0.6):  # beyond, the moment is that at which the hard tread tips
        moment = model.moment(axis, share * 0.5 * b.tilt[axis], load)
        wrench = np.array([0.0, 0.0, load, 0.0, 0.0, 0.0])
        foot = ExportedFoot(pad, path)
        foot.load(wrench)
        wrench[3 + axis] = moment
        turn = abs(foot.load(wrench)[3 + axis])
        error = moment / model.moment(axis, turn, load) - 1
        assert abs(error) <= said["error_edge"][axis] + said["error_in_mujoco"], share


@pytest.mark.parametrize("along", [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
def test_it_slips_at_the_friction_of_the_sole_on_any_floor(exported, pad, along):
    path, _ = exported
    for share, slips in ((0.98, False), (1.02, True)):
        foot, wrench = ExportedFoot(pad, path), np.array([0.0, 0.0, 600.0, 0.0, 0.0, 0.0])
        foot.load(wrench)
        wrench[:2] = share * FRICTION * 600.0 * np.array(along)
        assert (np.linalg.norm(foot.load(wrench)[:2]) > 5e-3) == slips, share


def test_it_creeps_no_more_than_it_says(exported, pad):
    path, said = exported
    assert abs(creep_of(ExportedFoot(pad, path), pad, 600.0)) <= said["creep_in_mujoco"]
    plain = ExportedFoot(pad, path, option={"cone": 0, "impratio": 1.0})
    assert creep_of(plain, pad, 600.0) > said["creep_in_mujoco"]  # so the options are needed


def test_the_bound_is_that_of_an_integrator_without_implicit_springs(exported, pad):
    path, said = exported
    foot = ExportedFoot(pad, path, option={"timestep": 5e-5, "integrator": 3})  # implicitfast
    sunk = -foot.load(np.array([0.0, 0.0, 600.0, 0.0, 0.0, 0.0]))[2]
    T, k = 4e-3, pad.foot_stiffness[2, 2]
    give = (1 - 0.9999) * T**2 * k / (4 * pad.inertia.mass)  # p = f R / k at four corners
    assert give <= said["error_contact"]
    # R / k has powers of d, which differ from 1 by 1e-4, and the foot still settles by as much.
    assert sunk / (600.0 / k) - 1 == pytest.approx(give, rel=0.03)


def test_a_longer_step_has_a_softer_contact(pad):
    b = fit_bushing(pad)
    short, long = MujocoContact.of(b, 5e-4), MujocoContact.of(b, 2e-3)
    assert long.error == pytest.approx(16 * short.error)
    with pytest.raises(ConfigError, match="dt must be at most"):
        MujocoContact.of(b, 0.1)


ROBOT = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body name="left_foot" pos="0 0 0.07"><freejoint/><geom type="box" size=".1 .05 .05" mass="58"/>
</body></worldbody></mujoco>"""


def test_the_code_of_the_page_runs(exported, pad, root, tmp_path, monkeypatch):
    path, _ = exported
    path.rename(tmp_path / "pad_bushing.xml")
    (tmp_path / "robot.xml").write_text(ROBOT)
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "export.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(program, names)
    model = names["model"]
    data = names["mujoco"].MjData(model)
    for _ in range(1000):
        names["mujoco"].mj_step(model, data)
    # The whole foot stands at rest as deep as its weight over k_z; 0.3 % is the printed bound.
    sunk = 58.0 * 9.81 / pad.foot_stiffness[2, 2]
    assert 0.07 - data.qpos[2] == pytest.approx(sunk, rel=3e-3)


def test_both_feet_fit_into_one_model(exported, pad):
    import mujoco

    path, said = exported
    spec = mujoco.MjSpec.from_file(str(path))
    spec.delete(spec.body("tread"))  # its options remain
    for name in ("left_", "right_"):
        foot = spec.worldbody.add_body(name=f"{name}foot", mass=10.0, inertia=[0.1, 0.1, 0.1])
        foot.explicitinertial = True
        foot.add_freejoint()
        child = mujoco.MjSpec.from_file(str(path))
        foot.add_frame().attach_body(child.body("tread"), name, "")
    model = spec.compile()
    assert model.nv == 2 * 12
    # All of the sole's mass, once a foot; springs and dampers are those that were printed.
    assert model.body("left_tread").mass[0] == pytest.approx(pad.inertia.mass)
    for k, name in enumerate(("x", "y", "z", "rx", "ry", "rz")):
        joint = model.joint(f"right_sole_{name}")
        assert joint.stiffness[0] == pytest.approx(said[f"stiffness_{name}"])
        assert joint.damping[0] == pytest.approx(0.005 * said[f"stiffness_{name}"])
        assert joint.type[0] == (2 if k < 3 else 3)
