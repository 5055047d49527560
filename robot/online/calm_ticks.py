"""Ticks of an online plan in which nothing happens, made by compiled code: `calm_kernels`."""

from __future__ import annotations

from math import floor, inf
from typing import NamedTuple

import numpy as np

from robot.online.calm_kernels import CalmPlan, CalmRules, CalmState
from robot.online.memory import RING
from robot.online.online_plan import OnlinePlan
from robot.online.partial import WATCHED
from robot.online.thresholds import SURELY
from sole.base.arrays import Bundle, FloatArray, sealed
from sole.base.compiled import packed


class CalmControl(NamedTuple):
    """What a controller adds: the last command (n,), its fastest change [rad] and `fill_rows`'.

    feed : robot and work space of a `PlanTable`.
    """

    asked: FloatArray
    fastest: float
    feed: Bundle


def calm_plan(plan: OnlinePlan, control: CalmControl, t: float, ticks: int) -> CalmPlan | None:
    """Return the plan for at most so many ticks after t [s]; None: something is due at once."""
    now, line, choice, T = plan.now, plan.timeline, plan.choice, plan.T
    i, soon = line.current, (now.row + 1) * T
    heeds = choice.early and choice.step_over and i not in (now.over_at, now.again_at)
    watches = choice.partial and not now.single and soon < now.landed + WATCHED
    behind = now.row != floor(t / T + 0.5)
    if behind or now.late or now.stale or now.stuck or watches or (now.single and heeds):
        return None
    commands = choice.command[plan.commanded : plan.commanded + 1]
    until = min([inf, *(command.time for command in commands)])
    foot, begun, ends = 0, 0.0, inf
    if not line.over:
        foot, begun = int(line.rows.foot[i]), float(line.rows.start[i])
        ends = float(line.rows.end[i])
        until = min(until, ends if now.single else begun)
    if soon >= until - SURELY:
        return None
    stepping, standing = plan.stepping, plan.stepping.standing()
    stands = 0 if standing is None else standing
    rules = CalmRules(
        T=T,
        until=until,
        single=now.single,
        foot=foot,
        begun=begun,
        swung=now.swung,
        ends=ends,
        early=choice.early,
        adapt=float(choice.adapt),
        omega=stepping.omega,
        weight=plan.weight,
        shaken=float(stepping.below[foot]) if now.single and now.over_at == i else 0.0,
        bump=float(now.bump[0]),
        ground=plan.ground(standing),
        fastest=control.fastest,
        carrier=int(stepping.carriers[stands]),
    )
    place = np.zeros(4) if line.over else line.rows.place[i]
    g, body, ring = plan.gains, plan.rows, plan.ring
    return CalmPlan(
        on=True,
        rules=packed(rules),
        state=(*(getattr(now, name) for name in CalmState._fields[:-1]), control.asked),
        counts=np.array([now.row, now.at, now.lifted, *now.loaded]),
        fixed=(now.lift_off, place, now.window, now.stopped, now.rise),
        stands=stepping.placements[stands],
        carrying=np.array([standing != 1, standing != 0]),
        preview=(g.A, g.b, g.height / g.gravity, g.G_i, g.G_x, g.G_d, now.reference),
        body=body.bundle,
        ring=tuple(getattr(ring, name) for name in ring.NAMES),
        feed=control.feed,
        past=np.empty((ticks, 6)),
    )  # fmt: skip


def take_ticks(plan: OnlinePlan, calm: CalmPlan, ticks: int) -> None:
    """Note that the plan has gone on by so many ticks."""
    now = plan.now
    now.row, now.at, lifted, *loaded = calm.counts.tolist()
    now.lifted, now.loaded = bool(lifted), np.array(loaded)
    plan.note(calm.past[:ticks])


def no_plan(tree: Bundle) -> CalmPlan:
    """Return what stands for a plan where there is none: arrays of the same kinds."""
    o, links, nv = np.zeros, len(tree[0]), len(tree[4])
    kinds = np.int64
    two, rows = o((2, 4)), ((RING, nv + 1), *((RING, nv),) * 2, *((RING, 3),) * 2)
    ring = *(o(shape) for shape in rows), o((RING, 2)), o((RING, 2)), o((RING, 2, 4, 4))
    frames = sealed(o((2, 2), kinds)), sealed(o((2, 2, 4, 4))), sealed(o((2, nv), kinds))
    tasks = o(3, kinds), o((3, 4, 4)), o((3, nv), kinds), o(18, kinds), o(18, kinds)
    work = o(40 * links + 6 * nv)
    rules = CalmRules(
        T=0.0,
        until=0.0,
        single=False,
        foot=0,
        begun=0.0,
        swung=0.0,
        ends=0.0,
        early=False,
        adapt=0.0,
        omega=1.0,
        weight=1.0,
        shaken=0.0,
        bump=0.0,
        ground=0.0,
        fastest=0.0,
        carrier=0,
    )
    state = CalmState(
        foot=two,
        foot_v=two,
        foot_a=two,
        stopped_at=o(2),
        goal=o(4),
        goal_rates=o((2, 2)),
        com=o((3, 2)),
        moved=o((3, 2)),
        jerk=o(2),
        height=o(3),
        q=o(nv + 1),
        v=o(nv),
        a=o(nv),
        asked=o(nv - 6),
    )
    return CalmPlan(
        on=False,
        rules=packed(rules),
        state=packed(state),
        counts=o(5, kinds),
        fixed=(o(4), o(4), o(2), o((2, 2, 4)), o(9)),
        stands=o((4, 4)),
        carrying=o(2, np.bool_),
        preview=(sealed(o((3, 3))), sealed(o(3)), 0.0, 0.0, sealed(o(3)), sealed(o(1)), o((2, 0))),
        body=(tree, tasks, o(2), o((3, 3)), work),
        ring=(*ring, o((RING, 2), np.bool_)),
        feed=((tree, frames), work),
        past=o((0, 6)),
    )  # fmt: skip
