"""Shared by the tests of robots: hrp2-like on coarse pads, commands, momentum."""

from __future__ import annotations

from functools import cache
from hashlib import sha256

import numpy as np
from box_mesh import box_mesh

from contact.ground import Plane
from contact.step import StepOptions
from robot.fused import fast_simulator
from robot.gait import Standing
from robot.model import load_robot
from robot.recorder import Recorder
from robot.simulator import Command, Servo, Simulator
from robot.soles import on_soles
from robot.walk import Scenario, SoleChoice, assemble_walk
from robot.walk.scenario_tables import Sensing
from sole.condense import condense
from sole.material import Material

G, DT = 9.81, 1e-3


@cache
def pad(young: float = 3e6):
    """A pad of hrp2-like's outline, 20 mm thick, 7 x 4 tread vertices."""
    rubber = Material(young_modulus=young, poisson_ratio=0.4)
    return condense(box_mesh(0.24, 0.14, 0.02, (6, 3, 1)), [rubber], element="p1")


@cache
def feet(young: float = 3e6, rigid: bool = False, eta: float = 0.0):
    return on_soles(load_robot("hrp2-like"), pad(young), rigid=rigid, eta=eta)


def servo(robot, kp: float = 1e4, kd: float = 200.0, limits=None) -> Servo:
    n = len(robot.joints)
    return Servo(
        kp=np.full(n, kp), kd=np.full(n, kd), limits=robot.torque if limits is None else limits
    )


def simulator(on, ground=None, tolerance: float = 1e-10, **gains) -> Simulator:
    options = StepOptions(tolerance=tolerance)
    return fast_simulator(
        on.robot.model,
        on.touching,
        Plane() if ground is None else ground,
        servo(on.robot, **gains),
        options,
    )


def standing(on, height: float = 0.0):
    """q of the half-sitting posture with the treads `height` above z = 0."""
    q = np.array(on.robot.q0)
    q[2] += on.thickness + height
    return q


def hold(q, n: int) -> Command:
    """Keep the joints where they are in q."""
    return Command(positions=np.array(q[7 : 7 + n]), velocities=np.zeros(n))


def run_of(scenario, controller=None):
    """Run a scenario, with another controller if one is given: the run, and the walk made."""
    made = assemble_walk(scenario)
    if controller is not None:
        made.controller = controller
    recorder = Recorder(made.simulator, made.start, scenario.dt, feet=made.feet)
    for step, command in made.steps():
        recorder.record(step, command)
        if made.fallen(step):
            return recorder.run("the robot fell"), made
    return recorder.run(), made


def noisy_bits(seed: int = 3) -> str:
    """Hash q, v, wrenches and commands of every step of a short stand on noisy sensors."""
    scenario = Scenario(
        sole=SoleChoice(size=0.06, element="p1"),
        gait=Standing(),
        sensing=Sensing(kind="noisy"),
        seed=seed,
        duration=0.1,
        settle=0.05,
    )
    found = sha256()
    for step, command in assemble_walk(scenario).steps():
        for a in (step.state.q, step.state.v, step.contact.wrenches, command.positions):
            found.update(a.tobytes())
    return found.hexdigest()


def momentum_residual(sim, before, step, wrench=(0, 0, 0, 0, 0, 0)):
    """d(momentum)/dt about the centre of mass less weight, contacts, outer `wrench` (6,)."""
    import pinocchio as pin

    model, data = sim.model, sim.model.createData()
    pin.computeCentroidalMomentumTimeVariation(model, data, before.q, before.v, step.acceleration)
    total = np.array(data.dhg.vector) - np.array(wrench, dtype=float)
    total[:3] -= pin.computeTotalMass(model) * model.gravity.linear
    c = data.com[0]
    pin.updateFramePlacements(model, data)
    for body, w in zip(sim.touching, step.wrenches, strict=True):
        if body.against is not None:
            continue  # inside the system
        arm = data.oMf[body.frame].translation - c
        total[:3] -= w[:3]
        total[3:] -= w[3:] + np.cross(arm, w[:3])
    return total
