"""Compiled parts of the recorder: work, losses and slip so far, and sums over a body's nodes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.swept_step import RESIDUAL, open_counts, open_details, open_sheet
from robot.fused import open_fused
from robot.recorder.contact_mode_kernels import contact_mode
from robot.simulator import TORQUES
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class Nodes(NamedTuple):
    """All contact nodes: where the bodies begin (B + 1,), rigid fits (6, 3M), areas (M,).

    places (M, 2) in the axes of their bodies [m], corners (B, 8) and slender (B,) of
    `contact_mode_kernels`.
    """

    first: IntArray
    fits: FloatArray
    areas: FloatArray
    places: FloatArray
    corners: IntArray
    slender: FloatArray


class Energies(NamedTuple):
    """Work and losses of contacts, stops, pushes and bushes in a step [J]."""

    friction: float
    push: float
    viscous: float
    numerical: float
    stops: float
    outer: float
    bushes: float


class StepSums(NamedTuple):
    """Arrays to which a step is added or written.

    Running sums (8,); motion (B, 6) of each sole, largest |U| (B,) and pressure (B,) at a node, the
    number of touching nodes (B,) and the contact mode (B,).
    """

    sums: FloatArray
    motion: FloatArray
    largest: FloatArray
    pressure: FloatArray
    touching: FloatArray
    mode: FloatArray


@inner_kernel
def add_fused(
    before: FloatArray, q: FloatArray, dt: float, damping: float, sheets: Bundle, slots: int,
    joints: int, nodes: Bundle, into: Bundle,
) -> float:  # fmt: skip
    """Add a fused step from q before it, as `add_step`; return its residual."""
    first = nodes[0]
    B = len(first) - 1
    robot, soles = open_fused(sheets[0], B, joints), open_sheet(sheets[1], first[B], slots, B)
    e = soles.numbers
    energies = e[0], e[1], e[4], e[5], 0.0, robot.work[0], 0.0
    add_step(
        q, before, robot.joints[TORQUES], robot.work[1], dt, damping, energies, nodes, soles.U,
        soles.forces, into,
    )  # fmt: skip
    return float(e[RESIDUAL])


@inner_kernel
def add_swept(
    sheets: Bundle, k: int, slots: int, nodes: int, dt: float, slip: Bundle
) -> tuple[int, int]:
    """Add the slip of step k of a block, as `add_slip`; return its contacts and sweeps.

    sheets : as in `record_block`; without details all nodes stick, and nothing is added.
    """
    body, path, sliding = slip
    sliding[:] = 0.0
    if len(sheets[3]) == 0:
        return 0, 0
    counts = open_counts(sheets[3][k], nodes, slots)
    K = counts.numbers[0]
    parts = open_details(sheets[2][k], K, nodes, slots)
    add_slip(body, counts.node[:K], parts.u, parts.r, counts.found[:K], dt, path, sliding)
    return K, counts.numbers[1]


@kernel
def add_block(
    motion: Bundle, dt: float, damping: float, sheets: Bundle, slots: int, nodes: Bundle,
    into: Bundle, slip: Bundle,
) -> tuple[float, int]:  # fmt: skip
    """Add n steps of a block, as `add_step`; return their largest residual and all sweeps.

    motion, sheets, slip : as in `record_block`.
    """
    before, q = motion
    joints, worst, total = q.shape[1] - 7, 0.0, 0  # nothing but the robot moves
    for k in range(len(q) - 1):
        _, sweeps = add_swept(sheets, k, slots, nodes[0][-1], dt, slip)
        one = sheets[0][k], sheets[1][k]
        residual = add_fused(before, q[k + 1], dt, damping, one, slots, joints, nodes, into)
        worst, total = max(worst, residual), total + sweeps
        before = q[k + 1]
    return worst, total


@kernel
def add_step(
    q: FloatArray, before: FloatArray, torques: FloatArray, square: float, dt: float,
    damping: float, energies: Bundle, nodes: Bundle, U: FloatArray, forces: FloatArray,
    into: Bundle,
) -> None:  # fmt: skip
    """Add a step to the running sums and evaluate the nodes: U (M, 3), forces (M, S, 3).

    The bundles are `Energies`, `Nodes` and `StepSums`. The drives do the work tau . (q - before).
    The time step loses damping dt^2 a'M a, `square` = a'M a, besides `numerical` in the soles.
    """
    e, out = Energies(*energies), StepSums(*into)
    sums, (first, fits, areas, places, corners, slender) = out.sums, Nodes(*nodes)
    for j in range(len(torques)):
        sums[0] += torques[j] * (q[7 + j] - before[7 + j])
    sums[1] += e.friction
    sums[2] += e.push
    sums[3] += e.viscous
    sums[4] += e.numerical + damping * dt * dt * square
    sums[5] += e.stops
    sums[6] += e.outer
    sums[7] += e.bushes
    for b in range(len(first) - 1):
        low, high = first[b], first[b + 1]
        fit_motion(fits, U, low, high, out.motion[b])
        load = np.empty(high - low)
        far, most, count, total = sum_nodes(U[low:high], forces[low:high], areas[low:high], load)
        out.largest[b] = np.sqrt(far)
        out.pressure[b] = most
        out.touching[b] = count
        out.mode[b] = contact_mode(places[low:high], load, total, corners[b], slender[b])


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def sum_nodes(
    U: FloatArray, forces: FloatArray, areas: FloatArray, load: FloatArray
) -> tuple[float, float, int, float]:
    """Return largest |U|^2 and pressure, number of touching nodes and sum of all |f|.

    Of the nodes of a body: U (m, 3), forces (m, S, 3), areas (m,); load (m,) becomes |f|.
    """
    far = most = total = 0.0
    count = 0
    for i in range(len(U)):
        square = U[i, 0] * U[i, 0] + U[i, 1] * U[i, 1] + U[i, 2] * U[i, 2]
        far = square if square > far else far
        x, y, z, touches = forces[i, 0, 0], forces[i, 0, 1], forces[i, 0, 2], False
        for s in range(1, forces.shape[1]):
            touches = touches or x * x + y * y + z * z > 0.0
            x += forces[i, s, 0]
            y += forces[i, s, 1]
            z += forces[i, s, 2]
        square = x * x + y * y + z * z
        count += 1 if touches or square > 0.0 else 0
        load[i] = math.sqrt(square)
        total += load[i]
        if areas[i] > 0.0:
            most = max(most, z / areas[i])
    return far, most, count, total


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def fit_motion(fits: FloatArray, U: FloatArray, start: int, end: int, motion: FloatArray) -> None:
    """Fill motion (6,): `fits` (6, 3M) times U (M, 3) of the nodes from `start` to `end`."""
    flat = U.reshape(3 * len(U))[3 * start : 3 * end]
    for k in range(6):
        fit, total = fits[k, 3 * start : 3 * end], 0.0
        for j in range(len(flat)):
            total += fit[j] * flat[j]
        motion[k] = total


@kernel
def add_slip(
    body: IntArray, node: IntArray, velocity: FloatArray, reactions: FloatArray,
    status: IntArray, dt: float, path: FloatArray, sliding: FloatArray,
) -> None:  # fmt: skip
    """Add to path (B,) the force-weighted mean of |u_t| dt over the nodes; count sliding nodes.

    One (sub-)step of K contacts: node (K,), velocity and reactions (K, 3) as t1, t2, n, status
    (K,) 2 where they slip. `body` (M,) of every node.
    """
    B = len(path)
    load, slipped = np.zeros(B), np.zeros(B)
    for k in range(len(node)):
        b = body[node[k]]
        normal = reactions[k, 2]
        if normal <= 0.0:
            continue
        load[b] += normal
        if status[k] == 2:
            slipped[b] += normal * np.hypot(velocity[k, 0], velocity[k, 1])
            sliding[b] += 1.0
    for b in range(B):
        if load[b] > 0.0:
            path[b] += dt * slipped[b] / load[b]
