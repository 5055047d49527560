"""Compiled: a whole step of a robot whose soles stick or hang free, after Pinocchio's terms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from contact.step import StuckArrays, step_stuck_soles
from robot.simulator.dynamics_kernels import describe_frames
from robot.simulator.joint_forces_kernels import STOPPING, make_first_guess, settle_guess
from robot.simulator.joint_space_kernels import condense_robot, follow_wrenches, measure_motion
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray
from sole.base.compiled import kernel

FUSED, ASKED, STOPPED, INERTIA, CONTACT, LIMITED = range(6)  # answers of `step_fused`


class RobotTerms(NamedTuple):
    """Pinocchio's terms at (q, v), forces `outer` (nv,), and frames as in `describe_frames`."""

    M: FloatArray
    h: FloatArray
    outer: FloatArray
    joints: FloatArray
    moves: IntArray
    poses: FloatArray


class JointArrays(NamedTuple):
    """The laws of the joints and a command asked (3, n), as in `make_first_guess`.

    Written: numbers (6, n) and saturated (n,). `first` is the place of the first joint in v.
    """

    laws: FloatArray
    stiffness: float
    damping: float
    asked: FloatArray
    numbers: FloatArray
    saturated: BoolArray
    first: int


class SoleMemory(NamedTuple):
    """The bundles and arrays of `step_stuck_soles` that do not depend on the robot's motion."""

    run: Bundle
    bodies: Bundle
    memory: Bundle
    maps: FloatArray
    e: FloatArray
    ground: Bundle
    limits: Bundle
    into: Bundle


@kernel(error_model="numpy")
def step_fused(
    q: FloatArray, v: FloatArray, dt: float, theta: float, factors: Bundle, terms_tuple: Bundle,
    joints_tuple: Bundle, soles_tuple: Bundle,
) -> Bundle:  # fmt: skip
    """Step a robot without springs, stops or saturated drives; the first value is `FUSED`.

    The same calls in the same order as `Simulator.step`. Other answers name the condition that is
    not met; then what is written has no meaning. The other values: J, R, p and turns of the frames;
    v+, dt v_bar and (v+ - v)/dt; S6, twists and free twists; the work of `outer`.
    """
    terms, joints = RobotTerms(*terms_tuple), JointArrays(*joints_tuple)
    soles = SoleMemory(*soles_tuple)
    n, first = len(joints.saturated), joints.first
    J, R, p, turns = describe_frames(terms.joints, terms.moves, terms.poses)
    sides = np.zeros(n, np.int64)
    joints.saturated[:] = False
    angles, speeds = q[first + 1 : first + 1 + n], v[first : first + n]
    answer = FUSED
    if not make_first_guess(
        joints.laws, joints.stiffness, joints.damping, angles, speeds, joints.asked, dt,
        joints.numbers, sides,
    ):  # fmt: skip
        answer = ASKED
    elif np.any(sides != 0):
        answer = STOPPED
    definite, free, S6, twists, free_twists = condense_robot(
        factors, terms.M, J, v, terms.outer - terms.h, first, joints.numbers, dt
    )
    if not definite:
        answer = INERTIA
    new = free
    if answer == FUSED:
        motion = (twists, free_twists, S6, dt)
        if step_stuck_soles(
            soles.run, soles.bodies, soles.memory, soles.maps, soles.e, R, p, soles.ground,
            motion, soles.limits, soles.into,
        ):  # fmt: skip
            answer = CONTACT
        else:
            wrench = StuckArrays(*soles.into).twists[0]
            new = follow_wrenches(factors, free, wrench.reshape(-1, 6), dt)
            if not settle_guess(
                joints.laws, joints.stiffness, joints.damping, angles,
                new[first : first + n], dt, True, joints.numbers, sides, joints.saturated,
            ):  # fmt: skip
                answer = LIMITED
    way, acceleration, _, pushed = measure_motion(
        v, new, theta, dt, first, joints.numbers[STOPPING], terms.outer
    )
    return answer, J, R, p, turns, new, way, acceleration, S6, twists, free_twists, pushed
