"""A robot of nine kilograms for tests: a trunk and two legs that slide, feet on small pads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from box_mesh import box_mesh

from contact.ground import Ground, Plane
from contact.step import Body, StepOptions
from robot.fused import fast_simulator
from robot.recorder import Recorder
from robot.simulator import Command, RobotState, Servo, SimStep, Simulator, Touching
from sole.condense import CondensedSole, condense
from sole.material import Material

THICKNESS = 0.02
LEG = 0.4  # m from the trunk's origin to the bond plane at q = 0
SPREAD = 0.1  # m from the middle to a foot


@lru_cache
def pad(young: float = 1e6) -> CondensedSole:
    """Return a pad 0.16 x 0.08 x 0.02 m of 15 tread vertices."""
    mesh = box_mesh(0.16, 0.08, THICKNESS, (4, 2, 2))
    return condense(mesh, Material(young_modulus=young, poisson_ratio=0.4), "p1")


@lru_cache
def model():
    """Return trunk (7 kg), a hip that rolls about x, two legs that slide along z (1 kg each)."""
    import pinocchio as pin

    m = pin.Model()
    m.name = "small"
    base = m.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    m.appendBodyToJoint(
        base, pin.Inertia(6.0, np.zeros(3), np.diag([0.1, 0.1, 0.05])), pin.SE3.Identity()
    )
    head = m.addJoint(base, pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0, 0, 0.2])), "neck")
    inertia = pin.Inertia(1.0, np.array([0.0, 0.0, 0.1]), np.diag([0.01, 0.01, 0.01]))
    m.appendBodyToJoint(head, inertia, pin.SE3.Identity())
    for name, y in (("left", SPREAD), ("right", -SPREAD)):
        place = pin.SE3(np.eye(3), np.array([0.0, y, -0.2]))
        leg = m.addJoint(base, pin.JointModelPZ(), place, f"{name}_leg")
        shank = pin.Inertia(1.0, np.array([0.0, 0.0, -0.1]), np.diag([5e-3, 5e-3, 1e-3]))
        m.appendBodyToJoint(leg, shank, pin.SE3.Identity())
        sole = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.2 - LEG]))
        m.addFrame(pin.Frame(f"{name}_sole", leg, 0, sole, pin.FrameType.OP_FRAME))
    hand = pin.SE3(np.eye(3), np.array([0.3, 0.0, 0.0]))
    m.addFrame(pin.Frame("hand", base, 0, hand, pin.FrameType.OP_FRAME))
    m.armature = np.concatenate([np.zeros(6), np.full(3, 0.01)])
    return m


def simulator(
    *, young: float | None = 1e6, ground: Ground | None = None, eta: float = 0.003, **options
) -> Simulator:
    """Return it on flat ground, stiff servos; `young` None: rigid feet."""
    m = model()
    touching = [
        Touching(
            name=name,
            frame=m.getFrameId(f"{name}_sole"),
            body=Body(points=pad().points)
            if young is None
            else Body.of(pad(young), eta=eta, friction=0.7),
        )
        for name in ("left", "right")
    ]
    hand = Body(points=np.array([[0.0, 0.0, 0.0]]), friction=0.5)
    touching.append(Touching(name="hand", frame=m.getFrameId("hand"), body=hand))
    servo = Servo(kp=np.full(3, 5e3), kd=np.full(3, 50.0), limits=np.full(3, 500.0))
    return fast_simulator(m, touching, ground or Plane(), servo, StepOptions(**options))


def start(sim: Simulator, drop: float = 0.01, speed: float = 0.0) -> RobotState:
    """Return it upright, `drop` [m] above the ground, moving forward at `speed` [m/s]."""
    q, v = np.zeros(10), np.zeros(9)
    q[2], q[6], v[0] = LEG + THICKNESS + drop, 1.0, speed
    return sim.at(q, v)


REST = Command(positions=np.zeros(3), velocities=np.zeros(3))


@dataclass
class Fall:
    """A recorded drop."""

    recorder: Recorder
    steps: list[SimStep]


def drop(
    sim: Simulator, count: int, dt: float = 1e-3, *, state: RobotState | None = None, **recorded
) -> Fall:
    """Let it fall for `count` steps."""
    state = start(sim) if state is None else state
    recorder = Recorder(sim, state, dt, soles=(pad(),), **recorded)
    steps = []
    for _ in range(count):
        step = sim.step(state, REST, dt)
        recorder.record(step, REST)
        steps.append(step)
        state = step.state
    return Fall(recorder, steps)
