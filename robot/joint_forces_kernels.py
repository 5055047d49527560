"""Compiled: the laws of servos and stops, joint by joint, and the guess at which of them act.

`numbers` (6, n) holds, row by row, the guess: motor and damping, the servo's motor - damping v+;
constant and rate, the same with the stops that act; and what came of it: torques of the drives,
torques of the stops. `sides` (n,) 1 or -1: the end whose stop acts, 0 none.
"""

from __future__ import annotations

from math import copysign, isfinite

from numba import njit

from sole.arrays import BoolArray, FloatArray, IntArray

MOTOR, DAMPING, CONSTANT, RATE, TORQUES, STOPPING = range(6)


@njit(cache=True)
def first_guess(
    kp: FloatArray, kd: FloatArray, lower: FloatArray, upper: FloatArray,
    stiffness: float, damping: float,
    q: FloatArray, v: FloatArray, asked: FloatArray, dt: float,
    numbers: FloatArray, sides: IntArray,
) -> bool:  # fmt: skip
    """Fill the guess: tau_0 = kp (q_ref - q) + kd v_ref + tau_ff, rate kd + dt kp, stops ahead.

    `asked` (3, n): q_ref, v_ref, tau_ff. False: one of these is not finite.
    """
    fine = True
    for j in range(len(q)):
        for i in range(3):
            fine = fine and isfinite(asked[i, j])
        tau = kp[j] * (asked[0, j] - q[j]) + kd[j] * asked[1, j] + asked[2, j]
        numbers[MOTOR, j], numbers[DAMPING, j] = tau, kd[j] + dt * kp[j]
        sides[j] = ahead(lower[j], upper[j], q[j], v[j], dt)
        guess(lower[j], upper[j], stiffness, damping, q[j], dt, j, numbers, sides)
    return fine


@njit(cache=True)
def settled(
    limits: FloatArray, lower: FloatArray, upper: FloatArray, stiffness: float, damping: float,
    q: FloatArray, v: FloatArray, dt: float, together: bool,
    numbers: FloatArray, sides: IntArray, saturated: BoolArray,
) -> bool:  # fmt: skip
    """Fill the torques for v+ (n,) and return True, or mend the guess where v+ contradicts it.

    A servo beyond its limit saturates. A stop that pulls goes; a joint that moves out beyond its
    end, whose stop would push, gets it: all of these `together`, or only the first.
    """
    done, changed = True, False
    for j in range(len(q)):
        side, limit = sides[j], limits[j]
        tau = numbers[MOTOR, j] - numbers[DAMPING, j] * v[j]
        beyond = abs(tau) > limit
        numbers[TORQUES, j] = copysign(limit, tau) if beyond else tau
        numbers[STOPPING, j] = 0.0
        other = side
        if side != 0:
            push = stop(lower[j], upper[j], stiffness, side, q[j])
            push -= (damping + dt * stiffness) * v[j]
            numbers[STOPPING, j] = push
            if side * push > 0.0:
                other = 0
        else:
            met = ahead(lower[j], upper[j], q[j], v[j], dt)
            if met != 0:
                push = stop(lower[j], upper[j], stiffness, met, q[j])
                push -= (damping + dt * stiffness) * v[j]
                if met * push < 0.0:
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
            guess(lower[j], upper[j], stiffness, damping, q[j], dt, j, numbers, sides)
    return done


@njit(cache=True)
def ahead(lower: float, upper: float, q: float, v: float, dt: float) -> int:
    """Return the end beyond which a joint is after dt at velocity v: 1, -1 or 0."""
    after = q + dt * v
    return 1 if after > upper else -1 if after < lower else 0


@njit(cache=True)
def stop(lower: float, upper: float, stiffness: float, side: int, q: float) -> float:
    """Return the part k (end - q) of a stop's torque that v+ has no share in."""
    return stiffness * ((upper if side > 0 else lower) - q)


@njit(cache=True)
def guess(
    lower: float, upper: float, stiffness: float, damping: float, q: float, dt: float, j: int,
    numbers: FloatArray, sides: IntArray,
) -> None:  # fmt: skip
    """Fill constant and rate of joint j: its servo and, where one acts, its stop."""
    numbers[CONSTANT, j], numbers[RATE, j] = numbers[MOTOR, j], numbers[DAMPING, j]
    if sides[j] != 0:
        numbers[CONSTANT, j] += stop(lower, upper, stiffness, sides[j], q)
        numbers[RATE, j] += damping + dt * stiffness
