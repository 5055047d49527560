"""The fastest time law of a path within wrench cones and drive limits, and what holds between.

Rows are those of `time_limits`, where both feet carry also those of `shared_torques`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt

import numpy as np

from robot.gait import BodyPath, WalkPlan, plan_along
from robot.retime.fastest_law import controllable_sets, fastest_squares
from robot.retime.path_coefficients import PathDynamics, path_dynamics, phases_of, wrench_in
from robot.retime.refusals import explain, refuse_unstandable
from robot.retime.retime_choice import ConeChoice, DriveLimits
from robot.retime.shared_torques import STRIDE, SharedTorques
from robot.retime.support_cones import phase_cones
from robot.retime.time_limits import ConstraintRows, RowMaker
from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ConfigError, SoleError

POINTS, PER_SECOND = 800, 300  # grid intervals of a path through postures, and of a plan
ACTIVE = 1e-6  # slack below which a row counts as active, in units of its limit
NEAR = 1e-6  # of the path's length: grid points no closer than this
DENSE = 4  # parts of an interval in the check between grid points
KEPT = -1e-3  # least margin between grid points that counts as inside
FINER, FINEST = 1.2, 8  # reserve in a finer grid, and how much finer than the default it may be
LONGEST = 300.0  # s of a time law
TIGHTENED = 20  # rounds of rows for torques of both feet
SHARED = 1_000_000  # rows of `active` from here on: SHARED + joint, torques of both feet


@dataclass(frozen=True, eq=False, kw_only=True)
class DenseCheck:
    """What holds between the grid points of a retiming.

    Parameters
    ----------
    margin : least margin of the wrench in its cone, 0 on the boundary.
    where : the place in words. facet : how the contact would give way there.
    torque, velocity : largest share of a drive's limit (0 if not limited), and the joint.
    """

    margin: float
    where: str
    facet: str
    torque: float
    torque_joint: str
    velocity: float
    velocity_joint: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Retiming:
    """A time law s(t) of a path: u = s'' is constant between grid points.

    Parameters
    ----------
    path : the path. maker : the rows that hold. s, rate (N + 1,) : grid and s' at it [1/s].
    times : (N + 1,) when the grid points are passed [s]. active : (N,) the active row of every
        interval, numbered as by `RowMaker.rows`, `SHARED` + joint where both feet carry and the
        torque of a joint is active; -1 where a bound on s' is active, -2 where none.
    """

    path: BodyPath
    maker: RowMaker
    s: FloatArray
    rate: FloatArray
    times: FloatArray
    active: FloatArray

    @property
    def duration(self) -> float:
        """Time for the path [s]."""
        return float(self.times[-1])

    @property
    def u(self) -> FloatArray:
        """s'' (N,) of the intervals."""
        return np.asarray(np.diff(self.rate**2) / (2 * np.diff(self.s)))

    @property
    def share_active(self) -> float:
        """Share of intervals with an active constraint, within 1e-6 of its limit."""
        return float((self.active > -2).mean())

    @property
    def limiting(self) -> dict[str, float]:
        """Share of the duration that each constraint limits, by its words, the largest first."""
        phases = phases_of(self.maker.cones.schedule, self.s)
        spent = np.diff(self.times) / self.duration
        found: dict[str, float] = {}
        for row, phase, share in zip(self.active, phases, spent, strict=True):
            word = self.word(int(row), int(phase))
            found[word] = found.get(word, 0.0) + float(share)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def word(self, row: int, phase: int) -> str:
        """Return in words an entry of `active` in a support phase."""
        known = {-2: "nothing", -1: "velocity"}
        if row >= SHARED:
            return f"torque of {self.path.robot.joints[row - SHARED]}"
        return known[row] if row < 0 else self.maker.word(row, phase)

    def time_of(self, s: float) -> float:
        """Return when place s is passed [s]."""
        i = int(np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2))
        x = self.rate[i] ** 2 + 2 * self.u[i] * (s - self.s[i])
        speed = self.rate[i] + np.sqrt(max(x, 0.0))
        return float(self.times[i] + (2 * (s - self.s[i]) / speed if speed > 0 else 0.0))

    def at(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return s, s', s'' at the times (M,) [s]; at rest in the ends outside [0, duration]."""
        inside = (times >= 0) & (times <= self.duration)
        i = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.s) - 2)
        d = np.clip(times, 0.0, self.duration) - self.times[i]
        u = self.u[i]
        s = np.clip(self.s[i] + self.rate[i] * d + u * d**2 / 2, 0.0, self.path.end)
        return s, np.where(inside, self.rate[i] + u * d, 0.0), np.where(inside, u, 0.0)

    def plan(self, dt: float = 1e-3, before: float = 0.0, after: float = 0.0) -> WalkPlan:
        """Return the plan with a tick every `dt`, standing `before` and `after` the path [s].

        Where a path starts or ends at rest; a retimed plan keeps its own ends.
        """
        if min(before, after) < 0 or dt <= 0:
            raise ConfigError(f"times around a path must not be negative, got {before}, {after} s")
        count = int(np.ceil((before + self.duration + after) / dt - 1e-9)) + 1
        times = np.asarray(np.arange(count) * dt, dtype=float)
        whole = float(times[-1])

        def law(s: float) -> float:
            if s <= self.s[0] or s >= self.path.end:
                return 0.0 if s <= self.s[0] else whole
            return before + self.time_of(s)

        return plan_along(self.path, law, times, *self.at(times - before))

    @cached_property
    def check(self) -> DenseCheck:
        """What holds at `DENSE` points of every interval, ends included."""
        share = np.linspace(0.0, 1.0, DENSE + 1)
        d, u = np.diff(self.s), self.u
        s = (self.s[:-1, None] + share * d[:, None]).ravel()
        x = (self.rate[:-1, None] ** 2 + 2 * u[:, None] * share * d[:, None]).ravel()
        phases = np.repeat(phases_of(self.maker.cones.schedule, self.s), DENSE + 1)
        dynamics = path_dynamics(self.path, s, self.maker.sides)
        cones, robot = self.maker.cones, self.path.robot
        a, b, c = wrench_in(dynamics, phases, cones.frames)
        u = np.repeat(u, DENSE + 1)
        wrench = a * u[:, None] + b * x[:, None] + c
        margin, facet = np.empty(len(s)), np.empty(len(s), dtype=int)
        for phase in np.unique(phases):
            on = phases == phase
            margin[on], facet[on] = cones.cones[phase].margin(wrench[on])
        k = int(margin.argmin())
        tau = self._shared_torques(dynamics, u, x)
        for side in self.maker.sides:
            on = np.array([cones.side(p) == side for p in range(len(cones.cones))])[phases]
            ta, tb, tc = dynamics.torque[:, on, side]
            tau[on] = (ta * u[on, None] + tb * x[on, None] + tc) / robot.torque
        speed = dynamics.V[:, 6:] * np.sqrt(np.maximum(x, 0.0))[:, None] / robot.velocity
        worst = [int(np.abs(part).max(axis=0).argmax()) for part in (tau, speed)]
        return DenseCheck(
            margin=float(margin[k]),
            where=self.path.where(float(s[k])),
            facet=cones.cones[int(phases[k])].word(int(facet[k])),
            torque=float(np.abs(tau).max()),
            torque_joint=robot.joints[worst[0]],
            velocity=float(np.abs(speed).max()),
            velocity_joint=robot.joints[worst[1]],
        )

    def _shared_torques(self, dense: PathDynamics, u: FloatArray, x: FloatArray) -> FloatArray:
        """Return shares (N, n) of the limits where both feet carry, at some middles of intervals.

        Only the joint that needs most has an entry.
        """
        phases = phases_of(self.maker.cones.schedule, self.s)
        grid = dense.part(slice(0, 1))
        shared = SharedTorques(self.path, self.maker, grid, phases)
        tau = np.zeros((len(u), len(self.path.robot.joints)))
        tight = np.flatnonzero(self.active >= SHARED)
        for i in np.union1d(shared.intervals[::STRIDE], tight):
            k = int(i) * (DENSE + 1) + DENSE // 2
            least = shared.least_of(dense.part(slice(k, k + 1)), float(u[k]), float(x[k]))
            tau[k, least.joint] = least.share
        return tau


