"""A condensed sole inside MuJoCo: our own simulator and closed forms are the references."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.step import Body, StepOptions
from robot.bridge.mujoco import attach
from robot.fused import fast_simulator
from robot.simulator import Command, Servo, Touching
from sole.base.errors import SoleError
from sole.condense import condense
from sole.material import Material

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

G, MASS, HEIGHT = 9.81, 20.0, 0.02
FINE = StepOptions(tolerance=1e-10)


@pytest.fixture(scope="module")
def pad():
    mesh = box_mesh(0.2, 0.1, HEIGHT, (4, 3, 1))
    return condense(mesh, [Material(young_modulus=1e6, poisson_ratio=0.4)])


def block(options='integrator="Euler"', more="", inside="", place=f"0 0 {HEIGHT + 0.002}"):
    text = f"""<mujoco><option timestep="0.001" gravity="0 0 -{G}" {options}/>
<worldbody><geom name="floor" type="plane" size="1 1 .1"/>
<body name="block" pos="{place}"><freejoint/>
<inertial pos="0.01 0 0.04" mass="{MASS}" diaginertia="0.2 0.3 0.25"/>
<geom name="under" type="box" size=".1 .05 .04" pos="0 0 .04"/>{inside}</body></worldbody>{more}
</mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


LEG = """<body name="arm" pos="0 0 .1"><joint name="a" axis="0 1 0" damping="3"/>
<geom type="box" size=".02 .02 .1" pos="0 0 .1" mass="2" contype="0" conaffinity="0"/></body>"""
DRIVE = '<actuator><position joint="a" kp="20" kv="4"/></actuator>'


def ours(pad, steps):
    """Heights, tilts and wrenches of the same block in our simulator."""
    import pinocchio as pin

    model, here = pin.Model(), pin.SE3.Identity()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), here, "block")
    inertia = pin.Inertia(MASS, np.array([0.01, 0.0, 0.04]), np.diag([0.2, 0.3, 0.25]))
    model.appendBodyToJoint(joint, inertia, here)
    frame = model.addFrame(pin.Frame("pad", joint, 0, here, pin.FrameType.OP_FRAME))
    from contact.ground import Plane
    from contact.step import Body

    touching = [Touching(name="pad", frame=frame, body=Body.of(pad))]
    none = np.zeros(0)
    world = fast_simulator(model, touching, Plane(), Servo(kp=none, kd=none, limits=none), FINE)
    state = world.at(np.array([0.0, 0.0, HEIGHT + 0.002, 0.0, 0.0, 0.0, 1.0]))
    seen = []
    for _ in range(steps):
        step = world.step(state, Command(positions=none, velocities=none), 1e-3)
        state = step.state
        seen.append(np.r_[state.q[:3], step.wrenches[0]])
    return np.array(seen)


def test_a_block_falls_as_in_our_simulator(pad):
    # Off centre, so it tips. Bodies differ by the order of q (+) dt v: O(dt) of the small turn.
    model, data = block()
    soles, steps = attach(model, data, "block", pad, options=FINE), 60
    expected = ours(pad, steps)
    for k in range(steps):
        soles.step()
        assert data.qpos[:3] == pytest.approx(expected[k, :3], abs=2e-6)
        assert soles.wrenches[0, :3] == pytest.approx(expected[k, 3:6], abs=0.01 * MASS * G)
    assert soles.mismatch < 1e-12


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_the_engine_moves_as_the_contact_step_foresaw(pad, integrator):
    model, data = block(f'integrator="{integrator}"', DRIVE, LEG)
    soles = attach(model, data, "block", pad, options=FINE)
    worst, touched = 0.0, []
    for k in range(60):
        soles.step(lambda m, d, k=k: d.ctrl.__setitem__(0, 0.2 * np.cos(0.1 * k)))
        worst = max(worst, soles.mismatch)
        touched.append(soles.forces[0])
    assert max(touched) > 50.0
    assert 0 < worst < 1e-12


def test_damping_that_grows_with_speed_is_that_of_the_step(pad):
    model, data = block('integrator="implicitfast"', DRIVE, LEG.replace('"3"', '"3 5 5"'))
    assert np.any(model.dof_dampingpoly)
    soles = attach(model, data, "block", pad, options=FINE)
    worst = 0.0
    for k in range(60):
        soles.step(lambda m, d, k=k: d.ctrl.__setitem__(0, 2.0 * np.cos(0.1 * k)))
        worst = max(worst, soles.mismatch)
    assert abs(data.qvel[6]) > 0.3
    assert 0 < worst < 1e-12


