"""A tilted block drops on one condensed pad in MuJoCo, Drake, a loop of Pinocchio, and with us.

python benchmarks/page_tables/other_engines.py PICTURE
"""

from __future__ import annotations

import sys
from math import cos, sin

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Plane
from contact.step import Body
from robot.bridge.soles_in_loop import SolesInLoop
from robot.fused import fast_simulator
from robot.simulator import Command, Servo, Touching
from sole.base.numba_settings import set_up_numba
from sole.condense import CondensedSole, condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

MASS, DT, TILT, HEIGHT = 58.0, 1e-3, 0.02, 0.025  # kg, s, rad, m: the heel lands first
HALF = (0.115, 0.065, 0.1)  # m
INERTIA = [MASS / 3 * (HALF[(k + 1) % 3] ** 2 + HALF[(k + 2) % 3] ** 2) for k in range(3)]
START = np.array([0, 0, HEIGHT, 0, -sin(TILT / 2), 0, cos(TILT / 2)])
Forces = np.ndarray  # (steps,) vertical force on the foot [N]


def block_model():
    """Return Pinocchio's model of the block."""
    import pinocchio as pin

    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "block")
    inertia = pin.Inertia(MASS, np.zeros(3), np.diag(INERTIA))
    model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def in_ours(pad: CondensedSole, steps: int) -> Forces:
    """Drop it in our simulator."""
    import pinocchio as pin

    model, none = block_model(), np.zeros(0)
    frame = pin.Frame("pad", 1, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
    touching = [Touching(name="pad", frame=model.addFrame(frame), body=Body.of(pad))]
    world = fast_simulator(model, touching, Plane(), Servo(kp=none, kd=none, limits=none))
    state, still = world.at(START), Command(positions=none, velocities=none)
    force = np.empty(steps)
    for k in range(steps):
        step = world.step(state, still, DT)
        state, force[k] = step.state, step.wrenches[0, 2]
    return force


def in_pinocchio(pad: CondensedSole, steps: int) -> Forces:
    """Drop it in a plain loop."""
    import pinocchio as pin

    model, joint = block_model(), 1
    data, soles, force = model.createData(), SolesInLoop([pad], DT), np.empty(steps)
    q, v = START.copy(), np.zeros(6)
    for k in range(steps):
        M, h = pin.crba(model, data, q), pin.nonLinearEffects(model, data, q, v)
        pin.forwardKinematics(model, data, q)
        J, pose = np.eye(6), data.oMi[joint].homogeneous
        w = soles.wrenches(M, -h, v, J, [pose])[0]
        v = v + DT * np.linalg.solve(M, w - h)
        q, force[k] = pin.integrate(model, q, DT * v), pose[2, :3] @ w[:3]
    return force


def in_mujoco(pad: CondensedSole, steps: int) -> Forces:
    """Drop it in MuJoCo."""
    import mujoco

    from robot.bridge.mujoco import attach

    size, inertia = (" ".join(map(str, x)) for x in (HALF, INERTIA))
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep="{DT}"/><worldbody>
<body name="block" pos="0 0 {HEIGHT}" quat="{cos(TILT / 2)} 0 {-sin(TILT / 2)} 0"><freejoint/>
<inertial pos="0 0 0" mass="{MASS}" diaginertia="{inertia}"/>
<geom type="box" size="{size}" pos="0 0 {HALF[2]}"/></body></worldbody></mujoco>""")
    soles, force = attach(model, mujoco.MjData(model), "block", pad), np.empty(steps)
    for k in range(steps):
        soles.step()
        force[k] = soles.forces[0]
    return force


def in_drake(pad: CondensedSole, steps: int) -> Forces:
    """Drop it in Drake."""
    import pydrake.all as drake

    from robot.bridge.drake import add_soles

    builder = drake.DiagramBuilder()
    plant = builder.AddSystem(drake.MultibodyPlant(DT))
    unit = drake.UnitInertia(*(i / MASS for i in INERTIA))
    foot = plant.AddRigidBody("foot", drake.SpatialInertia(MASS, np.zeros(3), unit))
    plant.Finalize()
    pose = drake.RigidTransform(drake.RollPitchYaw(0, -TILT, 0), [0, 0, HEIGHT])
    plant.SetDefaultFloatingBaseBodyPose(foot, pose)
    soles, force = add_soles(builder, plant, ["foot"], [pad]), np.empty(steps)
    simulator = drake.Simulator(builder.Build())
    for k in range(steps):  # the port tells what acts in the step that comes
        context = soles.GetMyContextFromRoot(simulator.get_context())
        force[k] = soles.GetOutputPort("wrenches").Eval(context)[2]
        simulator.AdvanceTo((k + 0.5) * DT)
    return force


REFERENCE = "our simulator"
ENGINES = {
    REFERENCE: in_ours,
    "MuJoCo": in_mujoco,
    "Drake": in_drake,
    "a loop of Pinocchio": in_pinocchio,
}


def main(
    engines: tuple[str, ...] = tuple(ENGINES), steps: int = 150, size: float = 0.03
) -> dict[str, Forces]:
    """Return the forces in each engine."""
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    pad = condense(mesh_shape(box(0.23, 0.13, 0.02), size, size), rubber)
    return {name: ENGINES[name](pad, steps) for name in engines}


def draw(forces: dict[str, Forces]) -> Figure:
    """Return one panel for each engine, over the line of our simulator."""
    figure, others = Figure(figsize=(10, 3.2), layout="constrained"), dict(forces)
    ours = others.pop(REFERENCE)
    axes = figure.subplots(1, len(others), sharey=True)
    for ax, (name, force) in zip(np.atleast_1d(axes), others.items(), strict=True):
        t = 1e3 * DT * np.arange(1, len(force) + 1)
        ax.plot(t, ours, color="0.75", lw=4, label=REFERENCE)
        ax.plot(t, force, color="C0", lw=1.2, label=name)
        ax.axhline(MASS * 9.81, color="k", lw=0.6, ls=":", label="weight")
        ax.set(title=name, xlabel="time [ms]")
        ax.legend(loc="upper right", fontsize=8)
    np.atleast_1d(axes)[0].set_ylabel("force on the foot [N]")
    return figure


if __name__ == "__main__":
    set_up_numba()
    draw(main()).savefig(sys.argv[1], dpi=110)
