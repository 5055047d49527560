"""A tick of sole-aware control in compiled code, from what Pinocchio and the sensors tell.

`read_sensors` predicts, and moves the readings of the ankles to the treads; `write_tick` corrects
what was predicted, and writes the quadratic program; `write_command` makes a command of its
solution. One call each: arrays that Python touches between them cost more time than their sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.control.balance_kernels import BodyNow, Gains, GaitMemory, Limbs
from robot.control.contact_stiffness import SoleTables, find_cells
from robot.control.plan_targets import Aims, read_aims
from robot.control.sole_observer import (
    ObserverGains,
    RobotEstimate,
    SoleReadings,
    correct_robot,
    predict_robot,
)
from robot.control.whole_body_kernels import write_program
from sole.base.arrays import Bundle, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel


class BodyReadings(NamedTuple):
    """The robot by Pinocchio and its sensors, at the predicted q (nq,) and v (nv,).

    M (nv, nv), h (nv,) of the dynamics; turn (3, 3) of the base. For the sole frames, in their own
    axes: left, right (6, nv) Jacobians, R (2, 3, 3), p (2, 3) poses, drift (2, 6) = dJ/dt v.
    w (2, 6) wrenches about the centres of the treads and their cells (2,): `read_sensors`.
    gyro (3,).
    """

    q: FloatArray
    v: FloatArray
    M: FloatArray
    h: FloatArray
    turn: FloatArray
    left: FloatArray
    right: FloatArray
    R: FloatArray
    p: FloatArray
    drift: FloatArray
    w: FloatArray
    cells: IntArray
    gyro: FloatArray


@kernel
def read_sensors(
    q: FloatArray, v: FloatArray, wrenches: FloatArray, thickness: FloatArray, middle: FloatArray,
    half: FloatArray, observes: bool, estimate: Bundle, observer: Bundle, w: FloatArray,
    cells: IntArray,
) -> None:  # fmt: skip
    """Predict the robot by the observer; fill w (2, 6) about the centres of the treads, and cells.

    wrenches (2, 6) of the sole frames; `thickness` below them are the centres of the treads.
    """
    if observes:
        predict_robot(q, v, estimate, observer)
    for k in range(2):
        w[k] = wrenches[k]
        w[k, 3] -= thickness[k] * w[k, 1]
        w[k, 4] += thickness[k] * w[k, 0]
    find_cells(w, middle, half, cells)


@kernel
def to_tread(x: FloatArray, h: float) -> None:
    """Move twists (6, n) from the sole frame to the tread's centre, h below, in place."""
    for j in range(x.shape[1]):
        x[0, j] -= h * x[4, j]
        x[1, j] += h * x[3, j]


@inner_kernel
def feel_body(readings: Bundle, soles: Bundle, limbs_tuple: Bundle) -> BodyNow:
    """Return the robot before the observer corrects it.

    The centre of mass is in the rows of the base: M_b = m (1, -[c]x) in its axes, momentum M_b v.
    The joint of a toe moves the tread by its `bends`.
    """
    body, limbs, tables = BodyReadings(*readings), Limbs(*limbs_tuple), SoleTables(*soles)
    thickness, table = limbs.thickness, tables.matrices
    nv = len(body.v)
    J, u, p = np.empty((2, 6, nv)), np.empty((2, 6)), np.empty((2, 3))
    bias, K = np.empty((2, 6, 1)), np.empty((2, 3, 6, 6))
    J[0], J[1] = body.left, body.right
    for k in range(2):
        bias[k, :, 0] = body.drift[k]
        to_tread(J[k], thickness[k])
        to_tread(bias[k], thickness[k])
        if limbs.toes[k] >= 0:
            for i in range(6):
                J[k, i, limbs.toes[k]] += tables.bends[k, body.cells[k], i]
        u[k] = J[k] @ body.v
        K[k] = table[k, body.cells[k]]
        for i in range(3):
            p[k, i] = body.p[k, i] - thickness[k] * body.R[k, i, 2]
    M, turn = body.M, np.ascontiguousarray(body.turn)
    place = np.array([M[1, 5], -M[0, 5], M[0, 4]]) / M[0, 0]
    return BodyNow(
        q=body.q, v=body.v, M=M, h=body.h, J=J, bias=bias[:, :, 0].copy(), R=body.R, p=p,
        w=body.w.copy(), u=u, K=K[:, 0].copy(), L=K[:, 1].copy(), B=K[:, 2].copy(),
        c=body.q[:3] + turn @ place, speed=centre_speed(M, turn, body.v), turn=turn,
        spin=turn @ body.v[3:6],
    )  # fmt: skip


@inner_kernel
def centre_speed(M: FloatArray, turn: FloatArray, v: FloatArray) -> FloatArray:
    """Return the velocity (3,) of the centre of mass, world."""
    speed = np.zeros(3)
    for i in range(3):
        for j in range(len(v)):
            speed[i] += M[i, j] * v[j] / M[0, 0]
    return turn @ speed


@kernel
def write_tick(
    readings: Bundle, soles: Bundle, observes: bool, estimate_tuple: Bundle, observer: Bundle,
    row: FloatArray, limbs_tuple: Bundle, gains: Bundle, gait: Bundle,
) -> Bundle:  # fmt: skip
    """Return the fields of `Program` for one tick; the memories of observer and gait move on."""
    limbs, estimate = Limbs(*limbs_tuple), RobotEstimate(*estimate_tuple)
    felt = feel_body(readings, soles, limbs_tuple)
    if observes:
        seen = SoleReadings(
            felt.w.copy(), BodyReadings(*readings).gyro, felt.u, felt.K, felt.J[:, :, :6].copy(),
            felt.M[:6, :6].copy(),
        )  # fmt: skip
        correct_robot(estimate, ObserverGains(*observer), seen)
        felt.v[:], felt.w[:], felt.u[:] = estimate.v, estimate.w, estimate.u
        felt.speed[:] = centre_speed(felt.M, felt.turn, felt.v)
        felt.spin[:] = felt.turn @ felt.v[3:6]
    return write_program(felt, Aims(*read_aims(row)), limbs, Gains(*gains), GaitMemory(*gait))


@kernel
def write_command(
    x: FloatArray, A: FloatArray, torques: FloatArray, V: FloatArray, v0: FloatArray,
    q: FloatArray, v: FloatArray, T: float, a: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Return angles, speeds and torques (n,) of a solution x; a (nv,) becomes its acceleration."""
    n = len(torques)
    a[:6], a[6:] = V @ x + v0, x[:n]
    speeds = v[6:] + T * x[:n]
    return q[7:] + T * speeds, speeds, A[:n] @ x + torques
