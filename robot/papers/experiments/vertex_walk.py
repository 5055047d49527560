"""The biped of the penalty paper walks on the vertices of its feet: what each vertex does.

Five steps: four of 0.2 m and one that brings the feet together, 0.35 s on one foot and 0.05 s on
both, the stabiliser at 1 kHz. The paper
prints kp = 500, kv = 250 and epsilon; gait, masses, friction and controller are ours. Time counts
from `BEFORE` before the first foot leaves the ground: then the right foot lands first at 1.15 s,
as in the paper's figure 12.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robot.gait import Walking
from robot.model import load_robot
from robot.papers.experiments.fitted_forces import FittedPenaltyStep
from robot.walk import (
    ContactChoice,
    Scenario,
    SoleChoice,
    Soles,
    Walk,
    assemble_walk,
    material_of,
    prism_mesh,
    replace_values,
)
from sole.base.arrays import BoolArray, FloatArray
from sole.condense import condense

if TYPE_CHECKING:
    from robot.simulator import SimStep

__all__ = ["GAIT", "KP", "KV", "VertexCase", "VertexRecord", "walk_on_vertices"]

KP, KV = 500.0, 250.0  # 1/s^2, 1/s: printed
BEFORE = 0.4  # s
FORWARD, SINGLE, LIFT = 0.2, 0.35, 0.07  # m, s, m
GAIT = Walking(
    steps=4,
    forward=FORWARD,
    single=SINGLE,
    double=0.05,
    lift=LIFT,
    landing_speed=0.05,
    final=0.9,
)
SCENARIO = Scenario(
    robot="rengifo14",
    sole=SoleChoice(thickness=1e-3, density=1.0),  # a sheet without weight: the bare foot
    contact=ContactChoice(kind="penalty", points="corners", kp=KP, kv=KV),
    gait=GAIT,
    dt=2e-4,
    settle=0.1,
)
PAD = {"young": 1e6, "thickness": 0.02, "density": 1100.0, "size": 0.05, "element": "p1"}


@dataclass(frozen=True, kw_only=True)
class VertexCase:
    """One walk.

    Parameters
    ----------
    contact : "penalty"; "rigid": exact on the same vertices; "soft": exact, on a pad of 1 MPa.
    epsilon [m], dt [s], landing : planned speed of landing [m/s]. friction : mu. forward : length
        of a step [m]. single : single support [s]. lift : of the swinging foot [m].
    vertices : of each foot: 4, or 3 with one in the middle of the back edge.
    fitted : whether forces are fitted inside the cones instead of cut; see `fitted_forces`.
    """

    contact: str = "penalty"
    epsilon: float = 0.0
    dt: float = 2e-4
    landing: float = GAIT.landing_speed
    friction: float = SCENARIO.sole.friction
    forward: float = FORWARD
    single: float = SINGLE
    lift: float = LIFT
    vertices: int = 4
    fitted: bool = False

    @property
    def label(self) -> str:
        """What sets it apart, for legends."""
        if self.contact == "penalty":
            return f"penalty, ε = {1e6 * self.epsilon:g} µm"
        return {"rigid": "exact, rigid", "soft": "exact, sole of 1 MPa"}[self.contact]


@dataclass(frozen=True, eq=False, kw_only=True)
class VertexRecord:
    """All steps of a walk; arrays (T, 2, V): left and right foot, vertices as `VERTICES`.

    Parameters
    ----------
    times : (T,) [s]. heights : of the undeformed vertices [m], forces : vertical [N], both at the
        start of a step or as its mean.
    status : of each vertex, see `contact.problem.ContactStatus`; on a sole 0.
    stands : (T, 2) whether the plan has the foot on the ground.
    weight : m g [N]. fell : whether the robot fell; then the record ends there.
    """

    case: VertexCase
    times: FloatArray
    heights: FloatArray
    forces: FloatArray
    status: NDArray[np.int64]
    stands: BoolArray
    weight: float
    fell: bool

    @property
    def bits(self) -> str:
        """A digest of heights and forces: walks that are the same in every bit share it."""
        return hashlib.sha256(self.heights.tobytes() + self.forces.tobytes()).hexdigest()[:16]

    @property
    def alone(self) -> BoolArray:
        """(T, 2) whether the foot is the only one on the ground by the plan."""
        return np.asarray(self.stands & ~self.stands[:, ::-1])


def walk_on_vertices(
    case: VertexCase, tell: Callable[[float], None] = lambda fraction: None
) -> VertexRecord:
    """Walk, and keep height and force of every vertex at every step, to the end or to a fall."""
    walk, corners = _assemble(case)
    heights, forces, status, times = [], [], [], []
    count, fell = round(walk.duration / case.dt), False
    for k, (step, _) in enumerate(walk.steps()):
        height, force, state = _look(step, walk, corners)
        heights.append(height)
        forces.append(force)
        status.append(state)
        times.append(step.state.time)
        fell = walk.fallen(step)
        if k % 100 == 0:
            tell(k / count)
        if fell:
            break
    T = np.array(times)
    model = walk.feet.robot.model
    mass = sum(inertia.mass for inertia in model.inertias)
    return VertexRecord(
        case=case,
        times=T - GAIT.initial + BEFORE,
        heights=np.array(heights),
        forces=np.array(forces),
        status=np.array(status),
        stands=walk.plan.schedule.supports(T),
        weight=float(mass * np.linalg.norm(model.gravity.linear)),
        fell=fell,
    )


def _assemble(case: VertexCase) -> tuple[Walk, list[FloatArray]]:
    """Return the walk and the vertices (V, 3) of each foot in its own axes [m]."""
    scenario = replace_values(
        SCENARIO,
        dt=case.dt,
        sole={"friction": case.friction},
        gait={
            "landing_speed": case.landing,
            "forward": case.forward,
            "single": case.single,
            "lift": case.lift,
        },
        contact={"epsilon": case.epsilon},
    )
    X, Y = load_robot("rengifo14").left.half_size
    flat = np.array([[X, -Y], [X, Y], [-X, Y], [-X, -Y]])
    if case.vertices == 3:
        flat = np.array([[X, -Y], [X, Y], [-X, 0.0]])
    soles: Soles | None = None
    if case.contact == "soft":
        contact = {"kind": "compliant", "points": "nodes"}
        scenario = replace_values(scenario, contact=contact, sole=PAD)
    elif case.contact == "rigid" or case.vertices == 3:
        scenario = replace_values(scenario, contact={"kind": case.contact, "points": "nodes"})
        sheet = prism_mesh(flat, scenario.sole.thickness)
        soles = condense(sheet, material_of(scenario.sole), element="p1"), None
    walk = assemble_walk(scenario, soles=soles)
    simulator = walk.simulator
    if case.fitted and simulator.penalty is not None:
        bodies = [t.body for t in simulator.touching]
        simulator.stepper = FittedPenaltyStep(
            bodies, simulator.ground, simulator.penalty, simulator.options
        )
    low = np.full((len(flat), 1), -walk.feet.thickness)
    return walk, [np.hstack([flat, low])] * 2


def _look(
    step: SimStep, walk: Walk, corners: list[FloatArray]
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Return heights, vertical forces and status (2, V) of the vertices in a step.

    Forces of the nodes of a sole count for the nearest vertex.
    """
    state, start = step.contact.state, step.start
    nodal = np.asarray(state.forces).sum(axis=1)
    heights, forces = np.empty((2, len(corners[0]))), np.zeros((2, len(corners[0])))
    status = np.zeros(heights.shape, np.int64)
    first = 0
    for body, touching in enumerate(walk.feet.touching):
        side, points = int(walk.feet.sides[body]), touching.body.points
        R, own = start.rotations[body], slice(first, first + len(points))
        heights[side] = corners[side] @ R[2] + start.places[body, 2]
        apart = np.linalg.norm(points[:, None, :2] - corners[side][None, :, :2], axis=2)
        nearest = apart.argmin(axis=1)
        np.add.at(forces[side], nearest, nodal[own] @ R[2])
        if len(points) == len(corners[side]):
            status[side, nearest] = np.asarray(state.status)[own].max(axis=1)
        first += len(points)
    return heights, forces, status
