"""Compiled parts of the recorder: rows of steps, one by one and many at once."""

from __future__ import annotations

from typing import NamedTuple

from contact.swept_step import RESIDUAL, STORED, open_sheet
from robot.fused import open_fused
from robot.recorder.step_sums_kernels import add_fused, add_step, add_swept
from robot.simulator import SATURATED, TORQUES
from sole.base.arrays import BoolArray, Bundle, FloatArray
from sole.base.compiled import inner_kernel, kernel


class RowParts(NamedTuple):
    """What a row begins with, in this order: see `robot.recorder.recording_layout`.

    q, v, dv/dt, torques and saturated of the joints, their references (NaN: none), wrenches (B, 6),
    R, p, and the least gap (B,) of every body.
    """

    q: FloatArray
    v: FloatArray
    acceleration: FloatArray
    torques: FloatArray
    saturated: BoolArray
    positions: FloatArray
    velocities: FloatArray
    wrenches: FloatArray
    rotations: FloatArray
    places: FloatArray
    gap: FloatArray


@inner_kernel
def put_numbers(numbers: FloatArray, row: FloatArray, k: int) -> int:
    """Write `numbers` into a row from place k on; return the place behind them."""
    for i in range(len(numbers)):
        row[k + i] = numbers[i]
    return k + len(numbers)


@kernel
def fill_row(parts_tuple: Bundle, numbers: Bundle, own: FloatArray, row: FloatArray) -> None:
    """Write a row: the parts, penetrations max(-gap, 0), the six `numbers`, the rest of `own`."""
    parts = RowParts(*parts_tuple)
    k = put_numbers(parts.q, row, 0)
    k = put_numbers(parts.v, row, k)
    k = put_numbers(parts.acceleration, row, k)
    k = put_numbers(parts.torques, row, k)
    for i in range(len(parts.saturated)):
        row[k + i] = 1.0 if parts.saturated[i] else 0.0
    k += len(parts.saturated)
    k = put_numbers(parts.positions, row, k)
    k = put_numbers(parts.velocities, row, k)
    for b in range(len(parts.gap)):
        for i in range(6):
            row[k + 6 * b + i] = parts.wrenches[b, i]
    k += 6 * len(parts.gap)
    for b in range(len(parts.gap)):
        for i in range(3):
            for j in range(3):
                row[k + 9 * b + 3 * i + j] = parts.rotations[b, i, j]
    k += 9 * len(parts.gap)
    for b in range(len(parts.gap)):
        for i in range(3):
            row[k + 3 * b + i] = parts.places[b, i]
    k += 3 * len(parts.gap)
    for b in range(len(parts.gap)):
        row[k + b] = -min(parts.gap[b], 0.0)
    k += len(parts.gap)
    for i in range(len(numbers)):
        row[k + i] = numbers[i]
    for i in range(len(numbers), len(own)):
        row[k + i] = own[i]


@kernel
def record_step(
    motion: Bundle, dt: float, damping: float, energies: Bundle, nodes: Bundle,
    soles: Bundle, into: Bundle, parts: Bundle, numbers: Bundle, own: FloatArray, row: FloatArray,
) -> None:  # fmt: skip
    """Add a step that is one part, as `add_step`, and write its row, as `fill_row`.

    motion : q before, and a'M a. soles : U and forces.
    """
    given = RowParts(*parts)
    before, square = motion
    U, forces = soles
    add_step(given.q, before, given.torques, square, dt, damping, energies, nodes, U, forces, into)
    fill_row(parts, numbers, own, row)


@kernel
def record_fused(
    motion: Bundle, dt: float, damping: float, sheets: Bundle, slots: int, nodes: Bundle,
    into: Bundle, command: Bundle, since: Bundle, own: FloatArray, row: FloatArray,
) -> None:  # fmt: skip
    """Add a fused step and write its row, as `record_step`.

    motion : q before and after. sheets : what it wrote, `SimStep.buffers`. command :
    positions and velocities. since : time, worst residual of earlier steps, iterations, contacts,
    whether all was solved, whether nodes may slide (counted before).
    """
    before, q = motion
    time, residual, iterations, contacts, solved, slides = since
    n, first = len(command[0]), nodes[0]
    B = len(first) - 1
    robot, soles = open_fused(sheets[0], B, n), open_sheet(sheets[1], first[B], slots, B)
    v, acceleration, torques = robot.motion[0], robot.motion[2], robot.joints[TORQUES]
    e = soles.numbers
    add_fused(before, q, dt, damping, sheets, slots, n, nodes, into)
    parts = (
        q, v, acceleration, torques, robot.joints[SATURATED] > 0.0, command[0], command[1],
        soles.twists[0].reshape(B, 6), robot.R, robot.p, soles.gap,
    )  # fmt: skip
    numbers = time, e[STORED], max(residual, e[RESIDUAL]), iterations, contacts, solved
    if not slides:
        own[len(own) - B :] = 0.0
    fill_row(parts, numbers, own, row)


@kernel
def record_block(
    motion: Bundle, dt: float, damping: float, sheets: Bundle, slots: int, nodes: Bundle,
    into: Bundle, commands: Bundle, contacts: float, slip: Bundle, own: FloatArray,
    rows: FloatArray,
) -> None:  # fmt: skip
    """Add n steps of a block and write their rows, as `record_fused` one after the other.

    motion : q before, and q (n + 1, nq) of which the first is not read. sheets : motion, sticking,
    details and counts of `robot.simulator.BlockArrays`, of these steps. commands : (n, 3, joints),
    and the times (n,). contacts : of a step in which all stick. slip : body, path and sliding of
    `add_slip`.
    """
    before, q = motion
    asked, times = commands
    for k in range(len(rows)):
        found, sweeps = add_swept(sheets, k, slots, nodes[0][-1], dt, slip)
        slides = len(sheets[3]) > 0
        touching = float(found) if slides else contacts
        since = times[k], 0.0, float(sweeps), touching, 1.0, slides
        record_fused(
            (before, q[k + 1]), dt, damping, (sheets[0][k], sheets[1][k]), slots, nodes, into,
            (asked[k, 0], asked[k, 1]), since, own, rows[k],
        )  # fmt: skip
        before = q[k + 1]
