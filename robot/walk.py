"""From a scenario to a run: assemble robot, soles, plan and controller, then step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from contact.ground import Ground, parse_ground
from contact.penalty import PenaltyLaw
from contact.step import StepOptions
from robot.bush import with_bushes
from robot.contact_points import touching_of
from robot.control.controller import Controller, Sensed
from robot.control.follower import Follower
from robot.control.stabiliser import Stabiliser
from robot.couplings import Coupling
from robot.gait.footsteps import Footsteps, Stance, Timing
from robot.gait.kinematics import stance_of
from robot.gait.plan import GaitOptions, WalkPlan, plan_walk, robot_walk
from robot.gait.swing import Swing
from robot.model import RobotModel, load_robot
from robot.objects import with_boxes
from robot.scenario import Scenario, SoleChoice
from robot.sensing.estimator import Estimator
from robot.sensing.sensors import Sensors, foot_wrenches
from robot.servo import Command, Servo
from robot.simulate import Push, RobotState, SimStep, Simulator
from robot.soles import FeetOnSoles, on_soles
from robot.stops import Stops
from sole.condense import CondensedSole, condense, load_condensed
from sole.material import Material

FALLEN = 0.5  # share of the waist's height


@dataclass(eq=False, kw_only=True)
class Walk:
    """A scenario, ready to run.

    Parameters
    ----------
    scenario : it. feet : robot and soles. simulator, plan, controller : what runs.
    sensors, estimator : None where the controller sees the true state.
    start : the state at t = 0. sensed : what the controller knows then; None: the start.
    """

    scenario: Scenario
    feet: FeetOnSoles
    simulator: Simulator
    plan: WalkPlan
    controller: Controller
    sensors: Sensors | None
    estimator: Estimator | None
    start: RobotState
    sensed: Sensed | None = None

    @property
    def duration(self) -> float:
        """Of the run [s]."""
        given = self.scenario.duration
        return self.plan.end if given is None else given

    def steps(self) -> Iterator[tuple[SimStep, Command]]:
        """Run it: yield every step of the simulator and the command it obeyed."""
        yield from self._run(self.start, round(self.duration / self.scenario.dt))

    def settle(self, seconds: float) -> None:
        """Stand for some time before t = 0, so that soles and servos carry the weight."""
        s = self.scenario
        count = s.every * round(seconds / s.control.period)
        state = replace(self.start, time=-count * s.dt)
        for step, _ in self._run(state, count):
            state = step.state
        self.start = replace(state, time=0.0)

    def _run(self, state: RobotState, count: int) -> Iterator[tuple[SimStep, Command]]:
        s, m = self.scenario, self.feet.robot.model
        if self.sensed is None:
            self.sensed = Sensed(q=state.q[: m.nq], v=state.v[: m.nv], wrenches=np.zeros((2, 6)))
        for k in range(count):
            if k % s.every == 0:
                command = self.controller.update(self.sensed, state.time)
            step = self.simulator.step(state, command, s.dt, self._pushes(state.time))
            state = step.state
            if (k + 1) % s.every == 0:
                self.sensed = self._sensed(robots_part(step, self.feet))
            yield step, command

    def fallen(self, step: SimStep) -> bool:
        """Return whether the waist is below half its height at the start: nothing more to see."""
        return bool(step.state.q[2] < FALLEN * self.start.q[2])

    def _sensed(self, step: SimStep) -> Sensed:
        if self.sensors is None or self.estimator is None:
            return Sensed(q=step.state.q, v=step.state.v, wrenches=foot_wrenches(self.feet, step))
        return self.estimator.update(self.sensors.read(step))

    def _pushes(self, t: float) -> tuple[Push, ...]:
        waist = self.feet.robot.waist
        return tuple(
            Push(frame=waist, wrench=np.array([*p.force, 0.0, 0.0, 0.0]))
            for p in self.scenario.push
            if p.start <= t + 1e-9 < p.start + p.duration
        )


def robots_part(step: SimStep, feet: FeetOnSoles) -> SimStep:
    """Return a step without bushes and objects, and with the wrenches of the feet alone."""
    m, B = feet.robot.model, len(feet.touching)
    if len(step.state.q) == m.nq and len(step.contact.wrenches) == B:
        return step
    return replace(
        step,
        state=replace(step.state, q=step.state.q[: m.nq], v=step.state.v[: m.nv]),
        contact=replace(step.contact, wrenches=step.contact.wrenches[:B]),
        acceleration=step.acceleration[: m.nv],
    )


def assemble(scenario: Scenario, folder: Path | None = None) -> Walk:
    """Make everything a scenario names, and let it settle; its files are looked for in `folder`.

    Raises
    ------
    SoleError
        Anything that does not fit together, by name.
    """
    s, folder = scenario, Path() if folder is None else folder
    robot = load_robot(s.robot)
    feet = on_soles(
        robot,
        *soles_of(s.sole, robot, folder),
        rigid=s.sole.rigid or s.contact.kind != "compliant",
        eta=s.sole.eta,
        friction=s.sole.friction,
    )
    plan = planned(s, feet)
    n = len(robot.joints)
    servo = Servo(kp=np.full(n, s.control.kp), kd=np.full(n, s.control.kd), limits=robot.torque)
    options = StepOptions(theta=s.theta, tolerance=s.tolerance, seed=s.seed)
    c, law = s.contact, None
    if c.kind == "penalty":
        law = PenaltyLaw(c.kp, c.kv, s.sole.friction, c.epsilon)
    q, model = plan.at(0.0).q, feet.robot.model
    couplings: tuple[Coupling, ...] = ()
    below = np.zeros(0)
    if s.bush is not None:
        bushed = with_bushes(feet, robot.model, s.bush)
        model, couplings, below = bushed.model, bushed.couplings, bushed.places(q)
    scenery = with_boxes(model, s.box)
    points = (touching_of(touch, robot, s.box, scenery) for touch in s.touch)
    touching = (*feet.touching, *scenery.touching, *points)
    stops = None
    if s.stops.on:
        stops = Stops(
            lower=robot.lower,
            upper=robot.upper,
            stiffness=s.stops.stiffness,
            damping=s.stops.damping,
        )
    simulator = Simulator(
        scenery.model,
        touching,
        ground_of(s, folder),
        servo,
        options,
        stops=stops,
        couplings=couplings,
        penalty=law,
    )
    controller: Controller = Follower(plan, s.control.period)
    if s.control.kind == "stabiliser":
        controller = Stabiliser(
            feet.robot,
            plan,
            stiffness=feet.stiffness,
            thickness=feet.thickness,
            period=s.control.period,
        )
    noisy = s.sensing.kind == "noisy"
    made = Walk(
        scenario=s,
        feet=feet,
        simulator=simulator,
        plan=plan,
        controller=controller,
        sensors=Sensors(feet, s.sensing.noise, s.seed, s.control.period) if noisy else None,
        estimator=Estimator(feet.robot, q, s.control.period) if noisy else None,
        start=simulator.at(np.concatenate([q, below, scenery.places])),
    )
    made.settle(s.settle)
    return made


def planned(scenario: Scenario, feet: FeetOnSoles) -> WalkPlan:
    """Plan the gait of a scenario for a robot on its soles."""
    g, robot = scenario.gait, feet.robot
    timing = Timing(single=g.single, double=g.double, initial=g.initial, final=g.final)
    options = GaitOptions(dt=scenario.control.period, swing=Swing(lift=g.lift))
    if g.kind == "stand":
        footsteps = Footsteps(stance=stance_of(robot), steps=(), final=g.initial + g.final)
    else:
        numbers: dict[str, object] = {"sideways": g.sideways, "turn": np.deg2rad(g.turn)}
        if g.width is not None:
            numbers["stance"] = Stance.parallel(g.width)
        footsteps = robot_walk(robot, g.steps, g.forward, rise=g.rise, timing=timing, **numbers)
    return plan_walk(robot, footsteps, options, sole_thickness=feet.thickness)


def soles_of(
    choice: SoleChoice, robot: RobotModel, folder: Path
) -> tuple[CondensedSole, CondensedSole | None]:
    """Return the left sole and, where it is not its mirror image, the right one."""
    if choice.file is not None:
        right = None if choice.right_file is None else load_condensed(folder / choice.right_file)
        return load_condensed(folder / choice.file), right
    from sole.meshing import mesh_shape

    mesh = mesh_shape(robot.left.shape(choice.thickness), choice.size, choice.size)
    material = Material(
        young_modulus=choice.young, poisson_ratio=choice.poisson, density=choice.density
    )
    return condense(mesh, material, element=choice.element), None


def ground_of(scenario: Scenario, folder: Path) -> Ground:
    """Return the ground; a file is looked for in `folder`."""
    text = scenario.ground
    return parse_ground(str(folder / text) if text.endswith(".toml") else text)
