"""What runs after a change of soles, ground or controller: new parts from those that ran before.

Soles keep their nodes, so U goes on: K_new U is what the new sole makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from contact.ground import Box, CompositeGround, Ground
from robot.control import Controller
from robot.simulator import RobotState, Simulator
from robot.soles import FeetOnSoles
from robot.walk.interventions import SceneChange
from robot.walk.scenario import Scenario
from robot.walk.sole_family import SoleFamily
from sole.base.arrays import FloatArray
from sole.base.errors import ConfigError
from sole.condense import CondensedSole

GAP = 0.005  # m between a new plate and what touches the ground

Parts = tuple[FeetOnSoles, Simulator, Controller]
Rebuild = Callable[[Scenario, FeetOnSoles], Controller]


def parts_after(
    scenario: Scenario,
    done: Sequence[SceneChange],
    before: Parts,
    state: RobotState,
    family: SoleFamily,
    rebuild: Rebuild,
) -> tuple[Parts, RobotState]:
    """Return feet, simulator, controller and state after the last of all changes so far.

    Parameters
    ----------
    scenario : that of the start. done : all changes since. before : the parts before the last one.
    state : the state then. family : the soles for any E and nu. rebuild : makes a controller.

    Raises
    ------
    ConfigError
        It cannot be done.
    """
    now, change, left = scenario, done[-1], None
    for each in done:
        now = changed_scenario(now, each)
    if change.young is not None or change.poisson is not None:
        left = family.at(now.sole.young, now.sole.poisson)
    feet, simulator, controller = before
    if left is not None or change.friction is not None:
        feet = with_soles(feet, left, now.sole.friction)
    if feet is not before[0] or change.controller is not None:
        controller = rebuild(now, feet)
        keep_memory(before[2], controller)
    simulator = changed_simulator(simulator, feet, change, state.q)
    return (feet, simulator, controller), carried_state(state, simulator)


def with_soles(feet: FeetOnSoles, left: CondensedSole | None, friction: float) -> FeetOnSoles:
    """Return feet on other soles of the same nodes; left None: the same, with other friction."""
    soles = feet.soles if left is None else (left, left.mirrored())
    touching = []
    for touch, side, nodes in zip(feet.touching, feet.sides.tolist(), feet.nodes, strict=True):
        C = touch.body.compliance
        if left is not None and C is not None:
            rows = (3 * nodes[:, None] + np.arange(3)).ravel()
            C = soles[side].compliance[np.ix_(rows, rows)]
        body = replace(touch.body, compliance=C, friction=friction)
        touching.append(replace(touch, body=body))
    return replace(feet, soles=soles, touching=tuple(touching))


def with_plate(ground: Ground, plate: tuple[float, float, float, float]) -> Ground:
    """Return a ground with a square plate x, y, side, height [m] on it."""
    x, y, side, height = plate
    z = float(ground.height(np.array([x]), np.array([y]))[0])
    box = Box(length=side, width=side, rise=height, x=x, y=y, z=z)
    parts = ground.parts if isinstance(ground, CompositeGround) else (ground,)
    return CompositeGround(parts=(*parts, box))


def changed_scenario(scenario: Scenario, change: SceneChange) -> Scenario:
    """Return the scenario with the soles and the controller that hold after a change."""
    sole, control = scenario.sole, scenario.control
    new = {n: getattr(change, n) for n in ("young", "poisson", "friction")}
    given = {name: value for name, value in new.items() if value is not None}
    kind = control.kind if change.controller is None else change.controller
    yaw = control.yaw if kind == "stabiliser" else "plan"
    return replace(
        scenario, sole=replace(sole, **given), control=replace(control, kind=kind, yaw=yaw)
    )


def changed_simulator(
    simulator: Simulator, feet: FeetOnSoles, change: SceneChange, q: FloatArray
) -> Simulator:
    """Return the simulator after a change, with the soles of `feet`.

    Raises
    ------
    ConfigError
        The plate would be inside a body at the configuration q.
    """
    rest = tuple(simulator.touching)[len(feet.touching) :]
    ground = simulator.ground
    if change.plate is not None:
        _check_free(simulator, change.plate, q)
        ground = with_plate(ground, change.plate)
    return replace(simulator, touching=(*feet.touching, *rest), ground=ground)


def _check_free(
    simulator: Simulator, plate: tuple[float, float, float, float], q: FloatArray
) -> None:
    """Refuse a plate that has a contact point within its square and below its top."""
    x, y, side, height = plate
    _, R, p = simulator.dynamics.frames_at(q)
    for k, touch in enumerate(simulator.touching):
        if touch.against is not None:
            continue
        points = p[k] + touch.body.points @ R[k].T
        near = (np.abs(points[:, :2] - [x, y]) < side / 2 + GAP).all(axis=1)
        if (points[near, 2] < height + GAP).any():
            raise ConfigError(
                f"change: the plate at x = {x:.3g}, y = {y:.3g} m would be inside {touch.name}: "
                "put it elsewhere"
            )


def carried_state(state: RobotState, simulator: Simulator) -> RobotState:
    """Return a state for another simulator of the same nodes: U goes on, e = K U is its own."""
    soles, fresh = state.soles, simulator.stepper.start()
    if soles.status.shape != fresh.status.shape:
        raise ConfigError("change: the nodes of the new ground need other surfaces: restart")
    elastic = np.zeros_like(soles.displacement)
    bodies = simulator.stepper.bodies
    for b, touch in enumerate(simulator.touching):
        C, nodes = touch.body.compliance, bodies.nodes_of(b)
        if C is not None:
            U = soles.displacement[nodes].ravel()
            elastic[nodes] = np.linalg.solve(C, U).reshape(-1, 3)
    return replace(state, soles=replace(soles, elastic=elastic, steady=0, lost=0.0, run=None))


def keep_memory(old: Controller, new: Controller) -> None:
    """Let a controller of the same kind go on with the memory of the old one."""
    pairs = [(old, new)]
    inside = getattr(old, "inner", None), getattr(new, "inner", None)
    if None not in inside:
        pairs.append(inside)  # type: ignore[arg-type]
        new.last = np.array(old.last)  # type: ignore[attr-defined]
    for a, b in pairs:
        if type(a) is type(b) and hasattr(a, "arrays") and hasattr(b, "restore"):
            b.restore(a.arrays())