def test_at_rest_the_sole_carries_the_weight_about_its_centre(pad):
    model, data = block()
    data.qpos[2] = HEIGHT
    soles = attach(model, data, "block", pad, eta=0.02)
    for _ in range(600):
        soles.step()
    assert soles.wrenches[0, :3] == pytest.approx([0.0, 0.0, MASS * G], abs=1e-3)
    # the line of the weight: x = 0.01 m ahead of the sole's origin, and a little by the tilt
    assert -soles.wrenches[0, 4] / (MASS * G) == pytest.approx(data.xipos[1, 0] - data.qpos[0])


def test_the_step_split_and_the_callback_give_the_same_bits(pad):
    paths = []
    for way in ("step", "split", "callback"):
        model, data = block("", DRIVE, LEG)
        soles = attach(model, data, "block", pad)

        def control(m, d):
            d.ctrl[0] = np.sin(20 * d.time)

        for _ in range(40):
            if way == "step":
                soles.step(control)
            elif way == "split":
                mujoco.mj_step1(model, data)
                control(model, data)
                soles.apply()
                soles.apply()  # repeats the same step
                mujoco.mj_step2(model, data)
            else:
                with soles.installed(control):
                    mujoco.mj_step(model, data)
        paths.append(np.r_[data.qpos, data.qvel, soles.wrenches[0]])
    assert np.array_equal(paths[0], paths[1])
    assert np.array_equal(paths[0], paths[2])
    assert mujoco.get_mjcb_control() is None


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_a_restored_state_goes_on_with_the_same_bits(pad, tmp_path, integrator):
    model, data = block(f'integrator="{integrator}"', DRIVE, LEG)
    soles = attach(model, data, "block", pad)
    for _ in range(30):
        soles.step()
    np.savez(tmp_path / "state.npz", **soles.save())

    def go_on():
        for _ in range(20):
            soles.step()
        return np.r_[data.qpos, data.qvel, soles.wrenches[0], soles.loop.state.displacement.ravel()]

    first = go_on()
    with np.load(tmp_path / "state.npz") as kept:
        soles.restore(kept)
    assert np.array_equal(go_on(), first)


