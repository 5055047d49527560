"""Compiled: ticks of a walk in a row, each one the stabiliser, a fused step and the senses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.solvers import open_run
from contact.swept_step import (
    DONE,
    LOST,
    LookArrays,
    is_due,
    look_ahead,
    look_below,
    open_counts,
    open_details,
    open_sheet,
    step_stuck_soles,
    step_swept_soles,
    wrenches_in,
)
from robot.control import LARGEST_COMMAND, fill_rows, is_within, stabilise_centre
from robot.fused.buffer_senses import sense_sheets
from robot.fused.fused_kernels import FUSED, LIMITED, begin_step, end_step
from robot.fused.fused_sheet import open_fused
from robot.fused.step_block import BlockArrays, SolesAhead
from robot.online import (
    CalmPlan,
    CalmRules,
    CalmState,
    copy_state,
    make_calm_tick,
    no_plan,
    store_state,
)
from robot.simulator import TRIALS, complete_terms, find_terms
from robot.tree import (
    LinkArrays,
    find_centre,
    integrate_motion,
    move_links,
    open_tree,
    sum_motion,
    weigh_links,
)
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray, sealed
from sole.base.compiled import inner_kernel, kernel, packed


class TickClock(NamedTuple):
    """Time at the start, step, theta, period of the controller; ticks of the plan: how long, many.

    `near` [m]: a block ends after a step at whose start one of the first `feet` bodies is in the
    air and nearer to the ground; if `near` is finite, also after a step in which one of them
    touches or leaves the ground. Times in s.
    """

    time: float
    dt: float
    theta: float
    period: float
    tick: float
    ticks: int
    near: float
    feet: int


class BlockControl(NamedTuple):
    """What `stabilise_feet` takes for all ticks of a plan, and the largest command.

    tau (T, nv) and J (T, 2, 6, nv) : feed-forward of every tick, where there is no `calm` plan.
    shared : whether the links of `body` are those of the simulator, moved once for both. calm :
    `CalmPlan`, a plan that goes on tick by tick, with a ring of rows. added (N, 2, n) : to
    positions and velocities of each tick, or (0, 2, n).
    """

    body: Bundle
    tau: FloatArray
    J: FloatArray
    plan: Bundle
    feet: Bundle
    tuning: Bundle
    memory: Bundle
    largest: float
    shared: bool
    calm: Bundle
    added: FloatArray


def no_control(tree: Bundle, sheet: FloatArray) -> BlockControl:
    """Return the bundles of no stabiliser, for blocks whose commands are given."""
    nv, o = len(tree[4]), np.zeros
    plan = o((0, nv + 1)), o((0, nv)), *(o((0, k)) for k in (3, 3, 2, 2)), o((0, 2, 4, 4))
    return BlockControl(
        body=(tree, sheet),
        tau=o((0, nv)),
        J=o((0, 2, 6, nv)),
        plan=tuple(map(sealed, (*plan, o((0, 2), np.bool_)))),
        feet=(o((2, 2, 2)), o((2, 6, 6)), o(2), o((2, 6), np.int64)),
        tuning=(0.0,) * 9,
        memory=(o(2), o((2, 6)), o((2, 2)), o(1), o((2, 6)), o(nv)),
        largest=LARGEST_COMMAND,
        shared=False,
        calm=packed(no_plan(tree)),
        added=o((0, 2, nv - 6)),
    )


@inner_kernel
def find_tick(time: float, tick: float, ticks: int) -> int:
    """Return the row of a plan nearest to a time, as `WalkPlan.row`."""
    k = int(time / tick + 0.5)
    return 0 if k < 0 else min(k, ticks - 1)


@inner_kernel
def follows(positions: FloatArray, asked: FloatArray, fastest: float) -> bool:
    """Take positions (n,) for the last ones `asked`, if none differs by more than `fastest`."""
    for j in range(len(asked)):
        if not abs(positions[j] - asked[j]) <= fastest:
            return False
    asked[:] = positions
    return True


@inner_kernel
def copy_memory(memory: Bundle, kept: Bundle) -> None:
    """Copy the six arrays of a controller's memory."""
    a, b, c, d, e, f = memory
    for mine, other in ((a, kept[0]), (d, kept[3]), (f, kept[5])):
        mine[:] = other
    for mine, other in ((b, kept[1]), (c, kept[2]), (e, kept[4])):
        mine[:] = other


