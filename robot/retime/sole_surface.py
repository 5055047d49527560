"""Retiming under the limit surface of the compliant sole instead of a rigid foot's rectangle.

A wrench in the rectangle's cone can be held by *some* vertex forces: weak stability. The forces of
a sole are what its elasticity makes of the wrench. While it sticks, its normal forces are

    p = max(A_n w, 0),      A of `contact.papers.onset.SoleCone`,

and friction at these pressures carries the loads of their limit surface (`contact.margins`): with
the nodes x_i, shares a_i = p_i / sum p, for every motion d = (v_x, v_y, omega) of the tread

    d . (f_x, f_y, tau_z) <= (1 - reserve) f_z sum_i mu a_i |B_i d|,     B_i d slip of node i.

`DIRECTIONS` of them become rows of the retiming. The shares belong to the wrench, which belongs to
the time law: the law is solved anew with the shares of the last one, `ROUNDS` times at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contact.margins import PressureCone
from contact.papers.onset import SoleCone
from robot.gait import BodyPath
from robot.retime.path_coefficients import path_dynamics, phases_of, wrench_in
from robot.retime.retime_choice import ConeChoice, DriveLimits
from robot.retime.retiming import Retiming, solve
from robot.retime.support_cones import PhaseCones, phase_cones
from robot.retime.time_limits import RowMaker
from robot.soles import FeetOnSoles
from sole.base.arrays import FloatArray, IntArray
from sole.base.constants import GRAVITY
from sole.base.errors import SoleError

DIRECTIONS = 200  # of a sphere: neighbours are 0.25 rad apart, rows up to 4 % outside the surface
ROUNDS = 8
SETTLED = 2e-3  # relative change of the duration between rounds
EVERY = 4  # grid points between evaluations of the margin


@dataclass(frozen=True, eq=False, kw_only=True)
class SoleRetiming:
    """A retiming on compliant soles.

    Parameters
    ----------
    retiming : the last time law. durations : of all rounds [s], the first within the rigid cone.
    settled : whether the last two rounds agree to `SETTLED`.
    """

    retiming: Retiming
    durations: tuple[float, ...]
    settled: bool


@dataclass(frozen=True, eq=False)
class TreadFriction:
    """What the friction of one sole can carry under the pressure of a wrench.

    Parameters
    ----------
    cone : forces of the sticking sole per wrench, about the centre of the tread.
    motions : (m, 3) of the tread. slips : (m, K) |B_i d| of its nodes.
    """

    cone: SoleCone
    motions: FloatArray
    slips: FloatArray

    @classmethod
    def of(cls, cone: SoleCone) -> TreadFriction:
        """Return the tread with directions spread over a sphere, scaled by its size."""
        xy = cone.points[:, :2]
        k = np.arange(DIRECTIONS) + 0.5  # Fibonacci's spiral
        z, turn = 1 - 2 * k / DIRECTIONS, np.pi * (1 + 5**0.5) * k
        radius = float(np.sqrt((xy**2).sum(axis=1).mean()))
        flat = np.sqrt(1 - z**2)
        d = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z / radius])
        slip = np.stack(
            [
                d[:, :1] - d[:, 2:] * xy[:, 1],
                d[:, 1:2] + d[:, 2:] * xy[:, 0],
            ]
        )
        return cls(cone, d, np.hypot(*slip))

    def shares(self, wrenches: FloatArray) -> FloatArray:
        """Return the shares (N, K) of the nodes in the pressure of wrenches (N, 6)."""
        p = np.maximum(wrenches @ self.cone.rows[:, 2].T, 0.0)
        return np.asarray(p / np.maximum(p.sum(axis=1, keepdims=True), 1e-300))

    def rows(self, shares: FloatArray, reserve: float) -> FloatArray:
        """Return rows (N, m, 6) whose products with an allowed wrench are <= 0."""
        strength = (1 - reserve) * self.cone.friction * shares @ self.slips.T
        out = np.zeros((*strength.shape, 6))
        out[:, :, [0, 1, 5]] = self.motions
        out[:, :, 2] = -strength
        return out


def retime_on_soles(
    path: BodyPath,
    feet: FeetOnSoles,
    choice: ConeChoice | None = None,
    limits: DriveLimits | None = None,
    *,
    reserve: float = 0.1,
    points: int | None = None,
) -> SoleRetiming:
    """Return the fastest time law under the limit surfaces of compliant soles.

    The rows come on top of the rigid cones, which also bound double support.

    Parameters
    ----------
    choice : the rigid cones; its friction is also that of the soles' surfaces.
    reserve : share of the friction that is left unused.

    Raises
    ------
    SoleError
        The soles are rigid, or no time law meets the constraints.
    """
    if feet.rigid:
        raise SoleError("the limit surface of a sole needs compliant soles, these are rigid")
    choice = ConeChoice() if choice is None else choice
    cones = phase_cones(path, choice, feet.edges)
    maker = RowMaker.of(path.robot, cones, DriveLimits() if limits is None else limits)
    treads = tuple(TreadFriction.of(SoleCone.of(sole, choice.friction)) for sole in feet.soles)
    last = solve(path, maker, points)
    durations = [last.duration]
    for _ in range(ROUNDS):
        rows = _SurfaceRows.of(last, treads, reserve)
        last = solve(path, maker.with_extra(rows, "friction of the sole"), points)
        durations.append(last.duration)
        if abs(durations[-1] / durations[-2] - 1) < SETTLED:
            break
    settled = abs(durations[-1] / durations[-2] - 1) < SETTLED
    return SoleRetiming(retiming=last, durations=tuple(durations), settled=settled)


def surface_margins(
    retiming: Retiming, feet: FeetOnSoles, friction: float
) -> tuple[FloatArray, FloatArray]:
    """Return times (M,) [s] and slip margins (M,) under the soles' own pressure, single support.

    1 - gauge of the load in the limit surface: 0 where the whole foot slips.
    """
    cones, s = retiming.maker.cones, retiming.s[:-1]
    wrench, phases = _wrenches(retiming)
    treads = tuple(TreadFriction.of(SoleCone.of(sole, friction)) for sole in feet.soles)
    times, found = [], []
    for k in range(0, len(s), EVERY):
        side = cones.side(int(phases[k]))
        if side is None:
            continue
        cone = treads[side].cone
        mu = np.full(len(cone.points), friction)
        pressure = treads[side].shares(wrench[k : k + 1])[0]
        held = PressureCone(points=cone.points[:, :2], forces=pressure, friction=mu)
        times.append(retiming.times[k])
        found.append(float(held.margin(wrench[k]).slip))
    return np.array(times), np.array(found)


@dataclass(frozen=True, eq=False)
class _SurfaceRows:
    """Rows of the surfaces at any place, from the shares at the grid of the last time law."""

    cones: PhaseCones
    treads: tuple[TreadFriction, ...]
    s: FloatArray
    shares: tuple[FloatArray, ...]
    reserve: float
    weight: float

    @classmethod
    def of(cls, last: Retiming, treads: tuple[TreadFriction, ...], reserve: float) -> _SurfaceRows:
        wrench, _ = _wrenches(last)
        weight = last.path.robot.mass * GRAVITY
        shares = tuple(tread.shares(wrench) for tread in treads)
        return cls(last.maker.cones, treads, last.s[:-1], shares, reserve, weight)

    def __call__(self, s: FloatArray, phases: IntArray) -> FloatArray:
        out = np.zeros((len(s), DIRECTIONS, 6))
        k = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2)
        part = np.clip((s - self.s[k]) / (self.s[k + 1] - self.s[k]), 0.0, 1.0)[:, None]
        for side, (tread, shares) in enumerate(zip(self.treads, self.shares, strict=True)):
            alone = [self.cones.side(p) == side for p in range(len(self.cones.cones))]
            on = np.array(alone)[phases]
            here = shares[k[on]] + part[on] * (shares[k[on] + 1] - shares[k[on]])
            rows = tread.rows(here, self.reserve)
            out[on] = rows / (-rows[:, :, 2:3] * self.weight)
        return out


def _wrenches(retiming: Retiming) -> tuple[FloatArray, IntArray]:
    """Return the wrenches (N, 6) at the starts of the intervals, and their phases (N,)."""
    cones = retiming.maker.cones
    phases = phases_of(cones.schedule, retiming.s)
    dynamics = path_dynamics(retiming.path, retiming.s[:-1])
    a, b, c = wrench_in(dynamics, phases, cones.frames)
    x = retiming.rate[:-1, None] ** 2
    return a * retiming.u[:, None] + b * x + c, phases
