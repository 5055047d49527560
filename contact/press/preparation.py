"""What every press begins with: its path, the checks of load and ground, first touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from contact.ground import Ground, Plane
from contact.press.first_touch import find_first_touch, place_foot
from contact.press.limit_load import check_load
from contact.press.linear_sole import LinearSole
from contact.press.load import PressLoad, RigidMotion, Wrench, divide_load, grows_evenly
from contact.press.press_state import PressSetting, PressState
from sole.base.errors import ConfigError

ROUGHEST = 1e4  # no material has more friction
SMOOTHEST = 1e-9  # less friction counts as zero


@dataclass(frozen=True, eq=False, kw_only=True)
class PressPlan:
    """A press before its first increment.

    Parameters
    ----------
    setting : sole, ground, friction.
    path : the load at the end of every increment.
    whole : the last load of a path that grows evenly, what a refusal is about; else None.
    start : the undeformed sole at first touch.
    """

    setting: PressSetting
    path: tuple[PressLoad, ...]
    whole: PressLoad | None
    start: PressState


def prepare_press(
    sole: LinearSole,
    load: PressLoad | Sequence[PressLoad],
    ground: Ground | None,
    friction: float,
    increments: int,
    check: bool = True,
) -> PressPlan:
    """Return the plan of a press, arguments as of `contact.press.press`.

    Raises
    ------
    ConfigError
        A friction, path, ground or pose that cannot be meant.
    EquilibriumError
        A load that nothing can carry; not without `check`.
    """
    ground = Plane() if ground is None else ground
    path = path_of(load, increments)
    setting = PressSetting(sole=sole, ground=ground, friction=usable_friction(friction))
    check_relief(sole, ground)
    R0, c0 = find_first_touch(sole, ground)
    start = PressState(
        forces=np.zeros((len(setting.node), 3)),
        rotation=R0,
        place=c0,
        start=setting.arms @ R0.T + c0,
    )
    whole = path[-1] if grows_evenly(path) else None
    if check:
        for step in path if whole is None else (whole, *path):
            check_load(setting, step)
            if isinstance(step, RigidMotion):
                rotation, place = place_foot(sole, ground, step.vector)
                check_pose(setting, replace(start, rotation=rotation, place=place))
    return PressPlan(setting=setting, path=path, whole=whole, start=start)


def usable_friction(friction: float) -> float:
    """Return mu, 0 below `SMOOTHEST`; ConfigError if it is negative or over `ROUGHEST`."""
    if not 0 <= friction <= ROUGHEST:
        raise ConfigError(
            f"friction must be finite and not negative, at most {ROUGHEST:g}, got {friction:g}"
        )
    return 0.0 if friction < SMOOTHEST else float(friction)


def check_relief(sole: LinearSole, ground: Ground) -> None:
    """Refuse ground that rises under the sole by more than its length: the units are wrong."""
    arms = sole.points - sole.origin
    heights = ground.height(arms[:, 0], arms[:, 1])
    heights = heights[np.isfinite(heights)]
    rise = float(np.ptp(heights)) if len(heights) else 0.0
    length = float(np.ptp(arms[:, :2], axis=0).max())
    if rise > length:
        raise ConfigError(
            f"the ground rises by {rise:.4g} m under a sole that is {length:.4g} m long: nothing "
            "can stand on that; lengths of a ground are in metres"
        )


def check_pose(setting: PressSetting, state: PressState) -> None:
    """Refuse a pose in which the rigid foot itself would be in the ground."""
    rigid = setting.arms @ state.rotation.T + state.place
    gaps, _ = setting.ground.gaps(rigid, state.start)
    depth, thickness = -float(gaps.min()), setting.sole.thickness
    if depth >= thickness:
        raise ConfigError(
            f"pose: the tread would reach {1e3 * depth:.4g} mm into the ground, but the sole is "
            f"only {1e3 * thickness:.4g} mm thick: the foot itself would be in the ground"
        )


def path_of(load: PressLoad | Sequence[PressLoad], increments: int) -> tuple[PressLoad, ...]:
    """Return the load at the end of every increment; raise ConfigError if both are given."""
    if isinstance(load, Wrench | RigidMotion):
        return divide_load(load, increments)
    if increments != 1:
        raise ConfigError(
            f"increments = {increments} goes with a single load; a path has "
            "one load per increment (contact.press.divide_load)"
        )
    if not load:
        raise ConfigError("a path needs at least one load")
    return tuple(load)
