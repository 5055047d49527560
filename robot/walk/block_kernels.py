"""Compiled: ticks of a walk in a row, each one the stabiliser, a fused step and the senses."""

from __future__ import annotations

from typing import NamedTuple

from robot.control import is_within, stabilise_feet
from robot.sensing import sense_sheets
from robot.simulator import FUSED, open_fused, step_fused
from robot.tree import integrate_motion
from sole.base.arrays import BoolArray, Bundle, FloatArray
from sole.base.compiled import kernel


class TickClock(NamedTuple):
    """Time at the start, step, theta, period of the controller; ticks of the plan: how long, many.

    Times in s.
    """

    time: float
    dt: float
    theta: float
    period: float
    tick: float
    ticks: int


class BlockControl(NamedTuple):
    """What `stabilise_feet` takes for all ticks of a plan, and the largest command.

    tau (T, nv) and J (T, 2, 6, nv) : feed-forward of every tick.
    """

    body: Bundle
    tau: FloatArray
    J: FloatArray
    plan: Bundle
    feet: Bundle
    tuning: Bundle
    memory: Bundle
    largest: float


class BlockArrays(NamedTuple):
    """The arrays of `robot.simulator.StepBlock`; `motion_seen`, `sticking_seen` are its `seen`."""

    motion: FloatArray
    motion_seen: FloatArray
    sticking: FloatArray
    sticking_seen: FloatArray
    q: FloatArray
    times: FloatArray
    commands: FloatArray
    wrenches: FloatArray
    switches: BoolArray
    postures: FloatArray


@kernel
def find_tick(time: float, tick: float, ticks: int) -> int:
    """Return the row of a plan nearest to a time, as `WalkPlan.row`."""
    k = int(time / tick + 0.5)
    return 0 if k < 0 else min(k, ticks - 1)


@kernel
def copy_memory(memory: Bundle, kept: Bundle) -> None:
    """Copy the six arrays of a controller's memory."""
    a, b, c, d, e, f = memory
    for mine, other in ((a, kept[0]), (d, kept[3]), (f, kept[5])):
        mine[:] = other
    for mine, other in ((b, kept[1]), (c, kept[2]), (e, kept[4])):
        mine[:] = other


@kernel(error_model="numpy")
def walk_block(
    clock_tuple: Bundle, v: FloatArray, measured: FloatArray, control_tuple: Bundle,
    factors: Bundle, robot: Bundle, laws: Bundle, soles: Bundle, senses: Bundle, into_tuple: Bundle,
) -> int:  # fmt: skip
    """Fill a block with steps until one is not fused; return how many were made.

    v (nv,), measured (2, 6) wrenches: at the start. factors, robot, laws, soles : of
    `StepBlock.arguments`. senses : counts, feet and the least force of `sense_sheets`. The memory
    of the controller is that after the last step that was made.
    """
    clock, control = TickClock(*clock_tuple), BlockControl(*control_tuple)
    into = BlockArrays(*into_tuple)
    table, stiffness, damping, first = laws
    constants, sheet, ground, limits = soles
    counts, feet, least = senses
    joints, bodies = table.shape[1], robot[2][4].shape[0]
    a, b, c, d, e, f = control.memory
    kept = (a.copy(), b.copy(), c.copy(), d.copy(), e.copy(), f.copy())
    time = clock.time
    for k in range(len(into.times)):
        copy_memory(kept, control.memory)
        now = find_tick(time, clock.tick, clock.ticks)
        then = find_tick(time + clock.period, clock.tick, clock.ticks)
        rows = stabilise_feet(
            into.q[k].copy(), v.copy(), control.body, measured, now, then,
            control.tau[then], control.J[then], control.plan, control.feet, control.tuning,
            control.memory,
        )  # fmt: skip
        answer = -1
        if is_within(rows.ravel(), control.largest):
            answer = step_fused(
                into.q[k], v, clock.dt, clock.theta, factors, robot,
                (table, stiffness, damping, rows, first),
                (constants, sheet, ground, limits, into.sticking[k]), into.motion[k],
            )  # fmt: skip
        if answer != FUSED:
            copy_memory(control.memory, kept)
            return k
        into.commands[k] = rows
        done = open_fused(into.motion[k], bodies, joints)
        into.q[k + 1] = integrate_motion(robot[0][0], into.q[k], done.motion[1])
        sheet = into.sticking_seen[k]
        v = open_fused(into.motion_seen[k], bodies, joints).motion[0]
        height, tilt = sense_sheets(
            (into.motion_seen[k], sheet), counts, feet, into.q[k + 1], least,
            into.wrenches[k], into.switches[k],
        )  # fmt: skip
        into.postures[k, 0], into.postures[k, 1] = height, tilt
        measured = into.wrenches[k]
        time += clock.dt
        into.times[k] = time
    return len(into.times)