def retime(
    path: BodyPath,
    cone: ConeChoice | None = None,
    limits: DriveLimits | None = None,
    *,
    points: int | None = None,
    edges: FloatArray | None = None,
) -> Retiming:
    """Return the fastest time law of a path within wrench cones and drive limits.

    A path through postures starts and ends at rest, a ready plan with its own speed.

    Parameters
    ----------
    points : number of grid intervals, to which the kinks of the path are added; None: 800, for a
        plan 300 per second, and more if the cones are not kept between them.
    edges : bounds of the treads, as for `robot.gait.GaitOptions`; None: of the feet.

    Raises
    ------
    SoleError
        No time law meets the constraints; the message says where, and which facet or joint.
    """
    cones = phase_cones(path, ConeChoice() if cone is None else cone, edges)
    maker = RowMaker.of(path.robot, cones, DriveLimits() if limits is None else limits)
    return solve(path, maker, points)


def solve(path: BodyPath, maker: RowMaker, points: int | None = None) -> Retiming:
    """Return the fastest time law within the rows of `maker`; arguments as for `retime`."""
    if points is not None:
        if points < 10:
            raise ConfigError(f"retime: points must be at least 10, got {points}")
        return _solve(path, maker, points)
    first = POINTS if path.end_rate == 0 else max(POINTS, ceil(PER_SECOND * path.end))
    found, points = _solve(path, maker, first), first
    while found.check.margin < KEPT and points < FINEST * first:
        finer = FINER * sqrt(found.check.margin / KEPT)  # the error is of second order
        points = min(ceil(points * max(finer, FINER)), FINEST * first)
        found = _solve(path, maker, points)
    return found


