"""Loads without equilibrium: found before or after the solve, and refused with their limit.

The limit load is the largest part of a load that still has a state of rest, by bisection. A limit
of shear through the CoP of a plane is exact. One of yaw is not: it is found to `ACCURACY`, and
another order of the load (--increments) leads to other pressures, some 0.3 % apart on soft soles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from contact.ground import Plane
from contact.press.increment import Increment, IncrementControl, PressOptions, solve_increment
from contact.press.load import PressLoad, Wrench
from contact.press.press_state import PressSetting, PressState
from sole.base.arrays import FloatArray
from sole.base.errors import EquilibriumError

ACCURACY = 5e-4  # of a limit, relative
RESTS = 1e-5  # residual and imbalance of a load that is held; less where friction is below 0.01
INSIDE = 3.0  # rad < pi: a point is inside a hull if no gap between directions to it is wider
LEAST_FORCE = 1e-6  # [N]; a smaller force does not press


@dataclass(eq=False, kw_only=True)
class LimitSearch:
    """A search along `load` (lam -> wrench (6,)); each try starts from the last state of rest.

    `tell` is called with the residuals of every try.
    `ran_away`: in some try the foot ran away. If in none, the value found is where the solver
    stalls, not a limit.
    """

    setting: PressSetting
    state: PressState
    load: Callable[[float], FloatArray]
    options: PressOptions
    tell: Callable[[float], None] | None = None
    ran_away: bool = False

    def rests(self, lam: float) -> bool:
        """Return whether a state of rest is found under load(lam)."""
        rests = RESTS * (min(1.0, 100 * self.setting.friction) or 1.0)
        quick = PressOptions(tolerance=rests / 10, max_outer=60, seed=self.options.seed)
        control = IncrementControl(wrench=self.load(lam), free=self.setting.free)
        done = solve_increment(self.setting, self.state, control, quick, self.tell)
        held = not done.ran_away and done.error <= rests
        if held:
            self.state = done.view.state
        self.ran_away |= bool(done.ran_away)
        return held

    def largest(self, guess: float = 0.5) -> float | None:
        """Return the largest lam in [0, 1] that rests, None if 0 does not.

        A `guess` near the limit saves tries; a wrong one costs two.
        """
        if not self.rests(0.0):
            return None
        low, high = 0.0, 1.0
        for trial in (guess * (1 - ACCURACY / 2), guess * (1 + ACCURACY / 2)):
            if low < trial < high:
                low, high = (trial, high) if self.rests(trial) else (low, trial)
        while high - low > ACCURACY * high and high > 1e-9:
            middle = (low + high) / 2
            low, high = (middle, high) if self.rests(middle) else (low, middle)
        return 1.0 if high == 1.0 and self.rests(1.0) else low


def sliding_guess(
    setting: PressSetting,
    state: PressState,
    held: FloatArray,
    direction: FloatArray,
    options: PressOptions,
    tell: Callable[[float], None] | None = None,
) -> float:
    """Return about the largest lam for which `held` + lam `direction` rests.

    The horizontal part of the load is replaced by a work-conjugate motion large enough to make
    the whole sole slide; the load factor that this takes is about the limit. It is not the
    limit where the sole tilts or the foot turns on the way.
    """
    # Ten times the motion of a sticking sole under full load: everything slides.
    stuck = np.linalg.solve(setting.sole.foot_stiffness, direction)
    friction = setting.friction * held[2]
    load = np.hypot(direction[0], direction[1]) + abs(direction[5]) / (setting.length / 2)
    amount = -10 * float(direction @ stuck) * min(1.0, friction / load)
    quick = PressOptions(
        tolerance=1e-5, max_outer=60, max_sweeps=100, seed=options.seed, polish=False
    )
    control = IncrementControl(wrench=held, direction=direction, amount=amount)
    done = solve_increment(setting, state, control, quick, tell)
    usable = done.error < 1e-2 and 0.0 < done.factor < 1.0
    return done.factor if usable else min(0.99, friction / load)


def check_load(setting: PressSetting, load: PressLoad) -> None:
    """Refuse a wrench that no contact forces can balance, whatever the sole's stiffness.

    On a plane, forces that all slide one way give mu N at the CoP. So that is the limit of a shear
    whose line passes through the CoP; of another it is a bound, and the solver finds the limit.

    Raises
    ------
    EquilibriumError
        Tension, a CoP outside the tread, shear and yaw without friction, or shear beyond mu N.
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
    # Shear at points above the tread plane has a moment too, which widens the range of CoPs.
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
    arm = abs(w.tz - (x * w.fy - y * w.fx))  # of the shear about the CoP
    flat = isinstance(setting.ground, Plane) and arm <= 1e-9 * setting.length * shear
    if flat and shear > setting.friction * w.fz:
        _refuse_shear(w, setting.friction * w.fz / shear)


