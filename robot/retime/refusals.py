"""Why no time law exists: the place, and the facet of the cone or the joint that forbids it."""

from __future__ import annotations

import numpy as np

from robot.gait import BodyPath
from robot.retime.path_coefficients import PathDynamics, phases_of, wrench_in
from robot.retime.shared_torques import SharedTorques
from robot.retime.time_limits import RowMaker
from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import SoleError

HELD = -1e-9  # margin of a posture at rest that is still in its cone


def static_margins(
    maker: RowMaker, dynamics: PathDynamics, phases: IntArray
) -> tuple[FloatArray, list[str]]:
    """Return the margins (N,) at rest and in words how the contact gives way."""
    wrench = wrench_in(dynamics, phases, maker.cones.frames)[2]
    margin, words = np.empty(len(phases)), [""] * len(phases)
    for k, phase in enumerate(phases):
        cone = maker.cones.cones[phase]
        found = cone.margin(wrench[k])
        margin[k], words[k] = float(found.value), cone.word(int(found.facet))
    return margin, words


def refuse_unstandable(path: BodyPath, maker: RowMaker, dynamics: PathDynamics) -> None:
    """Refuse a path at rest at its ends whose ends cannot stand.

    Raises
    ------
    SoleError
        The message names the place and the facet.
    """
    if path.end_rate > 0:
        return
    ends, phases = np.array([0, -1]), phases_of(maker.cones.schedule, dynamics.s)[[0, -1]]
    margin, words = static_margins(maker, dynamics.part(ends), phases)
    if margin.min() < HELD:
        k = int(margin.argmin())
        raise SoleError(_unstandable(path, float(dynamics.s[ends[k]]), float(margin[k]), words[k]))
    joint = _weakest(maker, dynamics.part(ends), phases)
    if joint is not None:
        k, name, torque, limit = joint
        raise SoleError(_too_weak(path, float(dynamics.s[ends[k]]), name, torque, limit))


def explain(
    path: BodyPath,
    maker: RowMaker,
    dynamics: PathDynamics,
    sets: FloatArray,
    shared: SharedTorques,
) -> str:
    """Return why there is no time law; `sets` (N + 1, 2) are the controllable sets."""
    phases = phases_of(maker.cones.schedule, dynamics.s)
    phases = np.append(phases, phases[-1])
    joint = _weakest(maker, dynamics, phases)
    margin, words = static_margins(maker, dynamics, phases)
    if margin.min() < HELD:
        k = int(margin.argmin())
        return _unstandable(path, float(dynamics.s[k]), float(margin[k]), words[k])
    if joint is not None:
        k, name, torque, limit = joint
        return _too_weak(path, float(dynamics.s[k]), name, torque, limit)
    worst = shared.at_rest()
    if worst is not None:
        k, least = worst
        limit = float(maker.robot.torque[least.joint])
        name = maker.robot.joints[least.joint]
        return _too_weak(path, float(dynamics.s[k]), name, least.share * limit, limit)
    empty = np.flatnonzero(~np.isfinite(sets).all(axis=1) | (sets[:, 1] <= 0))
    k = int(empty.max(initial=0))
    row = int(maker.rows(dynamics.part(np.array([k])), phases[[k]]).c.argmax())
    return (
        f"no time law keeps the constraints {path.where(float(dynamics.s[k]))}: nearest is "
        f"'{maker.word(row, int(phases[k]))}'; take a larger area or friction, or a slower plan"
    )


def _weakest(
    maker: RowMaker, dynamics: PathDynamics, phases: IntArray
) -> tuple[int, str, float, float] | None:
    """Return place, joint, torque at rest and limit [N m] of the drive that lacks most."""
    robot, most = maker.robot, 1.0
    found: tuple[int, str, float, float] | None = None
    for side in maker.sides:
        on = np.array([maker.cones.side(p) == side for p in range(len(maker.cones.cones))])[phases]
        if not on.any():
            continue
        tau = dynamics.torque[2, on, side]
        share = np.abs(tau) / robot.torque
        k, j = divmod(int(share.argmax()), share.shape[1])
        if share[k, j] > most:
            most, place = float(share[k, j]), int(np.flatnonzero(on)[k])
            found = place, robot.joints[j], float(tau[k, j]), float(robot.torque[j])
    return found


def _unstandable(path: BodyPath, s: float, margin: float, word: str) -> str:
    return (
        f"the robot cannot stand {path.where(s)}: at rest its wrench is outside the cone by a "
        f"margin of {margin:.3g}, facet '{word}': move the centre of mass, or take a larger area "
        "or friction"
    )


def _too_weak(path: BodyPath, s: float, joint: str, torque: float, limit: float) -> str:
    return (
        f"no timing meets the torque limits: {path.where(s)} joint {joint} needs "
        f"{abs(torque):.3g} N m at rest, its limit is {limit:.3g} N m: change the posture"
    )