def test_two_feet_are_solved_together(pad):
    # One body on two pads side by side through a weld: each carries half, also in the impact.
    text = f"""<mujoco><option timestep="0.001" gravity="0 0 -{G}"/><worldbody>
<body name="top" pos="0 0 {HEIGHT + 0.001}"><freejoint/>
<geom type="box" size=".1 .05 .02" pos="0 0 .2" mass="10" contype="0" conaffinity="0"/>
<body name="left" pos="0 .2 0"><geom type="box" size=".1 .05 .01" pos="0 0 .01" mass="1"/></body>
<body name="right" pos="0 -.2 0"><geom type="box" size=".1 .05 .01" pos="0 0 .01" mass="1"/></body>
</body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    # welded bodies share a foot's geoms: each sole needs its own
    soles = attach(
        model, data, ["left", "right"], [pad, pad.mirrored()],
        pose=[np.eye(4), np.eye(4)], options=FINE,
    )  # fmt: skip
    for _ in range(40):
        soles.step()
        left, right = soles.forces
        assert left == pytest.approx(right, rel=1e-6, abs=1e-6)
    assert soles.mismatch < 1e-12


def test_a_part_of_a_sole_has_its_own_friction_and_fits(pad):
    """A `Body` is stepped as the sole it was taken from; it must not be bigger than its foot."""
    forces = []
    for part in (pad, Body.of(pad, friction=0.6, eta=0.002)):
        soles = attach(*block(), "block", part, friction=0.6, eta=0.002)
        for _ in range(30):
            soles.step()
        forces.append(soles.wrenches)
    assert forces[0][0, 2] > 50.0 and np.array_equal(*forces)
    wide = Body(points=pad.points * [1.5, 1.0, 1.0], compliance=pad.compliance)
    bad(r"mm\) extends 50.0 mm beyond body 'block'", wide)


def test_contacts_of_the_foot_are_off_and_stay_off(pad):
    model, data = block()
    soles = attach(model, data, "block", pad)
    geom = model.geom("under").id
    assert model.geom_contype[geom] == model.geom_conaffinity[geom] == 0
    data.qpos[2] = 0.0  # deep in the floor, as far as MuJoCo knows
    mujoco.mj_forward(model, data)
    assert data.ncon == 0
    model.geom_contype[geom] = 1
    with pytest.raises(SoleError, match="contype and conaffinity at 0"):
        soles.step()


def bad(match, pad, scene=(), body="block", **more):
    model, data = block(*scene)
    with pytest.raises(SoleError, match=match) as told:
        attach(model, data, body, pad, **more)
    assert "\n" not in str(told.value)
    assert model.geom_contype[model.geom("under").id] == 1  # nothing half done


def test_bad_input_is_refused_in_one_line(pad):
    bad("no body 'blok'; there is block", pad, body="blok")
    bad("world", pad, body="world")
    bad("no geom 'sole'", pad, geoms=["sole"])
    bad("not fixed to body", pad, geoms=["floor"])
    bad("integrator IMPLICIT,", pad, ('integrator="implicit"',))
    bad("integrator DISCRETE,", pad, ('integrator="discrete"',))
    pair = '<contact><pair geom1="under" geom2="floor"/></contact>'
    bad("contact pair of .*floor", pad, ("", pair))
    bad("rigid motion", pad, pose=np.diag([2.0, 1.0, 1.0, 1.0]))
    aside = np.eye(4)
    aside[0, 3] = 0.03
    bad("30.0 mm beyond body 'block'", pad, pose=aside)
    bad("2 bodies and 1 soles", pad, body=["block", "world"])
    big = condense(
        box_mesh(0.3, 0.1, HEIGHT, (3, 2, 1)), [Material(young_modulus=1e6, poisson_ratio=0.4)]
    )
    bad(r"sole \(300.0 x 100.0 mm\) extends 50.0 mm", big)


def test_a_body_without_geoms_needs_a_pose(pad):
    model, data = block("", "", '<body name="bare"><inertial pos="0 0 0" mass="1" '
                        'diaginertia="1 1 1"/><joint axis="0 0 1"/></body>')  # fmt: skip
    with pytest.raises(SoleError, match="give the pose"):
        attach(model, data, "bare", pad)


def test_time_that_jumps_and_another_time_step_are_refused(pad):
    model, data = block()
    soles = attach(model, data, "block", pad)
    for _ in range(3):
        soles.step()
    mujoco.mj_resetData(model, data)
    with pytest.raises(SoleError, match="reset"):
        soles.step()
    soles.reset()
    soles.step()
    model.opt.timestep = 0.002
    with pytest.raises(SoleError, match=r"model is 0\.002 s, that of the soles"):
        soles.step()


def test_a_state_of_another_model_is_refused(pad):
    model, data = block()
    soles = attach(model, data, "block", pad)
    state = soles.save()
    with pytest.raises(SoleError, match="wrenches missing"):
        soles.restore({"engine": state["engine"]})
    with pytest.raises(SoleError, match="same model"):
        soles.restore({**state, "engine": state["engine"][:-1]})


def test_without_mujoco_the_install_line_is_given(pad, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(SoleError, match=r"pip install 'compliant-sole\[mujoco\]'"):
        attach(None, None, "block", pad)


def test_a_urdf_of_ours_walks_into_mujoco(root):
    """Half a second of standing on pads: the same waist and the same forces as in our simulator."""
    sys.path.insert(0, str(Path(root, "benchmarks")))
    from peers.mujoco_robot import in_mujoco

    from robot.gait import Standing
    from robot.walk import Scenario, SoleChoice, assemble_walk

    scenario = Scenario(
        sole=SoleChoice(young=3e6, size=0.04), gait=Standing(), duration=0.05, settle=0.05
    )
    walk = assemble_walk(scenario)
    other = in_mujoco(walk)
    a, b = ([step for step, _ in w.steps()][-1] for w in (walk, other))
    assert b.state.q == pytest.approx(a.state.q, abs=2e-5)
    assert b.wrenches[:, 2].sum() == pytest.approx(a.wrenches[:, 2].sum(), rel=2e-3)
    assert other.simulator.mismatch < 1e-9
