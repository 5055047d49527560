"""Compiled: one tick of an online plan in which nothing happens.

Feet swing or stand, the foothold adapts, the preview goes on, a posture follows. A tick in which
something else is due is left to `OnlinePlan`: a command, a foot that lifts off, lands or is late,
a new look ahead, a posture out of reach. Then nothing is changed.

A walk on a step of 5 mm runs three times as fast with this at 50 nodes per foot, on gravel at 300
nodes twice (`benchmarks/walk_speed.py --plan online`). The bits are those of `OnlinePlan`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.gait import follow_tasks
from robot.online.adaptation import STEADY, adapt_goal, fallen_way
from robot.online.height import follow_height
from robot.online.memory import RING
from robot.online.rows import REACHED, set_tasks, write_balance
from robot.online.swing_now import stop_foot, swing_foot
from robot.online.thresholds import CONFIRM, EARLY, FREE, LOADED, SURELY
from robot.online.zmp_ahead import preview_step
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel
from sole.base.constants import GRAVITY


class CalmRules(NamedTuple):
    """What stays until something happens.

    Attributes
    ----------
    T : time of a tick [s]. until : when something is due at the latest [s].
    single : whether `foot` swings, from `begun` or anew `swung` to `ends` [s].
    early : whether a contact before that counts. adapt : share of the error of the DCM.
    omega : of the pendulum [1/s]. weight : of the robot [N]. shaken : share of the weight by which
        a foot's own acceleration in units of g may seem loaded. bump : of the swing [m].
    ground : height of the ground under the ZMP [m]. fastest : change of a joint in a tick [rad].
    carrier : link of the standing sole frame.
    """

    T: float
    until: float
    single: bool
    foot: int
    begun: float
    swung: float
    ends: float
    early: bool
    adapt: float
    omega: float
    weight: float
    shaken: float
    bump: float
    ground: float
    fastest: float
    carrier: int


class CalmState(NamedTuple):
    """What changes, fields of `WalkProgress`; `asked` (n,): the last command."""

    foot: FloatArray
    foot_v: FloatArray
    foot_a: FloatArray
    stopped_at: FloatArray
    goal: FloatArray
    goal_rates: FloatArray
    com: FloatArray
    moved: FloatArray
    jerk: FloatArray
    height: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    asked: FloatArray


class CalmCounts(NamedTuple):
    """Places of the counters: row, column of the reference, whether lifted, ticks with load."""

    row: int
    at: int
    lifted: int
    left: int
    right: int


COUNTS = CalmCounts(0, 1, 2, 3, 4)


class CalmPlan(NamedTuple):
    """An online plan for compiled ticks.

    Attributes
    ----------
    on : whether there is one. rules : `CalmRules`. state : `CalmState`, changed in place.
    counts : (5,) `CalmCounts`, changed in place.
    fixed : lift_off, place (4,), window (2,), stopped (2, 2, 4), rise (9,); hold is not needed.
    stands : (4, 4) placement of the standing sole frame on its link. carrying : (2,).
    preview : A, b, height/g, G_i, G_x, G_d, reference of `preview_step`.
    body : `LinkArrays`, `TaskFrames`, thickness (2,), turn of the waist at zero yaw (3, 3), and
        work space of `open_tree`.
    ring : q, v, a, com, com_acceleration, dcm, zmp, feet, supports of `Ring`, written to.
    feed : what `fill_rows` takes: robot and work space.
    past : (N, 6) time, centre of mass and ZMP of every tick that is made.
    """

    on: bool
    rules: Bundle
    state: Bundle
    counts: IntArray
    fixed: Bundle
    stands: FloatArray
    carrying: BoolArray
    preview: Bundle
    body: Bundle
    ring: Bundle
    feed: Bundle
    past: FloatArray


@inner_kernel
def store_state(state_tuple: Bundle, stored_tuple: Bundle) -> None:
    """Copy a `CalmState` from the second to the first."""
    a, b = CalmState(*state_tuple), CalmState(*stored_tuple)
    a.foot[:], a.foot_v[:], a.foot_a[:] = b.foot, b.foot_v, b.foot_a
    a.stopped_at[:], a.goal[:], a.goal_rates[:] = b.stopped_at, b.goal, b.goal_rates
    a.com[:], a.moved[:], a.jerk[:], a.height[:] = b.com, b.moved, b.jerk, b.height
    a.q[:], a.v[:], a.a[:], a.asked[:] = b.q, b.v, b.a, b.asked


@inner_kernel
def copy_state(state_tuple: Bundle) -> Bundle:
    """Return a copy of a `CalmState` as a plain tuple."""
    s = CalmState(*state_tuple)
    return (
        s.foot.copy(), s.foot_v.copy(), s.foot_a.copy(), s.stopped_at.copy(), s.goal.copy(),
        s.goal_rates.copy(), s.com.copy(), s.moved.copy(), s.jerk.copy(), s.height.copy(),
        s.q.copy(), s.v.copy(), s.a.copy(), s.asked.copy(),
    )  # fmt: skip


@inner_kernel
def touches_or_is_due(
    rules: CalmRules, state: CalmState, counts: IntArray, measured: FloatArray, t: float
) -> bool:
    """Count ticks with load; return whether something is due at t [s]."""
    for k in range(2):
        swings = rules.single and k == rules.foot
        more = rules.shaken * abs(state.foot_a[k, 2]) / GRAVITY if swings else 0.0
        loaded = measured[k, 2] / rules.weight > LOADED + more
        counts[COUNTS.left + k] = counts[COUNTS.left + k] + 1 if loaded else 0
    if t >= rules.until - SURELY:
        return True
    if not rules.single:
        return False
    share = (t - rules.begun) / (rules.ends - rules.begun)
    if measured[rules.foot, 2] / rules.weight < FREE and share > 0.1:
        counts[COUNTS.lifted] = 1
    touches = counts[COUNTS.left + rules.foot] * rules.T >= CONFIRM - SURELY
    return touches and counts[COUNTS.lifted] == 1 and rules.early and share > EARLY


@inner_kernel
def move_feet(
    plan: CalmPlan, rules: CalmRules, state: CalmState, q: FloatArray, v: FloatArray, t: float
) -> None:
    """Move the foot in the air, with its goal, and feet that a contact has stopped, to t [s]."""
    lift_off, place, window, stopped, _ = plan.fixed
    if rules.single:
        foot, rates = rules.foot, state.goal_rates
        share = (t - rules.begun) / (rules.ends - rules.begun)
        if rules.adapt > 0.0 and share < STEADY:
            far = np.empty(2)
            fallen_way(
                plan.body[0], plan.body[4], rules.carrier, plan.stands, q, v, rules.omega, far
            )
            adapt_goal(
                foot, place, state.foot[1 - foot], state.com, far, rules.omega, rules.adapt,
                rules.ends - t, rules.T, state.goal, rates,
            )  # fmt: skip
        elif rates.any():
            rates[:] = 0.0
        lasts = rules.ends - rules.swung
        swing_foot(
            (t - rules.swung) / lasts, lasts, lift_off, state.goal, rates, window, rules.bump,
            state.foot[foot], state.foot_v[foot], state.foot_a[foot],
        )  # fmt: skip
    for k in range(2):
        u = t - state.stopped_at[k]
        if u == u and stop_foot(u, stopped[k], state.foot[k], state.foot_v[k], state.foot_a[k]):
            state.stopped_at[k] = np.nan


@inner_kernel
def fill_calm_row(plan: CalmPlan, rules: CalmRules, state: CalmState, row: int) -> bool:
    """Write the row of the ring, as `PostureRows.fill`; return whether it is within reach."""
    tree, frames, thickness, at_zero, links_buffer = plan.body
    q, v, a, com, com_acceleration, dcm, zmp, feet, supports = plan.ring
    places, turns, goal = np.empty((2, 3)), np.empty((2, 3, 3)), np.empty(3)
    waist, rates, wrench = np.empty((3, 3)), np.zeros((2, 18)), np.empty(6)
    set_tasks(
        state.foot, state.foot_v, state.foot_a, state.com, state.height, thickness, at_zero,
        places, turns, goal, waist, rates,
    )  # fmt: skip
    left = follow_tasks(
        tree, frames, (places, turns, goal, waist, rates), rules.T, state.q, state.v, state.a,
        links_buffer, wrench,
    )  # fmt: skip
    if not 0.0 <= left <= REACHED:
        return False
    k = row % RING
    q[k], v[k], a[k] = state.q, state.v, state.a
    supports[k, 0], supports[k, 1] = plan.carrying[0], plan.carrying[1]
    write_balance(
        state.q, wrench, state.com, state.height, rules.ground, places, turns,
        com[k], com_acceleration[k], dcm[k], zmp[k], feet[k],
    )  # fmt: skip
    return True


@inner_kernel
def make_calm_tick(
    plan: CalmPlan, q: FloatArray, v: FloatArray, measured: FloatArray, past: FloatArray
) -> bool:
    """Make the next row of an online plan from q (nq,), v (nv,) and wrenches measured (2, 6).

    Returns False where something is due, with counts and state half changed: who calls restores
    them. past (6,) is filled.
    """
    rules, state, counts = CalmRules(*plan.rules), CalmState(*plan.state), plan.counts
    A, b, arm, G_i, G_x, G_d, reference = plan.preview
    counts[COUNTS.row] += 1
    t = counts[COUNTS.row] * rules.T
    if counts[COUNTS.at] + len(G_d) >= reference.shape[1]:
        return False
    if touches_or_is_due(rules, state, counts, measured, t):
        return False
    move_feet(plan, rules, state, q, v, t)
    # The centre of mass.
    preview_step(
        A, b, arm, G_i, G_x, G_d, reference, counts[COUNTS.at], state.com, state.moved, state.jerk
    )
    counts[COUNTS.at] += 1
    follow_height(plan.fixed[4], t, state.height)
    # The posture.
    if not fill_calm_row(plan, rules, state, counts[COUNTS.row]):
        return False
    k = counts[COUNTS.row] % RING
    past[0] = t
    for i in range(3):
        past[1 + i] = plan.ring[3][k, i]
    past[4], past[5] = plan.ring[6][k, 0], plan.ring[6][k, 1]
    return True
