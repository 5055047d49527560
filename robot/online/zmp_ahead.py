"""The ZMP reference of the next seconds, from a timeline that may have just changed.

As `robot.gait.zmp`: in single support the reference rests at the centre of the standing foot, in
double support it moves from where it was to the next standing foot, at first and at last from and
to the middle between the feet. Long double supports wait before they move.

The preview control knows a point mass. The body's ZMP differs from that of the point mass by what
arms and legs do, d = p_body - p_pendulum. `shift_table` takes d from a planned walk, as a function
of the elapsed share of each phase; the reference is p_ref - d (the dynamics filter of
[KajitaEtAl2003]). A step that was not planned takes d of a planned one that resembles it, turned to
its heading and scaled with its length.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from robot.gait import TRANSFER, WalkPlan
from robot.online.timeline import StepRows
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel, kernel

SHARES = 25  # entries of the table in a phase
LONG = 0.8  # s: in a longer double support the ZMP waits first


def shift_table(plan: WalkPlan) -> FloatArray:
    """Return d (S + 1, 2, SHARES, 2) of each step's double and single support [m].

    Axes: forward and left of the step's foothold. Row S, 0 is the standing after the last step.
    """
    schedule = plan.schedule
    steps = schedule.footsteps.steps
    table = np.zeros((len(steps) + 1, 2, SHARES, 2))
    off = plan.zmp - plan.zmp_pendulum
    for k in range(len(schedule.edges) - 1):
        times = np.linspace(schedule.edges[k], schedule.edges[k + 1], SHARES)
        yaw = steps[min(k // 2, len(steps) - 1)].foothold.yaw if steps else 0.0
        x, y = (np.interp(times, plan.times, column) for column in off.T)
        c, s = cos(yaw), sin(yaw)
        table[k // 2, k % 2] = np.stack([c * x + s * y, c * y - s * x], axis=1)
    return table


@kernel
def write_reference(
    t: float, T: float, origin: FloatArray, since: float, single: bool, current: int,
    hold: FloatArray, final: float, rows_tuple: Bundle, table: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    """Fill `out` (2, n) with the reference, less the shift, at t, t + T, ... [m].

    origin (2,) where the reference was at the time `since`, when the last double support began;
    single: whether the foot of step `current` swings now; hold (2, 4) where the treads stand;
    final: standing time after the last step. The bundle is `StepRows`.
    """
    rows = StepRows(*rows_tuple)
    n, k, count = out.shape[1], 0, len(rows.foot)
    holds = hold.copy()
    ax, ay, ta, yaw, like, scale = origin[0], origin[1], since, 0.0, table.shape[0] - 1, 1.0
    for j in range(current, count):
        stands = 1 - rows.foot[j]
        bx, by = holds[stands, 0], holds[stands, 1]
        t0, t1 = rows.start[j], rows.end[j]
        yaw, like, scale = rows.place[j, 3], rows.like[j], rows.scale[j]
        if not (single and j == current):
            begin = t0 - TRANSFER if t0 - ta > LONG else ta
            while k < n and t + k * T < t0 - 1e-9:
                now = t + k * T
                r = _smooth((now - begin) / max(t0 - begin, T))
                dx, dy = _shift(table, like, 0, (now - ta) / max(t0 - ta, T), yaw, scale)
                out[0, k] = ax + r * (bx - ax) - dx
                out[1, k] = ay + r * (by - ay) - dy
                k += 1
        while k < n and t + k * T < t1 - 1e-9:
            dx, dy = _shift(table, like, 1, (t + k * T - t0) / max(t1 - t0, T), yaw, scale)
            out[0, k] = bx - dx
            out[1, k] = by - dy
            k += 1
        holds[rows.foot[j]] = rows.place[j]
        ax, ay, ta = bx, by, t1
    bx, by = (holds[0, 0] + holds[1, 0]) / 2, (holds[0, 1] + holds[1, 1]) / 2
    last = table.shape[0] - 1 if count else -1
    while k < n:
        now = t + k * T
        r = _smooth((now - ta) / TRANSFER)
        dx, dy = _shift(table, last, 0, (now - ta) / max(final, T), yaw, scale)
        out[0, k] = ax + r * (bx - ax) - dx
        out[1, k] = ay + r * (by - ay) - dy
        k += 1


@inner_kernel
def _smooth(s: float) -> float:
    """Return r(s) = 10 s^3 - 15 s^4 + 6 s^5, 0 before and 1 after."""
    s = min(max(s, 0.0), 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0))


@inner_kernel
def _shift(
    table: FloatArray, like: int, phase: int, share: float, yaw: float, scale: float
) -> tuple[float, float]:
    """Return d of a step at a share of its phase, in the world [m]; none without a model."""
    if like < 0:
        return 0.0, 0.0
    s = min(max(share, 0.0), 1.0) * (table.shape[2] - 1)
    i = min(int(s), table.shape[2] - 2)
    w, d = s - i, table[like, phase]
    x = scale * (d[i, 0] + w * (d[i + 1, 0] - d[i, 0]))
    y = d[i, 1] + w * (d[i + 1, 1] - d[i, 1])
    return cos(yaw) * x - sin(yaw) * y, sin(yaw) * x + cos(yaw) * y


@kernel
def preview_step(
    A: FloatArray, b: FloatArray, arm: float, G_i: float, G_x: FloatArray, G_d: FloatArray,
    reference: FloatArray, at: int, state: FloatArray, moved: FloatArray, jerk: FloatArray,
) -> None:  # fmt: skip
    """One tick of the preview control of `robot.gait.zmp_preview`, in the plane.

    reference (2, n) with the present tick at column `at`; state (3, 2) and its last change `moved`
    (3, 2), jerk (2,): changed in place. arm = z_c/g.
    """
    N = len(G_d)
    for i in range(2):
        ref = reference[i, at : at + N + 1]
        s0 = s1 = s2 = s3 = 0.0
        j = 0
        while j + 3 < N:
            s0 += G_d[j] * (ref[j + 1] - ref[j])
            s1 += G_d[j + 1] * (ref[j + 2] - ref[j + 1])
            s2 += G_d[j + 2] * (ref[j + 3] - ref[j + 2])
            s3 += G_d[j + 3] * (ref[j + 4] - ref[j + 3])
            j += 4
        while j < N:
            s0 += G_d[j] * (ref[j + 1] - ref[j])
            j += 1
        e = state[0, i] - arm * state[2, i] - ref[0]
        jerk[i] -= G_i * e + s0 + s1 + s2 + s3
        for m in range(3):
            jerk[i] -= G_x[m] * moved[m, i]
        v, a = state[1, i], state[2, i]
        moved[0, i] = A[0, 1] * v + A[0, 2] * a + b[0] * jerk[i]
        moved[1, i] = A[1, 2] * a + b[1] * jerk[i]
        moved[2, i] = b[2] * jerk[i]
        for m in range(3):
            state[m, i] += moved[m, i]
