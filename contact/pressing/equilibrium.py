"""Loads that nothing can hold: found before or after the solver, and named with their limit."""

from __future__ import annotations

import numpy as np

from contact.pressing.increment import Increment, Options
from contact.pressing.limit import Search, sliding_guess
from contact.pressing.load import Load, Wrench
from contact.pressing.state import Setting, State
from sole.arrays import FloatArray
from sole.errors import EquilibriumError

LEAST_FORCE = 1e-6  # [N] what is less does not press


def check_load(setting: Setting, load: Load) -> None:
    """Refuse a wrench that no contact forces can balance, whatever the sole's stiffness.

    Shear and yaw are left to the solver: a sole that tilts takes its cone of friction with it.

    Raises
    ------
    EquilibriumError
        Tension, a CoP outside the tread, or shear and yaw without friction.
    """
    if not isinstance(load, Wrench):
        return
    w = load
    if w.fz <= LEAST_FORCE:
        raise EquilibriumError(
            f"a normal force of {w.fz:g} N does not press: the ground cannot pull, give fz > 0"
        )
    x, y = -w.ty / w.fz, w.tx / w.fz
    arms = setting.arms
    # Shear at points above the tread plane has a moment, too: that much more is possible.
    slack = 1e-9 * setting.length + setting.friction * float(np.ptp(arms[:, 2]))
    if _outside(arms[:, :2], np.array([x, y])) > slack:
        (x0, y0), (x1, y1) = arms[:, :2].min(axis=0), arms[:, :2].max(axis=0)
        raise EquilibriumError(
            f"CoP ({x:.4g}, {y:.4g}) m is outside the tread's convex hull (which "
            f"spans x {x0:.4g} to {x1:.4g}, y {y0:.4g} to {y1:.4g} m): the foot tips over"
        )
    shear = float(np.hypot(w.fx, w.fy))
    if setting.friction == 0 and (shear > 0 or w.tz != 0):
        what = f"shear of {shear:.4g} N" if shear else f"yaw {w.tz:g} N m"
        raise EquilibriumError(f"{what} is beyond friction: without friction nothing holds it")


def _outside(points: FloatArray, p: FloatArray) -> float:
    """Distance-like measure of how far `p` is outside the convex hull of `points` (m, 2)."""
    from scipy.spatial import ConvexHull

    equations = ConvexHull(points).equations
    return float((equations[:, :2] @ p + equations[:, 2]).max())


def explain(
    setting: Setting, state: State, load: Load, failed: Increment, options: Options
) -> None:
    """Raise the reason why `load` has no equilibrium; return if one seems to exist.

    Raises
    ------
    EquilibriumError
        With the limit load.
    """
    if not isinstance(load, Wrench):
        return
    direction = np.array([load.fx, load.fy, 0.0, 0.0, 0.0, load.tz])
    held = load.vector - direction
    if direction.any():
        search = Search(
            setting=setting,
            state=state,
            load=lambda lam: held + lam * direction,
            options=options,
            ran_away=bool(failed.ran_away),
        )
        limit = search.largest(sliding_guess(setting, state, held, direction, options))
        if limit is not None:
            if search.ran_away:
                _refuse_shear(load, limit)
            return
    elif not failed.ran_away:
        return
    _refuse_cop(setting, state, held, failed, options)


def _refuse_shear(load: Wrench, limit: float) -> None:
    if limit >= 1.0:
        return
    shear = float(np.hypot(load.fx, load.fy))
    if limit <= 0:
        what = f"shear of {shear:.4g} N" if shear else f"yaw {load.tz:g} N m"
        raise EquilibriumError(f"{what} is beyond friction: the sole hardly rests without it")
    if shear == 0:
        raise EquilibriumError(
            f"yaw {load.tz:g} N m is beyond friction: the sole turns at "
            f"{limit * abs(load.tz):.4g} N m under this load"
        )
    if load.tz == 0:
        raise EquilibriumError(
            f"shear of {shear:.4g} N is beyond friction: the sole slides at "
            f"{limit * shear:.4g} N under this load"
        )
    raise EquilibriumError(
        f"shear of {shear:.4g} N with yaw {load.tz:g} N m is beyond friction: the sole slides "
        f"at {100 * limit:.3g} % of both ({limit * shear:.4g} N, {limit * load.tz:.4g} N m)"
    )


def _refuse_cop(
    setting: Setting, state: State, held: FloatArray, failed: Increment, options: Options
) -> None:
    """Name how far from the tread's centre the CoP of `held` (no shear, no yaw) may go."""
    areas = setting.sole.areas
    centre = areas @ setting.arms[:, :2] / areas.sum()
    asked = np.array([-held[4], held[3]]) / held[2]

    def cop(s: float) -> FloatArray:
        return np.asarray((1 - s) * centre + s * asked)

    def load(s: float) -> FloatArray:
        x, y = cop(s)
        return np.array([0.0, 0.0, held[2], y * held[2], -x * held[2], 0.0])

    search = Search(setting=setting, state=state, load=load, options=options)
    limit = search.largest(0.95)
    if limit == 1.0 or not (failed.ran_away or search.ran_away):
        return
    x, y = asked
    if failed.ran_away == "tips":
        what = f"the foot tips over with the CoP at ({x:.4g}, {y:.4g}) m on this sole and ground"
    else:
        up, now = state.rotation[:, 2], failed.view.state.rotation[:, 2]
        tilt = float(np.arccos(np.clip(up @ now, -1.0, 1.0)))
        what = (
            f"the foot slides without any shear: with the CoP at ({x:.4g}, {y:.4g}) m the sole "
            f"tilts by {tilt:.2g} rad, friction {setting.friction:g}"
        )
    if limit is None:
        x, y = np.round(centre, 6) + 0.0
        raise EquilibriumError(f"{what}; nor does it rest with the CoP at ({x:.4g}, {y:.4g}) m")
    x, y = np.round(cop(limit), 6) + 0.0
    raise EquilibriumError(f"{what}; towards there it rests up to ({x:.4g}, {y:.4g}) m")