@inner_kernel
def find_touching(forces: FloatArray, body: IntArray, touching: BoolArray) -> None:
    """Write which bodies (B,) bear any of the forces (M, S, 3) of the nodes, `body` (M,) theirs."""
    touching[:] = False
    for i in range(len(body)):
        for s in range(forces.shape[1]):
            f = forces[i, s]
            if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0:
                touching[body[i]] = True


@kernel
def walk_block(
    clock_tuple: Bundle, v: FloatArray, measured: FloatArray, control_tuple: Bundle,
    given: FloatArray, factors: Bundle, robot: Bundle, laws: Bundle, soles: Bundle, look: Bundle,
    senses: Bundle, into_tuple: Bundle,
) -> int:  # fmt: skip
    """Fill a block with steps until one is not fused; return how many were made.

    v (nv,), measured (2, 6) wrenches: at the start. given : commands (N, 3, n) of all steps; (0, 3,
    n): the stabiliser is asked. factors, robot, laws, soles, look : of `StepBlock.arguments`.
    senses : counts, feet and the least force of `sense_sheets`. The memory of the controller is
    that after the last step that was made.
    """
    # Names for what the bundles hold.
    clock, control = TickClock(*clock_tuple), BlockControl(*control_tuple)
    into, start, found = BlockArrays(*into_tuple), SolesAhead(*soles), LookArrays(*look)
    table, stiffness, damping, first = laws
    counts, feet, least = senses
    constants, sheet, ground = start.constants, start.sheet, start.ground
    U, outside, forces, earlier, _ = start.memory
    elastic, status, past, sweeps = start.elastic, start.status, start.past, len(into.counts) > 0
    joints, bodies, M, S = table.shape[1], robot[2][4].shape[0], len(feet[0]), counts[1]
    # Copies of controller and plan: a step that is not made must leave no trace in them.
    m = control.memory
    kept = m[0].copy(), m[1].copy(), m[2].copy(), m[3].copy(), m[4].copy(), m[5].copy()
    calm, nv = CalmPlan(*control.calm), len(v)
    state, numbers = copy_state(calm.state), calm.counts.copy()
    asked, fastest = CalmState(*calm.state).asked, CalmRules(*calm.rules).fastest
    feed = np.empty((1, nv)), np.zeros((1, 2, 6, nv))
    tree, still = LinkArrays(*robot[0][0]), np.zeros(0)
    links, counted = open_tree(robot[1], len(tree.joints)), np.ones(len(tree.joints), np.bool_)
    c, speed = np.empty(3), np.empty(3)
    time, hangs, dt = clock.time, np.zeros(bodies, np.bool_), clock.dt
    # Which feet hang free for the whole run, or bear forces now: a landing ends the block.
    if not sweeps:
        place = open_run(constants[0], constants[1]).place
        for body in range(bodies):
            hangs[body] = place[body] == place[body + 1]
    touched, bears = np.zeros(bodies, np.bool_), np.zeros(bodies, np.bool_)
    watched = sweeps and clock.near > -np.inf
    if watched:
        find_touching(forces, found.body, touched)
    for k in range(len(into.times)):
        # 1. The command, and M, h and the contact frames, of which the stabiliser needs some too.
        if len(given) > 0:
            rows = given[k]
            find_terms(robot[0], into.q[k], v, robot[1], robot[2])
        else:
            copy_memory(kept, control.memory)
            now = find_tick(time, clock.tick, clock.ticks)
            then = find_tick(time + clock.period, clock.tick, clock.ticks)
            tau, J = feed[0][0], feed[1][0]
            if calm.on:
                # The online plan goes on by a tick: its row at the end, and the feed-forward.
                store_state(state, calm.state)
                numbers[:] = calm.counts
                if not make_calm_tick(calm, into.q[k], v, measured, calm.past[k]):
                    store_state(calm.state, state)
                    calm.counts[:] = numbers
                    return k
                then = calm.counts[0] % len(calm.ring[0])
                now = numbers[0] % len(calm.ring[0])
                motion_now = calm.ring[0][then:], calm.ring[1][then:], calm.ring[2][then:]
                fill_rows(calm.feed[0], motion_now, 1, 1, calm.feed[1], feed[0], feed[1])
            else:
                tau, J = control.tau[then], control.J[then]
            q, speeds = into.q[k].copy(), v.copy()
            move_links(tree, into.q[k], v, still, links)
            weigh_links(tree, links)
            if control.shared:
                sum_motion(tree, speeds, links, counted, c, speed)
            else:
                find_centre(LinkArrays(*control.body[0]), q, speeds, control.body[1], c, speed)
            rows = stabilise_centre(
                c, speed, q, measured, now, then, tau, J, control.plan, control.feet,
                control.tuning, control.memory,
            )  # fmt: skip
            complete_terms(robot[0], robot[1], robot[2])
        # Joints that would jump are for the controller in Python. Offsets come on top.
        goes_on = not calm.on or follows(rows[0], asked, fastest)
        if len(given) == 0 and len(control.added) > 0:
            rows[:2] += control.added[k]
        goes_on = goes_on and is_within(rows.ravel(), control.largest)
        # 2. The step up to contact: servos, M' = L'L, S6, free velocity.
        laws_now = (table, stiffness, damping, rows, first)
        robot_now, motion = (robot[0], robot[1], robot[2], True, robot[4]), into.motion[k]
        if goes_on:
            goes_on = begin_step(into.q[k], v, dt, factors, robot_now, laws_now, motion) == FUSED
        done = open_fused(motion, bodies, joints)
        twists = done.twists[0], done.twists[1], done.S6, dt
        # 3. The ground below the nodes.
        if goes_on and sweeps:
            look_below(found, U, outside, done.R, done.p, into.solids[k + 1])
        elif goes_on and len(into.solids) > 0:
            old = open_sheet(sheet, M, S, bodies)
            goes_on = look_ahead(
                (constants[0], constants[1]), look, old.U, old.outside, done.R, done.p,
                into.solids_seen[k], into.solids[k + 1],
            )  # fmt: skip
            ground = (ground[0], found.planes, found.gaps, found.normals)
        # 4. Contact and the motion that follows, again where a drive meets its limit.
        answer, trials = LIMITED, 0
        while goes_on and answer == LIMITED and trials < TRIALS:
            trials += 1
            if sweeps:
                near = (done.R, found.local, found.gaps, found.normals, into.solids[k + 1])
                met = step_swept_soles(
                    start.bodies, start.matrices,
                    (U, outside, forces, earlier, into.solids_seen[k]),
                    (U, elastic, status, found.gaps), found.world, near, twists, start.rules, past,
                    into.sticking[k], into.details[k], into.counts[k],
                )  # fmt: skip
                goes_on = met == DONE
            else:
                met = step_stuck_soles(
                    constants, sheet, done.R, done.p, ground, twists, start.limits,
                    into.sticking[k],
                )  # fmt: skip
                goes_on = met == 0
            if goes_on:
                wrench = wrenches_in(into.sticking[k], bodies)
                answer = end_step(
                    into.q[k], v, dt, clock.theta, factors, robot_now, laws_now, wrench, motion
                )
        goes_on = goes_on and answer == FUSED
        # Another kind of step: undo the tick; the walk makes it in Python.
        if not goes_on:
            if len(given) == 0:
                copy_memory(control.memory, kept)
                store_state(calm.state, state)
                calm.counts[:] = numbers
            return k
        # 5. Command, configuration, senses and time at the end.
        into.commands[k] = rows
        into.q[k + 1] = integrate_motion(robot[0][0], into.q[k], done.motion[1])
        sheet = into.sticking_seen[k]
        v = open_fused(into.motion_seen[k], bodies, joints).motion[0]
        height, tilt = sense_sheets(
            (into.motion_seen[k], sheet), counts, feet, into.q[k + 1], least,
            into.wrenches[k], into.switches[k],
        )  # fmt: skip
        into.postures[k, 0], into.postures[k, 1] = height, tilt
        measured = into.wrenches[k]
        time += dt
        into.times[k] = time
        # 6. A block ends where a foot lands or leaves, or where a run of sticking may begin.
        new = open_sheet(sheet, M, S, bodies)
        for body in range(clock.feet):
            if new.gap[body] < clock.near and hangs[body]:
                return k + 1
        if watched:
            find_touching(new.forces, found.body, bears)
            for body in range(clock.feet):
                lands = not bears[body] and new.gap[body] < clock.near
                if lands or bears[body] != touched[body]:
                    return k + 1
        # 7. The soles where the next step begins.
        if sweeps:
            U, elastic, outside, forces = new.U, new.e, new.outside, new.forces
            earlier = open_details(into.details_seen[k], 0, M, S).last
            after = open_counts(into.counts_seen[k], M, S)
            status, past = after.status, (after.numbers[3], new.numbers[LOST])
            if is_due(past[0]):
                return k + 1
    return len(into.times)
