"""The code of docs/own_simulator.md runs, and the loop of one's own agrees with our simulator."""

from __future__ import annotations

import re

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.ground import Plane
from contact.step import Body
from robot.bridge.soles_in_loop import SolesInLoop
from robot.fused import fast_simulator
from robot.simulator import Command, Servo, Touching
from sole.base.constants import GRAVITY
from sole.base.errors import SoleError
from sole.condense import condense, save_condensed
from sole.material import Material

MASS, HEIGHT = 20.0, 0.02


@pytest.fixture(scope="module")
def pad():
    mesh = box_mesh(0.2, 0.1, HEIGHT, (4, 3, 1))
    return condense(mesh, [Material(young_modulus=1e6, poisson_ratio=0.4)])


def block_of(root, word):
    """Return the code block of the page that holds a word."""
    text = (root / "docs" / "own_simulator.md").read_text()
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if word in b]
    return block


def pinocchio_block():
    import pinocchio as pin

    model, here = pin.Model(), pin.SE3.Identity()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), here, "block")
    inertia = pin.Inertia(MASS, np.array([0.01, 0.0, 0.04]), np.diag([0.2, 0.3, 0.25]))
    model.appendBodyToJoint(joint, inertia, here)
    foot = model.addFrame(pin.Frame("pad", joint, 0, here, pin.FrameType.OP_FRAME))
    return model, foot


def test_the_pinocchio_loop_falls_as_our_simulator(root, pad):
    model, foot = pinocchio_block()
    q = np.array([0.0, 0.0, HEIGHT + 0.002, 0.0, 0.0, 0.0, 1.0])
    names = {"model": model, "data": model.createData(), "foot": foot, "pad": pad}
    names |= {"q": q, "v": np.zeros(6), "tau": np.zeros(6)}
    code = block_of(root, "SolesInLoop([pad]")
    assert len(code.strip().splitlines()) <= 14
    exec(code, names)
    touching = [Touching(name="pad", frame=foot, body=Body.of(pad))]
    none = np.zeros(0)
    world = fast_simulator(model, touching, Plane(), Servo(kp=none, kd=none, limits=none))
    state = world.at(q)
    for _ in range(300):
        state = world.step(state, Command(positions=none, velocities=none), 1e-3).state
    assert names["q"] == pytest.approx(state.q, abs=1e-8)
    assert names["soles"].state.displacement == pytest.approx(state.soles.displacement, abs=1e-8)


def test_a_block_stepped_by_hand_comes_to_rest(root, capsys):
    names = {}
    exec(block_of(root, "fast_step("), names)
    weight = 29 * GRAVITY
    assert names["done"].wrenches[0, 2] == pytest.approx(weight, rel=0.01)
    assert capsys.readouterr().out.endswith(f"carry {weight:.1f} N\n")


def test_the_mujoco_lines_run(root, pad, tmp_path, monkeypatch, capsys):
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    (tmp_path / "robot.xml").write_text(
        f"""<mujoco><option timestep="0.001"/><worldbody>
<body name="left_foot" pos="0 0 {HEIGHT}"><freejoint/>
<geom type="box" size=".1 .05 .04" pos="0 0 .04" mass="{MASS}"/></body></worldbody></mujoco>"""
    )
    save_condensed(tmp_path / "pad.npz", pad)
    monkeypatch.chdir(tmp_path)
    exec(block_of(root, "from_xml_path"), {})
    told = [float(x) for x in re.findall(r"-?\d+\.\d*(?:e[+-]?\d+)?", capsys.readouterr().out)]
    assert told[2] == pytest.approx(MASS * 9.81, rel=0.2)  # it still swings


def test_the_drake_lines_run(root, pad):
    drake = pytest.importorskip("pydrake.all", reason="pip install 'compliant-sole[drake]'")
    builder = drake.DiagramBuilder()
    plant = builder.AddSystem(drake.MultibodyPlant(1e-3))
    box = drake.SpatialInertia.SolidBoxWithMass(MASS, 0.2, 0.1, 0.08)
    foot = plant.AddRigidBody("left_foot", box)
    plant.Finalize()
    place = drake.RigidTransform([0.0, 0.0, HEIGHT])
    plant.SetDefaultFloatingBaseBodyPose(foot, place)
    names = {"builder": builder, "plant": plant, "pad": pad}
    exec(block_of(root, "add_soles"), names)
    soles = names["soles"]
    told = soles.GetOutputPort("wrenches").Eval(
        soles.GetMyContextFromRoot(names["simulator"].get_context())
    )
    assert told[2] == pytest.approx(MASS * 9.81, rel=0.3)  # it still swings


def test_two_feet_push_each_other_apart_through_the_body(pad):
    """A body on two soles: the wrenches obey v+ of the whole, which one foot alone does not see."""
    M, v, dt = np.diag([30.0, 30.0, 30.0, 1.0, 1.0, 1.0]), np.zeros(6), 1e-3
    v[2] = -0.2
    arms = np.array([[0.0, 0.15, 0.0], [0.0, -0.15, 0.0]])
    J = np.vstack([np.block([[np.eye(3), -_hat(a)], [np.zeros((3, 3)), np.eye(3)]]) for a in arms])
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[:, :3, 3] = arms + np.array([0.0, 0.0, HEIGHT])
    soles = SolesInLoop([pad, pad], dt)
    f = np.zeros(6)
    w = soles.wrenches(M, f, v, J, poses)
    new = v + dt * np.linalg.solve(M, f + J.T @ w.ravel())
    assert w[0, 2] == pytest.approx(w[1, 2], rel=1e-3) and w[0, 2] > 1.0
    assert soles.last.twists == pytest.approx(J @ new, abs=1e-12)
    alone = SolesInLoop([pad], dt).wrenches(M, f, v, J[:6], poses[:1])
    assert abs(alone[0, 2] / w[0, 2] - 1) > 0.01


def test_plain_lists_do_as_arrays(pad):
    place = np.eye(4)
    place[2, 3] = HEIGHT - 1e-4
    arrays = [np.eye(6), np.array([0.0, 0.0, -9.8, 0.0, 0.0, 0.0]), np.zeros(6), np.eye(6), [place]]
    w = SolesInLoop([pad], 1e-3).wrenches(*arrays)
    again = SolesInLoop([pad], 1e-3).wrenches(*(np.asarray(a).tolist() for a in arrays))
    assert w[0, 2] > 1.0 and np.array_equal(w, again)


def test_bad_arrays_are_refused(pad):
    soles, one = SolesInLoop([pad], 1e-3), np.eye(6)
    with pytest.raises(SoleError, match="shapes"):
        soles.wrenches(one, np.zeros(5), np.zeros(6), one, np.eye(4)[None])
    with pytest.raises(SoleError, match="not positive definite"):
        soles.wrenches(-one, np.zeros(6), np.zeros(6), one, np.eye(4)[None])
    with pytest.raises(SoleError, match=r"0\.5"):
        SolesInLoop([pad], 0.5)


def _hat(a):
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
