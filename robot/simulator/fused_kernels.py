"""Compiled: a whole step of a robot whose soles stick or hang free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.step import step_stuck_soles, wrenches_in
from robot.simulator.dynamics_kernels import RobotTerms, find_terms
from robot.simulator.fused_sheet import open_fused
from robot.simulator.joint_forces_kernels import STOPPING, make_first_guess, settle_guess
from robot.simulator.joint_space_kernels import (
    condense_robot,
    double_energy,
    follow_wrenches,
    measure_motion,
)
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import kernel

FUSED, ASKED, STOPPED, INERTIA, CONTACT, LIMITED = range(6)  # answers of `step_fused`


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


class FlatSoles(NamedTuple):
    """What `step_stuck_soles` takes besides poses and motion."""

    constants: Bundle
    before: FloatArray
    ground: Bundle
    limits: Bundle
    sheet: FloatArray


@kernel(error_model="numpy")
def step_fused(
    q: FloatArray, v: FloatArray, dt: float, theta: float, factors: Bundle, robot_tuple: Bundle,
    joints_tuple: Bundle, soles_tuple: Bundle, sheet: FloatArray,
) -> int:  # fmt: skip
    """Step a robot without springs, stops or saturated drives into a sheet of `open_fused`.

    The same calls in the same order as `Simulator.step`. Answers other than `FUSED` name the
    condition that is not met; then what is written has no meaning.
    """
    ahead, joints = RobotAhead(*robot_tuple), JointArrays(*joints_tuple)
    soles = FlatSoles(*soles_tuple)
    if not ahead.found:
        find_terms(ahead.robot, q, v, ahead.links, ahead.terms)
    terms, n, first = RobotTerms(*ahead.terms), joints.asked.shape[1], joints.first
    J, R, p, B = terms.J, terms.R, terms.p, len(terms.p)
    into = open_fused(sheet, B, n)
    into.R[:], into.p[:] = R, p
    sides, saturated = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    angles, speeds = q[first + 1 : first + 1 + n], v[first : first + n]
    if not make_first_guess(
        joints.laws, joints.stiffness, joints.damping, angles, speeds, joints.asked, dt,
        into.joints, sides,
    ):  # fmt: skip
        return ASKED
    if np.any(sides != 0):
        return STOPPED
    definite, free, S6, twists, free_twists = condense_robot(
        factors, terms.M, J, v, ahead.outer - terms.h, first, into.joints, dt
    )
    if not definite:
        return INERTIA
    into.S6[:], into.twists[0], into.twists[1] = S6, twists, free_twists
    motion = twists, free_twists, S6, dt
    if step_stuck_soles(
        soles.constants, soles.before, R, p, soles.ground, motion, soles.limits, soles.sheet
    ):
        return CONTACT
    wrench = wrenches_in(soles.sheet, B)
    new = follow_wrenches(factors, free, wrench, dt)
    if not settle_guess(
        joints.laws, joints.stiffness, joints.damping, angles,
        new[first : first + n], dt, True, into.joints, sides, saturated,
    ):  # fmt: skip
        return LIMITED
    way, acceleration, _, pushed = measure_motion(
        v, new, theta, dt, first, into.joints[STOPPING], ahead.outer
    )
    into.motion[0], into.motion[1], into.motion[2] = new, way, acceleration
    into.work[0], into.work[1] = pushed, double_energy(terms.M, acceleration)
    return FUSED