def _solve(path: BodyPath, maker: RowMaker, points: int) -> Retiming:
    s = _grid(path, points)
    dynamics = path_dynamics(path, s, maker.sides)
    refuse_unstandable(path, maker, dynamics)
    rows, ends = maker.intervals(dynamics), path.end_rate
    shared = SharedTorques(path, maker, dynamics, phases_of(maker.cones.schedule, s))
    for _ in range(TIGHTENED):
        every = shared.with_rows(rows)
        sets = controllable_sets(s, every, ends)
        if not np.isfinite(sets).all() or not sets[0, 0] - ACTIVE <= ends**2 <= sets[0, 1] + ACTIVE:
            raise SoleError(explain(path, maker, dynamics, sets, shared))
        x = fastest_squares(s, every, sets, ends)
        if not shared.tighten(np.diff(x) / (2 * np.diff(s)), x):
            break
    rate, d = np.sqrt(x), np.diff(s)
    times = np.concatenate([[0.0], np.cumsum(2 * d / (rate[1:] + rate[:-1]))])
    found = Retiming(
        path=path,
        maker=maker,
        s=frozen(s),
        rate=frozen(rate),
        times=frozen(times),
        active=_active(s, rows.a.shape[1], every, x, shared),
    )
    if found.duration > LONGEST:
        raise SoleError(
            f"the fastest time law takes {found.duration:.3g} s, more than {LONGEST:g} s: raise "
            f"the limit of '{next(iter(found.limiting))}'"
        )
    return found


def _grid(path: BodyPath, points: int) -> FloatArray:
    s = np.sort(np.concatenate([np.linspace(0.0, path.end, points + 1), path.kinks]))
    keep = np.append(np.diff(s) > NEAR * path.end, True)
    s = s[keep]
    s[0], s[-1] = 0.0, path.end
    return np.asarray(s)


def _active(
    s: FloatArray, own: int, rows: ConstraintRows, x: FloatArray, shared: SharedTorques
) -> FloatArray:
    """Return the active row of every interval; `own` columns of `rows` are those of the maker."""
    u = np.diff(x) / (2 * np.diff(s))
    values = rows.values(u, x[:-1])
    best = values.argmax(axis=1)
    row = best % (own // 2)
    most = values.max(axis=1)
    for i in np.flatnonzero((best >= own) & (most >= -ACTIVE)):
        row[i] = SHARED + shared.joint(int(i), int(best[i]) - own)
    full = np.abs(x / rows.highest - 1) <= ACTIVE
    bound = np.where(full[1:] | full[:-1], -1, -2)
    return np.where(most >= -ACTIVE, row, bound)
