"""Compiled: the laws of servos and stops, joint by joint, and the guess of the active ones.

    servo  tau = kp (q_ref - q) + kd v_ref + tau_ff - (kd + dt kp) v+,    |tau| <= limit,
    stop   tau = k (end - q) - (d + dt k) v+    beyond an end of the range, and only if it pushes

`laws` (5, n) holds kp, kd, torque limits and the lower and upper ends of the ranges; `stiffness`
and `damping` are those of the stops. `numbers` (6, n) holds the guess: motor and damping of the
servo, motor - damping v+; constant and rate, the same with the active stops; and the result:
torques of the drives, torques of the stops. A step that one compiled call makes has a seventh row:
1 for a drive at its limit, else 0. `sides` (n,) is 1 or -1 for the end whose stop acts, 0
for none.
"""

from __future__ import annotations

from math import copysign, isfinite

from sole.base.arrays import BoolArray, FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel

KP, KD, LIMIT, LOWER, UPPER = range(5)
MOTOR, DAMPING, CONSTANT, RATE = range(4)
TORQUES = 4
STOPPING = 5
SATURATED = 6
TRIALS = 40  # most repetitions of a step because another joint met a limit


@kernel
def make_first_guess(
    laws: FloatArray, stiffness: float, damping: float,
    q: FloatArray, v: FloatArray, asked: FloatArray, dt: float,
    numbers: FloatArray, sides: IntArray,
) -> bool:  # fmt: skip
    """Fill the guess: tau_0 = kp (q_ref - q) + kd v_ref + tau_ff, rate kd + dt kp, stops ahead.

    `asked` (3, n): q_ref, v_ref, tau_ff. False: one of these is not finite.
    """
    fine = True
    for j in range(len(q)):
        kp, kd = laws[KP, j], laws[KD, j]
        for i in range(3):
            fine = fine and isfinite(asked[i, j])
        tau = kp * (asked[0, j] - q[j]) + kd * asked[1, j] + asked[2, j]
        numbers[MOTOR, j], numbers[DAMPING, j] = tau, kd + dt * kp
        sides[j] = find_end_ahead(laws, j, q[j], v[j], dt)
        fill_guess(laws, j, stiffness, damping, q[j], dt, numbers, sides[j])
    return fine


@kernel
def settle_guess(
    laws: FloatArray, stiffness: float, damping: float,
    q: FloatArray, v: FloatArray, dt: float, together: bool,
    numbers: FloatArray, sides: IntArray, saturated: BoolArray,
) -> bool:  # fmt: skip
    """Fill the torques for v+ (n,) and return True, or correct the guess where v+ contradicts it.

    A servo beyond its limit saturates. A stop that pulls is dropped; a joint that moves out beyond
    its end, where its stop would push, gets the stop: all `together`, or only the first.
    """
    done, changed, rate = True, False, damping + dt * stiffness
    for j in range(len(q)):
        side, limit, other = sides[j], laws[LIMIT, j], sides[j]
        tau = numbers[MOTOR, j] - numbers[DAMPING, j] * v[j]
        beyond = abs(tau) > limit
        numbers[TORQUES, j] = copysign(limit, tau) if beyond else tau
        numbers[STOPPING, j] = 0.0
        if side != 0:
            push = find_stop_torque(laws, j, stiffness, side, q[j]) - rate * v[j]
            numbers[STOPPING, j] = push
            if side * push > 0.0:
                other = 0
        else:
            met = find_end_ahead(laws, j, q[j], v[j], dt)
            if (
                met != 0
                and met * (find_stop_torque(laws, j, stiffness, met, q[j]) - rate * v[j]) < 0.0
            ):
                other = met
        if beyond and not saturated[j]:
            saturated[j], done = True, False
            numbers[MOTOR, j], numbers[DAMPING, j] = copysign(limit, tau), 0.0
        if other != side:
            done = False
            if together or not changed:
                sides[j] = other
            changed = True
    if not done:
        for j in range(len(q)):
            fill_guess(laws, j, stiffness, damping, q[j], dt, numbers, sides[j])
    return done


@inner_kernel
def find_end_ahead(laws: FloatArray, j: int, q: float, v: float, dt: float) -> int:
    """Return the end beyond which joint j is after dt at velocity v: 1, -1 or 0."""
    after = q + dt * v
    return 1 if after > laws[UPPER, j] else -1 if after < laws[LOWER, j] else 0


@inner_kernel
def find_stop_torque(laws: FloatArray, j: int, stiffness: float, side: int, q: float) -> float:
    """Return the part k (end - q) of a stop's torque that does not depend on v+."""
    return float(stiffness * (laws[UPPER if side > 0 else LOWER, j] - q))


@inner_kernel
def fill_guess(
    laws: FloatArray, j: int, stiffness: float, damping: float, q: float, dt: float,
    numbers: FloatArray, side: int,
) -> None:  # fmt: skip
    """Fill constant and rate of joint j: its servo and, where one acts, its stop."""
    numbers[CONSTANT, j], numbers[RATE, j] = numbers[MOTOR, j], numbers[DAMPING, j]
    if side != 0:
        numbers[CONSTANT, j] += find_stop_torque(laws, j, stiffness, side, q)
        numbers[RATE, j] += damping + dt * stiffness
