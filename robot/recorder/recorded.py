"""From the rows of a recorder to a run: all evaluation after the simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from contact.frames import rotation_of_quaternion
from contact.ground import Ground
from robot.recorder.balance_points import (
    center_of_pressure,
    divergent_component,
    roll_pitch_yaw,
    tilt,
    zero_moment_point,
)
from robot.recorder.body_kinematics import (
    RecordedMotion,
    classical_acceleration,
    evaluate_motion,
    quaternions,
)
from robot.run import (
    CHANNELS,
    SOLVED,
    Channel,
    Run,
    Skeleton,
    TreadNodes,
    largest_deformation,
)
from sole.base.arrays import FloatArray
from sole.condense import STRAIN_LIMIT

if TYPE_CHECKING:
    from robot.model import RobotModel
    from robot.simulator import Simulator

MARGIN = 0.4  # m of ground shown around the contact bodies
FINEST, MOST = 0.01, 400  # m between ground heights, and their largest number along an axis


class NodalSnapshot(NamedTuple):
    """The nodes of all bodies in a step.

    Attributes
    ----------
    time : at its end [s].
    forces : (M, S, 3) by slot [N], and where they act: `positions` (M, 3) [m], in the axes of the
        bodies at its start, `rotations` (B, 3, 3) and `places` (B, 3).
    displacements : (M, 3) at its end, relative to the foot [m].
    """

    time: float
    forces: FloatArray
    displacements: FloatArray
    positions: FloatArray
    places: FloatArray
    rotations: FloatArray


class RecordingSource(Protocol):
    """The data of a recording besides its rows: see `robot.recorder.Recorder`."""

    simulator: Simulator
    robot: RobotModel | None
    treads: tuple[TreadNodes, ...]
    dt: float
    every: int
    extras: dict[str, Channel]
    scenario: dict[str, Any]

    def skeleton(self) -> Skeleton:
        """Return the robot's tree with the frames of the contact bodies."""


def derive_run(
    recorder: RecordingSource,
    rows: dict[str, NDArray[Any]],
    frames: Sequence[NodalSnapshot],
    ended: str,
) -> Run:
    """Return the run of recorded `rows`."""
    simulator, treads = recorder.simulator, recorder.treads
    model = simulator.model
    sides = np.array([t.foot for t in treads])
    count = int(sides.max(initial=-1)) + 1
    main = np.array([int(np.flatnonzero(sides == f)[0]) for f in range(count)], dtype=np.int64)
    ids = np.array([simulator.touching[b].frame for b in main], dtype=np.int64)
    # The robot is the tree of its base, plus feet on bushes. All else are objects.
    roots = [model.supports[model.frames[t.frame].parentJoint][1] for t in simulator.touching]
    trees = sorted({1, *(r for r, side in zip(roots, sides, strict=True) if side >= 0)})
    objects = [k for k in range(1, model.njoints) if model.supports[k][1] not in trees]
    motion = evaluate_motion(
        model, ids, rows["q"], rows["v"], rows["acceleration"], trees if objects else (0,)
    )
    series = {name: array for name, array in rows.items() if name not in ("R", "p")}
    if np.isnan(rows["reference"]).all():
        del series["reference"], series["reference_velocity"]
    if not simulator.stepper.certified:
        series = {name: array for name, array in series.items() if name not in SOLVED}
    # The robot's own contacts with the fixed world, without contacts of or with objects.
    outer = np.array(
        [r in trees and t.against is None for r, t in zip(roots, simulator.touching, strict=True)]
    )
    series |= _wrenches(rows, treads, main, outer)
    series |= {"body_position": rows["p"].copy(), "body_rotation": quaternions(rows["R"])}
    R = rotation_of_quaternion(rows["q"][:, 3:7])
    mass = float(sum(model.inertias[k].mass for k in range(1, model.njoints) if k not in objects))
    gravity = float(np.linalg.norm(model.gravity.linear))
    omega = _omega(motion, treads, main, gravity)
    series |= {
        "com": motion.com,
        "com_velocity": motion.com_velocity,
        "dcm": divergent_component(motion.com, motion.com_velocity, omega),
        "waist_position": rows["q"][:, :3].copy(),
        "waist_rpy": roll_pitch_yaw(R),
        "waist_tilt": tilt(R),
        "waist_acceleration": classical_acceleration(R, rows["v"], rows["acceleration"]),
        "foot_position": motion.foot_position,
        "foot_rotation": quaternions(motion.foot_rotation),
        "foot_velocity": motion.foot_velocity,
        "foot_acceleration": motion.foot_acceleration,
        "kinetic": motion.kinetic,
        "potential": motion.potential,
    }
    series["unaccounted"] = unaccounted(series)
    robot = recorder.robot
    count = rows["torque"].shape[1]
    named = model.names[2 : 2 + count] if robot is None else robot.joints
    joints = [str(name) for name in named]
    deformation, _ = largest_deformation(rows["sole_displacement"], treads)
    header = {
        "robot": str(model.name) if robot is None else robot.name,
        "joints": joints,
        "feet": [treads[b].name for b in main],
        "mass": mass,
        "gravity": gravity,
        "omega": omega,
        "dt": recorder.dt,
        "every": recorder.every,
        "ended": ended,
        "tolerance": simulator.options.tolerance,
        "deformation": deformation,
        "deformation_limit": STRAIN_LIMIT,
        "ground": str(simulator.ground),
        "scenario": recorder.scenario,
    }
    return Run(
        series={n: series[n] for n in [*CHANNELS, *recorder.extras] if n in series},
        skeleton=recorder.skeleton(),
        treads=treads,
        header=header,
        frames=snapshot_series(frames),
        extras=recorder.extras,
        ground=heights(simulator.ground, rows["p"]),
    )


