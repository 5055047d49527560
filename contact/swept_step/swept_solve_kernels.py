"""Compiled: the problem of a step of soles whose nodes slide, land or leave, solved by sweeps."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from contact.problem import LARGEST, TINY, ComplianceArrays, extrapolate_start
from contact.step import NodeArrays, pose_problem
from contact.sweeps import (
    Pack,
    SolvedSoles,
    StiffnessArrays,
    find_held_bodies,
    solve_nothing,
    solve_step_soles,
)
from contact.swept_step.buffer_arrays import SweptParts
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel

DONE = 0  # answers of `step_swept_soles`
STIFFNESS, ODD, UNSOLVED = range(1, 4)


class SweptMatrices(NamedTuple):
    """C, C_ii (M, 3, 3), K, and its error as in `SoleStiffness`.

    A negative `error`: K is not known. pack : room for the blocks that sweeps read.
    """

    compliance: ComplianceArrays
    diagonal: FloatArray
    stiffness: StiffnessArrays
    error: float
    pack: Pack


class SweptRules(NamedTuple):
    """The rules of a step, the same for all of a simulation.

    theta, speed of pushing out [m/s], whether a step may gain energy by it; the largest gap of a
    missed contact [m]; a contact's reach and depth as in `look_at_ground`; share of a sole's nodes
    that may be loose where it is swept by velocities. Of the sweeps: tolerance, part of it for
    sweeps by velocities, part that they may neglect, relaxation, wait, most by velocities and by
    forces, state of the generator.
    """

    theta: float
    push_out: float
    gains: bool
    closed: float
    slack: float
    shallow: float
    share: float
    tolerance: float
    swept: float
    neglected: float
    relaxation: float
    wait: float
    most: int
    patience: int
    generator: int


class SweptSolve(NamedTuple):
    """What sweeps found.

    Attributes
    ----------
    answer : `DONE`, `STIFFNESS` or `ODD`, as of the step. done : forces, of no contacts unless
    the answer is `DONE`. held : soles swept by velocities. worst : natural map with what the
    certificate misses, relative to q. finite, solved : whether numbers are, and whether all laws
    hold to the tolerance.
    unseen, rho, size, unsure : as in `SweptParts.numbers`.
    """

    answer: int
    done: SolvedSoles
    held: int
    worst: float
    finite: bool
    solved: bool
    unseen: float
    rho: float
    size: float
    unsure: float


@inner_kernel
def solve_swept_contacts(
    contacts: Bundle, before_tuple: Bundle, body: IntArray, memory: Bundle, rates: Bundle,
    motion: Bundle, matrices_tuple: Bundle, rules_tuple: Bundle, found: SweptParts, share: float,
    brief: bool,
) -> SweptSolve:  # fmt: skip
    """Pose u = W r + q, sweep, and judge the result.

    contacts, before : `ContactArrays`, `NodeArrays`. body : (M,) of the nodes. memory : forces and
    those of the step before (M, S, 3). rates : 1/(theta dt + eta), twists without contact forces,
    `lost` as in `SoleState`. motion : S6, dt, speed of pushing out. found : mu comes in;
    q and start are written. share : of loose nodes, for sweeps by velocities; below 0 there are
    none. brief : whether sweeps by forces are cut short.
    """
    node, _, owner, P, A = contacts
    before, rules = NodeArrays(*before_tuple), SweptRules(*rules_tuple)
    C_tuple, diagonal, stiffness_tuple, error, pack = matrices_tuple
    C, stiffness = ComplianceArrays(*C_tuple), StiffnessArrays(*stiffness_tuple)
    forces, earlier = memory
    rate, ahead, lost = rates
    S6, dt, push = motion
    K, M, B = len(node), len(body), len(rate)
    done = solve_nothing(M, rules.generator)
    if K == 0:
        return SweptSolve(DONE, done, 0, 0.0, True, True, 0.0, 0.0, 0.0, 0.0)

    # The problem and its start.
    support, status = rules.theta * dt * S6, np.empty(K, np.int64)
    posed: Any = (found.q, found.start, status)
    all_contacts: Any = contacts
    old: Any = before_tuple
    trace, square = pose_problem(
        all_contacts, old, forces, earlier, rate, ahead, dt, push, diagonal, support, posed
    )
    if not (trace > 0.0 and TINY < square < LARGEST * LARGEST):
        return SweptSolve(ODD, done, 0, 0.0, False, False, 0.0, 0.0, 0.0, 0.0)
    rho, size = 3 * K / trace, math.sqrt(square)

    # Sweeps.
    W: Any = (rate, node, owner, P, A, support)
    held, some = find_held_bodies(status, W, C.first, C.position, share)
    part = 1.0
    if some > 0:
        if error < 0.0:
            return SweptSolve(STIFFNESS, done, 0, 0.0, False, False, 0.0, 0.0, 0.0, 0.0)
        if error > 0.0:
            part = rules.swept
        for b in range(B):
            held[b] = stiffness.position[b] if held[b] >= 0 else -1
    start = np.empty((M, 3))
    for i in range(M):
        for a in range(3):
            start[i, a] = rate[body[i]] * before.U[i, a]
    target, most = rules.tolerance * size, rules.most if some > 0 or brief else rules.patience
    given: Any = (found.q, found.mu, rho)
    first = extrapolate_start(found.start, found.start, found.mu)
    begin: Any = (first, status, start, before.e, ahead, lost)
    rule: Any = (rules.relaxation, rules.wait, most, part * target)
    done = SolvedSoles(*solve_step_soles(
        stiffness_tuple, held, C_tuple, diagonal, W, given, begin, rule, rules.neglected * target,
        rules.generator, pack,
    ))  # fmt: skip

    # The certificate.
    steepest = 0.0
    for k in range(K):
        steepest = max(steepest, found.mu[k])
    length, unsure = done.lengths
    if some > 0:
        unsure += error * length
    unseen = 2 * (1.0 + steepest) * unsure
    natural, signorini, cone, dual, power = done.sums
    finite = math.isfinite(natural + signorini + cone + dual + power + unseen)
    scale = rho * size
    worst = (math.sqrt(max(natural, signorini)) + rho * unseen) / scale
    solved = finite and max(worst, math.sqrt(cone) / scale) <= rules.tolerance
    return SweptSolve(DONE, done, some, worst, finite, solved, unseen, rho, size, unsure)
