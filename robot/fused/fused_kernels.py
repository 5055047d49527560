"""Compiled: a step of a robot up to contact, and after it, without springs and stops.

The same calls in the same order as `Simulator.step`.

A drive that is beyond its limit is set to it, and contact is solved again: `end_step` writes the
new start of the contact step and answers `LIMITED`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.fused.fused_sheet import FusedParts, open_fused
from robot.simulator import (
    SATURATED,
    STOPPING,
    RobotTerms,
    condense_robot,
    double_energy,
    find_terms,
    follow_wrenches,
    make_first_guess,
    measure_motion,
    settle_guess,
)
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel

FUSED = 0  # answers of `begin_step` and `end_step`
ASKED, STOPPED, INERTIA, LIMITED = range(1, 5)


class RobotAhead(NamedTuple):
    """What `find_terms` takes and fills, whether it was called already, and forces outer (nv,)."""

    robot: Bundle
    links: FloatArray
    terms: Bundle
    found: bool
    outer: FloatArray


class JointArrays(NamedTuple):
    """The laws of the joints and a command asked (3, n), as in `make_first_guess`.

    `first` is the place of the first joint in v.
    """

    laws: FloatArray
    stiffness: float
    damping: float
    asked: FloatArray
    first: int


@inner_kernel
def begin_step(
    q: FloatArray, v: FloatArray, dt: float, factors: Bundle, robot_tuple: Bundle,
    joints_tuple: Bundle, sheet: FloatArray,
) -> int:  # fmt: skip
    """Write what the contact step of a robot needs, R, p, S6 and twists, into a sheet; or `FUSED`.

    `open_fused` opens it; its `joints` are the first guess, and its first row of `motion` is the
    free velocity. The answer is `FUSED`, or names the condition that is not met.
    """
    ahead, joints = RobotAhead(*robot_tuple), JointArrays(*joints_tuple)
    if not ahead.found:
        find_terms(ahead.robot, q, v, ahead.links, ahead.terms)
    terms, n, first = RobotTerms(*ahead.terms), joints.asked.shape[1], joints.first
    into = open_fused(sheet, len(terms.p), n)
    into.R[:], into.p[:] = terms.R, terms.p
    into.joints[SATURATED], sides = 0.0, np.zeros(n, np.int64)
    angles, speeds = q[first + 1 : first + 1 + n], v[first : first + n]
    if not make_first_guess(
        joints.laws, joints.stiffness, joints.damping, angles, speeds, joints.asked, dt,
        into.joints, sides,
    ):  # fmt: skip
        return ASKED
    if np.any(sides != 0):
        return STOPPED
    return FUSED if start_contact(v, dt, factors, ahead, terms, first, into) else INERTIA


@inner_kernel
def start_contact(
    v: FloatArray, dt: float, factors: Bundle, ahead: RobotAhead, terms: RobotTerms, first: int,
    into: FusedParts,
) -> bool:  # fmt: skip
    """Write S6, twists and free velocity under the guess of the joint forces; M' is definite."""
    definite, free, S6, twists, free_twists = condense_robot(
        factors, terms.M, terms.J, v, ahead.outer - terms.h, first, into.joints, dt
    )
    if definite:
        into.S6[:], into.twists[0], into.twists[1] = S6, twists, free_twists
        into.motion[0] = free
    return bool(definite)


@inner_kernel
def end_step(
    q: FloatArray, v: FloatArray, dt: float, theta: float, factors: Bundle, robot_tuple: Bundle,
    joints_tuple: Bundle, wrench: FloatArray, sheet: FloatArray,
) -> int:  # fmt: skip
    """Follow the wrenches w (B, 6) of the contact step of a robot begun by `begin_step`.

    `LIMITED`: a drive was beyond its limit; the contact step is to be made again.
    """
    ahead, joints = RobotAhead(*robot_tuple), JointArrays(*joints_tuple)
    terms, n, first = RobotTerms(*ahead.terms), joints.asked.shape[1], joints.first
    into = open_fused(sheet, len(terms.p), n)
    sides, saturated = np.zeros(n, np.int64), into.joints[SATURATED] > 0.0
    new = follow_wrenches(factors, into.motion[0], wrench, dt)
    if not settle_guess(
        joints.laws, joints.stiffness, joints.damping, q[first + 1 : first + 1 + n],
        new[first : first + n], dt, True, into.joints, sides, saturated,
    ):  # fmt: skip
        if np.any(sides != 0):
            return STOPPED
        for j in range(n):
            into.joints[SATURATED, j] = 1.0 if saturated[j] else 0.0
        return LIMITED if start_contact(v, dt, factors, ahead, terms, first, into) else INERTIA
    way, acceleration, _, pushed = measure_motion(
        v, new, theta, dt, first, into.joints[STOPPING], ahead.outer
    )
    into.motion[0], into.motion[1], into.motion[2] = new, way, acceleration
    into.work[0], into.work[1] = pushed, double_energy(terms.M, acceleration)
    return FUSED