def _outside(points: FloatArray, p: FloatArray) -> float:
    """Distance-like measure of how far `p` is outside the convex hull of `points` (m, 2)."""
    directions = np.sort(np.arctan2(*(points - p).T))
    if np.diff(directions, append=directions[0] + 2 * np.pi).max() < INSIDE:
        return 0.0  # and scipy.spatial is not imported

    from scipy.spatial import ConvexHull

    equations = ConvexHull(points).equations
    return float((equations[:, :2] @ p + equations[:, 2]).max())


def refuse_beyond_limit(
    setting: PressSetting,
    state: PressState,
    load: PressLoad,
    failed: Increment,
    options: PressOptions,
    tell: Callable[[float], None] | None = None,
) -> PressState | None:
    """Raise the reason why `load` has no equilibrium; return if one seems to exist.

    Returns
    -------
    The state of rest under `load`, if growing shear and yaw led to one; accurate to `RESTS`.

    Raises
    ------
    EquilibriumError
        With the limit load.
    """
    if not isinstance(load, Wrench):
        return None
    direction = np.array([load.fx, load.fy, 0.0, 0.0, 0.0, load.tz])
    held = load.vector - direction
    if direction.any():
        search = LimitSearch(
            setting=setting,
            state=state,
            load=lambda lam: held + lam * direction,
            options=options,
            tell=tell,
            ran_away=bool(failed.ran_away),
        )
        limit = search.largest(sliding_guess(setting, state, held, direction, options, tell))
        if limit is not None:
            if search.ran_away:
                _refuse_shear(load, limit)
            return search.state if limit == 1.0 else None
    elif not failed.ran_away:
        return None
    _refuse_cop(setting, state, held, failed, options, tell)
    return None


def _refuse_shear(load: Wrench, limit: float) -> None:
    if limit >= 1.0:
        return
    shear = float(np.hypot(load.fx, load.fy))
    if limit <= 0:
        what = f"shear of {shear:.4g} N" if shear else f"yaw {load.tz:g} N m"
        raise EquilibriumError(f"{what} is beyond friction: the sole hardly rests without it")
    if shear == 0:
        raise EquilibriumError(
            f"yaw {load.tz:g} N m is beyond friction: the sole turns at about "
            f"{limit * abs(load.tz):.4g} N m under this load"
        )
    if load.tz == 0:
        raise EquilibriumError(
            f"shear of {shear:.5g} N is beyond friction: the sole slides at "
            f"{limit * shear:.5g} N under this load"
        )
    raise EquilibriumError(
        f"shear of {shear:.5g} N with yaw {load.tz:.5g} N m is beyond friction: the sole slides "
        f"at {100 * limit:.5g} % of both ({limit * shear:.5g} N, {limit * load.tz:.5g} N m)"
    )


def _refuse_cop(
    setting: PressSetting,
    state: PressState,
    held: FloatArray,
    failed: Increment,
    options: PressOptions,
    tell: Callable[[float], None] | None = None,
) -> None:
    """Name how far from the tread's centre the CoP of `held` (no shear, no yaw) may go."""
    areas = setting.sole.areas
    centre = areas @ setting.arms[:, :2] / areas.sum()
    asked = np.array([-held[4], held[3]]) / held[2] + 0.0  # -0 is written as 0

    def cop(s: float) -> FloatArray:
        return np.asarray((1 - s) * centre + s * asked)

    def load(s: float) -> FloatArray:
        x, y = cop(s)
        return np.array([0.0, 0.0, held[2], y * held[2], -x * held[2], 0.0])

    search = LimitSearch(setting=setting, state=state, load=load, options=options, tell=tell)
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
        raise EquilibriumError(f"{what}; it does not rest at ({x:.4g}, {y:.4g}) m either")
    x, y = _towards(centre, cop(limit))
    raise EquilibriumError(f"{what}; on the way there it rests up to ({x:.4g}, {y:.4g}) m")


def _towards(centre: FloatArray, p: FloatArray) -> FloatArray:
    """Return `p` (2,) in tenths of a millimetre, rounded towards `centre`: a CoP that rests."""
    tenths, middle = np.round(1e4 * p, 5), np.round(1e4 * centre, 5)
    inside = np.where(tenths > middle, np.floor(tenths), np.ceil(tenths))
    return np.asarray(inside / 1e4 + 0.0)
