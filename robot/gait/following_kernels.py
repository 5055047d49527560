"""Compiled: a posture that follows its tasks from tick to tick.

The tasks are those of `robot.gait.inverse_kinematics`: both sole frames, the centre of mass and the
turn of the waist. From a start that is almost there one Newton step is enough:

    J dq = x* - x(q),      J v = dx*/dt,      J a = d2x*/dt2 - (dJ/dt) v,

with J of the last iteration. (dJ/dt) v are the accelerations of the tasks for dv/dt = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.gait.newton_kernels import factor_lu, find_turn, solve_lu
from robot.tree import (
    LinkArrays,
    TreeState,
    integrate_motion,
    move_links,
    multiply_inertia,
    open_tree,
    place_frame,
    sum_forces,
    weigh_links,
)
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

TASKS = 18
LONGEST = 0.3  # rad or m: largest change of a coordinate in one iteration
NEAR = 1e-4  # m and rad: one iteration from there leaves about its square
ITERATIONS = 8  # at most, from tick to tick
FASTEST = 20.0  # rad/s: joints of a posture that is followed; faster only near a stretched knee


class TaskFrames(NamedTuple):
    """Frames of the tasks: left sole, right sole, waist; and the unknowns.

    Attributes
    ----------
    carriers : (3,) links of the frames. placements : (3, 4, 4) in their axes.
    moves : (3, nv) 1 where a coordinate moves a frame, else 0.
    moving : (18,) the unknowns as places in v. behind : (18,) the link behind each.
    """

    carriers: IntArray
    placements: FloatArray
    moves: IntArray
    moving: IntArray
    behind: IntArray


class TaskGoals(NamedTuple):
    """x* as in `robot.gait.Targets`, and `rates` (2, 18): dx*/dt and d2x*/dt2."""

    places: FloatArray
    turns: FloatArray
    com: FloatArray
    waist: FloatArray
    rates: FloatArray


@inner_kernel
def look_at_tasks(
    tree: LinkArrays, links: TreeState, frames: TaskFrames, goals: TaskGoals, J: FloatArray,
    error: FloatArray,
) -> None:  # fmt: skip
    """Fill J (18, 18) and x* - x (18,), after `move_links` and `weigh_links`."""
    # Inertias of all links behind each joint.
    Y = links.Y.copy()
    for i in range(len(Y) - 1, 0, -1):
        for a in range(10):
            Y[tree.joints[i, 0], a] += Y[i, a]
    mass, T = Y[0, 0], np.empty((3, 4))
    for b in range(3):
        place_frame(links, frames.carriers[b], frames.placements[b], T)
        x0, x1, x2 = T[0, 3], T[1, 3], T[2, 3]
        for j in range(TASKS):
            c = frames.moving[j]
            S = links.J[c]
            moves = float(frames.moves[b, c])
            w0, w1, w2 = moves * S[3], moves * S[4], moves * S[5]
            row = 15 if b == 2 else 6 * b + 3
            J[row, j], J[row + 1, j], J[row + 2, j] = w0, w1, w2
            if b < 2:
                J[6 * b, j] = moves * S[0] + w1 * x2 - w2 * x1
                J[6 * b + 1, j] = moves * S[1] + w2 * x0 - w0 * x2
                J[6 * b + 2, j] = moves * S[2] + w0 * x1 - w1 * x0
        if b < 2:
            for i in range(3):
                error[6 * b + i] = goals.places[b, i] - T[i, 3]
            find_turn(goals.turns[b], T, error, 6 * b + 3)
        else:
            find_turn(goals.waist, T, error, 15)
    for j in range(TASKS):
        momentum = multiply_inertia(Y[frames.behind[j]], links.J[frames.moving[j]])
        J[12, j], J[13, j], J[14, j] = (
            momentum[0] / mass, momentum[1] / mass, momentum[2] / mass
        )  # fmt: skip
    for i in range(3):
        error[12 + i] = goals.com[i] - Y[0, 1 + i] / mass


@inner_kernel
def find_drift(
    tree: LinkArrays, links: TreeState, frames: TaskFrames, tau: FloatArray, drift: FloatArray
) -> None:
    """Fill (dJ/dt) v (18,), after `move_links` without dv and `weigh_links`; tau: work space."""
    sum_forces(tree, np.zeros(0), links, tau)
    mass, T = 0.0, np.empty((3, 4))
    for i in range(1, len(links.Y)):
        mass += links.Y[i, 0]
    for b in range(3):
        link = frames.carriers[b]
        A, V, row = links.A[link], links.V[link], 15 if b == 2 else 6 * b + 3
        for i in range(3):
            drift[row + i] = A[3 + i]
        if b == 2:
            continue
        # Of a point at x: A + dw x x + w x (u + w x x), gravity taken out.
        place_frame(links, link, frames.placements[b], T)
        x0, x1, x2 = T[0, 3], T[1, 3], T[2, 3]
        u0, u1 = V[0] + V[4] * x2 - V[5] * x1, V[1] + V[5] * x0 - V[3] * x2
        u2 = V[2] + V[3] * x1 - V[4] * x0
        g = tree.gravity
        drift[6 * b] = A[0] + g[0] + A[4] * x2 - A[5] * x1 + V[4] * u2 - V[5] * u1
        drift[6 * b + 1] = A[1] + g[1] + A[5] * x0 - A[3] * x2 + V[5] * u0 - V[3] * u2
        drift[6 * b + 2] = A[2] + g[2] + A[3] * x1 - A[4] * x0 + V[3] * u1 - V[4] * u0
    for i in range(3):
        drift[12 + i] = links.F[0, i] / mass + tree.gravity[i]


@kernel
def follow_tasks(
    tree_tuple: Bundle, frames_tuple: Bundle, goals_tuple: Bundle, T: float,
    q: FloatArray, v: FloatArray, a: FloatArray, links_buffer: FloatArray, wrench: FloatArray,
) -> float:  # fmt: skip
    """Move q (nq,), v, a (nv,) on by T [s] to the posture that meets the goals, in place.

    Fills also the wrench (6,) on the base, in its axes, that inverse dynamics asks for. Returns
    the square of the error before the last Newton step, which is what that step leaves of
    |x* - x|: at most `NEAR` squared. It returns -1, with nothing changed, where the tasks are out
    of reach, or joints would be faster than `FASTEST`. links_buffer : of `open_tree`, work space.
    """
    tree, frames = LinkArrays(*tree_tuple), TaskFrames(*frames_tuple)
    goals = TaskGoals(*goals_tuple)
    links, nv, still = open_tree(links_buffer, len(tree.joints)), len(v), np.zeros(0)
    J, error, drift = np.empty((TASKS, TASKS)), np.empty(TASKS), np.empty(TASKS)
    step, new_v, new_a, tau = np.empty(nv), np.zeros(nv), np.zeros(nv), np.empty(nv)
    # A start: as if accelerations stayed.
    for c in range(nv):
        step[c] = T * v[c] + T * T / 2.0 * a[c]
    p = integrate_motion(tree_tuple, q, step)
    for _ in range(ITERATIONS):
        # A Newton step of limited length.
        move_links(tree, p, new_v, still, links)
        weigh_links(tree, links)
        look_at_tasks(tree, links, frames, goals, J, error)
        size = np.abs(error).max()
        pivots = factor_lu(J)
        if not (pivots[0] >= 0 and size < np.inf):
            return -1.0
        d = solve_lu(J, pivots, error)
        longest = np.abs(d).max()
        cut = 1.0 if longest <= LONGEST else LONGEST / longest
        step[:] = 0.0
        for j in range(TASKS):
            step[frames.moving[j]] = cut * d[j]
        p = integrate_motion(tree_tuple, p, step)
        if longest > LONGEST or size > NEAR:
            continue
        # Velocities, accelerations and the wrench on the base.
        d = solve_lu(J, pivots, goals.rates[0])
        for j in range(TASKS):
            if not abs(d[j]) <= FASTEST:
                return -1.0
            new_v[frames.moving[j]] = d[j]
        move_links(tree, p, new_v, still, links)
        weigh_links(tree, links)
        find_drift(tree, links, frames, tau, drift)
        d = solve_lu(J, pivots, goals.rates[1] - drift)
        for j in range(TASKS):
            new_a[frames.moving[j]] = d[j]
        move_links(tree, p, new_v, new_a, links)
        sum_forces(tree, new_a, links, tau)
        q[:], v[:], a[:], wrench[:] = p, new_v, new_a, tau[:6]
        return float(size * size)
    return -1.0
