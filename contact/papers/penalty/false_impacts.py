"""A body on vertices with fixed time steps: force held over a step, load known late.

At t_k the penalty law (18) takes the load of t_{k-delay}, the body feels that of t_k:

    F_k = law(state_k, load_{k-delay}),   q_a = A^-1 (load_k - H + D F_k),
    v_{k+1} = v_k + dt a_k,   p_{k+1} = p_k + dt v_{k+1}      (semi-implicit Euler, centre of mass).

With delay = 0 the law cancels every load exactly and a body at rest stays. With delay = 1 a load
that drops by dF lifts the body for one step, dv = dF dt/m. The rise q = p - epsilon is undamped,

    v_{k+1} = v_k - kp dt q_k,  q_{k+1} = q_k + dt v_{k+1},  q_0 = 0, v_1 = dv:
    q_k = dv dt sin(k a)/sin a,   sin(a/2) = sqrt(kp) dt/2,                    `release_overshoot`

about dv/sqrt(kp) at its top, and contact is lost, a false impact following, unless |epsilon|
reaches as high. A load that falls steadily, -dF/dt = s, acts as a constant lift b = s dt/m:

    q_k = b/kp (1 - cos k a + tan(a/2) sin k a),                               `ramp_overshoot`

twice b/kp at its top if the fall begins at once, b/kp if slowly. Both as long as ground need not
pull: the law wants to bring the body back with kp q, but weight is all there is, kp q <= g.
"""

from __future__ import annotations

import math

import numpy as np

from contact.frames import rotation_of
from contact.papers.penalty.box_run import LoadFunction, VertexRun, compute_vertex_forces
from contact.papers.penalty.law import PenaltyLaw
from contact.papers.penalty.penalty_checks import (
    require_not_negative,
    require_positive_number,
    require_whole,
)
from contact.papers.penalty.vertices import VertexBody, VertexState
from sole.base.arrays import FloatArray, sealed, shaped
from sole.base.errors import ConfigError, ConvergenceError

FAR = 1e9  # m, m/s, rad/s: beyond that a motion has diverged


def run_in_steps(
    body: VertexBody,
    law: PenaltyLaw,
    start: VertexState,
    dt: float,
    count: int,
    *,
    load: LoadFunction | None = None,
    delay: int = 0,
) -> VertexRun:
    """Step `count` times by `dt`.

    Parameters
    ----------
    load : t -> Gamma_e (6,) in the zero frame [N, N m]; before the start it is that of t = 0.
    delay : steps by which the law knows it late, 0 or more.

    Raises
    ------
    SoleError
        dt not positive, count or delay negative or not whole, a load not six finite numbers.
    ConvergenceError
        The motion is no longer finite: kv dt must be below 2 and sqrt(kp) dt too.
    """
    dt = require_positive_number("dt", dt)
    count, delay = require_whole("count", count), require_whole("delay", delay)
    times = dt * np.arange(count + 1)
    loads = np.zeros((count + 1, 6))
    if load is not None:
        loads = shaped("loads", [load(float(t)) for t in times], (count + 1, 6))
    n = len(body.vertices)
    states, heights = np.empty((count + 1, 18)), np.empty((count + 1, n))
    forces = np.zeros((count + 1, n, 3))
    y = start.flat
    for k in range(count + 1):
        known = body.dynamics_of_flat(y, loads[max(k - delay, 0)])
        states[k], heights[k] = y, known.heights
        forces[k] = F = compute_vertex_forces(
            law, known, known.heights <= 0, known.velocities[:, 2] < 0
        )
        q_a = known.accelerations(F) + body.inverse @ (loads[k] - known.load)
        y = _stepped(y, q_a, body.body.com, dt)
        if not np.abs(y).max() < FAR:
            raise ConvergenceError(
                f"the motion diverges at {times[k]:.4g} s: take a step well below 2/kv = "
                f"{2 / max(law.kv, 1e-300):.3g} s and 2/sqrt(kp) = "
                f"{2 / math.sqrt(max(law.kp, 1e-300)):.3g} s",
                best=states[: k + 1],
            )
    total = forces.sum(axis=1)
    impulse = dt * np.concatenate([np.zeros((1, 3)), np.cumsum(total[:-1], axis=0)])
    return VertexRun(
        times=sealed(times),
        states=sealed(states),
        heights=sealed(heights),
        forces=sealed(forces),
        impulse=sealed(impulse),
        peak=float(total[:, 2].max()),
        evaluations=count + 1,
    )


def _stepped(y: FloatArray, q_a: FloatArray, c: FloatArray, dt: float) -> FloatArray:
    """Semi-implicit Euler of the centre of mass c and the axes: impulses are exact."""
    R, V, w = y[3:12].reshape(3, 3), y[12:15], y[15:]
    acceleration = q_a[:3] + _cross(q_a[3:], c) + _cross(w, _cross(w, c))
    speed = R @ (V + _cross(w, c) + dt * acceleration)
    place = y[:3] + R @ c + dt * speed
    w = w + dt * q_a[3:]
    turned = R @ rotation_of(dt * w)
    turned = turned @ (3 * np.eye(3) - turned.T @ turned) / 2  # back onto a rotation
    return np.concatenate([place - turned @ c, turned.ravel(), turned.T @ speed - _cross(w, c), w])


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Three numbers each: many times faster than np.cross."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def release_overshoot(kp: float, dt: float, dv: float) -> float:
    """Return max_k dv dt sin(k a)/sin a: |epsilon| that keeps contact after a release [m].

    Parameters
    ----------
    kp : > 0 [1/s^2].
    dt : step [s], sqrt(kp) dt < 2.
    dv : dF dt/m >= 0 [m/s].

    Raises
    ------
    SoleError
        For numbers out of these ranges.
    """
    require_not_negative("dv", dv)
    a = _angle(kp, dt)
    k = np.arange(1, 3) + math.floor(math.pi / 2 / a) - 1
    return float(dv * dt * np.sin(np.maximum(k, 1) * a).max() / math.sin(a))


def ramp_overshoot(kp: float, dt: float, lift: float) -> float:
    """Return max_k q_k of a load that starts to fall at once [m]; `lift` = s dt/m >= 0 [m/s^2]."""
    require_not_negative("lift", lift)
    a = _angle(kp, dt)
    k = np.arange(-1, 3) + math.floor(math.pi / a)
    q = 1 - np.cos(k * a) + math.tan(a / 2) * np.sin(k * a)
    return float(lift / kp * q.max())


def _angle(kp: float, dt: float) -> float:
    kp, dt = require_positive_number("kp", kp), require_positive_number("dt", dt)
    half = math.sqrt(kp) * dt / 2
    if half >= 1:
        raise ConfigError(f"sqrt(kp) dt must be below 2, got {2 * half:g}: take a smaller dt")
    return 2 * math.asin(half)