def unaccounted(series: Mapping[str, NDArray[Any]]) -> FloatArray:
    """Return energy gained minus work done plus losses so far, from the first row on [J]."""
    energy = series["kinetic"] + series["potential"] + series["elastic"]
    work = series["joint_work"] + series["friction_work"] + series["push_work"]
    work = work + series["stop_work"] + series["outer_work"] + series["bush_work"]
    left = energy - work + series["viscous_loss"] + series["numerical_loss"]
    return np.asarray(left - left[0])


def _wrenches(
    rows: Mapping[str, NDArray[Any]],
    treads: Sequence[TreadNodes],
    main: NDArray[np.int64],
    outer: NDArray[np.bool_],
) -> dict[str, FloatArray]:
    """Return the wrenches of the feet about their origins, CoP and ZMP; axes at the step's start.

    The ZMP is that of the bodies in `outer` (B,).
    """
    w, R, p = rows["body_wrench"], rows["R"], rows["p"]
    world = np.concatenate(
        [np.einsum("tbij,tbj->tbi", R, w[..., :3]), np.einsum("tbij,tbj->tbi", R, w[..., 3:])],
        axis=-1,
    )
    T, F = len(w), len(main)
    of_foot, foot, cop = np.zeros((T, F, 6)), np.empty((T, F, 6)), np.empty((T, F, 2))
    for f, b in enumerate(main):
        for c, tread in enumerate(treads):
            if tread.foot == f:
                arm = p[:, c] - p[:, b]
                of_foot[:, f] += world[:, c]
                of_foot[:, f, 3:] += np.cross(arm, world[:, c, :3])
        own = R[:, b].transpose(0, 2, 1)
        foot[:, f, :3] = np.einsum("tij,tj->ti", own, of_foot[:, f, :3])
        foot[:, f, 3:] = np.einsum("tij,tj->ti", own, of_foot[:, f, 3:])
        cop[:, f] = center_of_pressure(foot[:, f], float(treads[b].origin[2]))
    points = np.empty((T, len(treads), 3))
    for b, tread in enumerate(treads):
        on_tread = np.nan_to_num(center_of_pressure(w[:, b], float(tread.origin[2])))
        depth = np.full((T, 1), tread.origin[2])
        points[:, b] = p[:, b] + np.einsum("tij,tj->ti", R[:, b], np.hstack([on_tread, depth]))
    return {
        "wrench_world": of_foot,
        "wrench_foot": foot,
        "cop": cop,
        "zmp": zero_moment_point(world[:, outer], p[:, outer], points[:, outer]),
    }


def _omega(
    motion: RecordedMotion, treads: Sequence[TreadNodes], main: NDArray[np.int64], gravity: float
) -> float:
    """Return sqrt(g/h) [1/s], h the initial height of the centre of mass over the lower tread."""
    lowest = math.inf
    for f, b in enumerate(main):
        tread = motion.foot_position[0, f] + motion.foot_rotation[0, f] @ treads[b].origin
        lowest = min(lowest, float(tread[2]))
    height = float(motion.com[0, 2]) - (lowest if math.isfinite(lowest) else 0.0)
    return math.sqrt(gravity / height) if height > 0 and gravity > 0 else 1.0


def snapshot_series(frames: Sequence[NodalSnapshot]) -> dict[str, FloatArray]:
    """Return the series of the nodes over the snapshots."""
    if not frames:
        return {}
    return {
        "frame_time": np.array([k.time for k in frames]),
        "frame_position": np.array([k.places for k in frames]),
        "frame_rotation": quaternions(np.array([k.rotations for k in frames])),
        "node_force": np.array([_sum_slots(k.forces) for k in frames]),
        "node_position": np.array([k.positions for k in frames]),
        "node_displacement": np.array([k.displacements for k in frames]),
    }


def _sum_slots(forces: FloatArray) -> FloatArray:
    """Return the sums (M, 3) of (M, S, 3) over the few slots, S additions of whole arrays."""
    total = forces[:, 0].copy()
    for s in range(1, forces.shape[1]):
        total += forces[:, s]
    return total


def heights(ground: Ground, places: FloatArray) -> dict[str, FloatArray]:
    """Return x, y and height of the ground around `places` (..., 3), for pictures."""
    flat = places.reshape(-1, 3)
    flat = flat[np.isfinite(flat).all(axis=1)]
    if not len(flat):
        return {}
    low, high = flat[:, :2].min(axis=0) - MARGIN, flat[:, :2].max(axis=0) + MARGIN
    spacing = max(FINEST, float((high - low).max()) / MOST)
    x, y = (
        spacing * np.arange(np.floor(a / spacing), np.ceil(b / spacing) + 1)
        for a, b in zip(low, high, strict=True)
    )
    X, Y = np.meshgrid(x, y, indexing="ij")
    z = ground.height(X.ravel(), Y.ravel()).reshape(X.shape)
    return {"x": x, "y": y, "height": np.where(np.isfinite(z), z, np.nan)}
