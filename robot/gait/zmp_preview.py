"""Preview control of the zero-moment point: a motion of the CoM whose ZMP follows a reference.

[KajitaEtAl2003]. One horizontal axis of the linear inverted pendulum with the jerk u as input,

    x = (c, dc/dt, d2c/dt2),   x_{k+1} = A x_k + b u_k,   p_k = c_z x_k,   c_z = (1, 0, -z_c/g),
    A = [1 T T^2/2; 0 1 T; 0 0 1],   b = (T^3/6, T^2/2, T),

and the cost sum of Q e_k^2 + R Du_k^2, e = p - p_ref, Du_k = u_k - u_{k-1}. For the state
(e_k, Dx_k), Dx_k = x_k - x_{k-1},

    A~ = [1 c_z A; 0 A],  b~ = (c_z b, b),  I~ = (1, 0, 0, 0),  F~ = (c_z A, A),  P from the DARE,
    s = 1/(R + b~'P b~),  G_i = s b~'P I~,  G_x = s b~'P F~,
    G_d(1) = -G_i,  G_d(l) = s b~'X_{l-1},  X_1 = -A_c~'P I~,  X_l = A_c~'X_{l-1},
    Du_k = -G_i e_k - G_x Dx_k - sum over j = 1..N of G_d(j) (p_ref_{k+j} - p_ref_{k+j-1}).

This incremental form is optimal for any reference. The sum over k printed in the paper,
u_k = -G_i sum e - G_x x - sum G_d p_ref, differs from it by constants that vanish only if the
reference is zero up to the end of the first window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robot.gait.footholds import GaitError
from sole.base.arrays import FloatArray, frozen
from sole.base.compiled import kernel
from sole.base.constants import GRAVITY

WINDOW = 1.6  # s of preview


@dataclass(frozen=True, eq=False, kw_only=True)
class PreviewGains:
    """Gains of the preview control of one axis; see the top of this file for the formulas.

    Parameters
    ----------
    dt : T [s].
    height : z_c, height of the centre of mass over the ZMP [m].
    gravity : g [m/s^2].
    A, b, c_z : (3, 3), (3,), (3,) matrices of the pendulum.
    G_i, G_x, G_d : integral gain, (3,) and (N,).
    P : (4, 4) solution of the Riccati equation.
    """

    dt: float
    height: float
    gravity: float
    A: FloatArray
    b: FloatArray
    c_z: FloatArray
    G_i: float
    G_x: FloatArray
    G_d: FloatArray
    P: FloatArray

    def __deepcopy__(self, memo: dict[int, Any]) -> PreviewGains:
        # A copy of a read-only array can be written: kernels would be compiled for it again.
        return self


@dataclass(frozen=True, eq=False)
class Track:
    """Motion of the centre of mass at N ticks; the last axis is x, y.

    Parameters
    ----------
    position, velocity, acceleration, jerk : (N, 2); the jerk holds until the next tick.
    zmp : (N, 2) ZMP of the pendulum.
    """

    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    jerk: FloatArray
    zmp: FloatArray


def preview_gains(
    dt: float,
    height: float,
    *,
    window: float = WINDOW,
    Q: float = 1.0,
    R: float | None = None,
    gravity: float = GRAVITY,
) -> PreviewGains:
    """Return the gains; `window` = N T [s] is the length of the preview.

    By default R = 1e-6 at T = 5 ms as in [KajitaEtAl2003]. For the same behaviour at other T the
    cost must tend to the same integral of Q e^2 + R (T du/dt)^2 over T, so R T^2 = 2.5e-11.
    """
    R = 2.5e-11 / dt**2 if R is None and dt > 0 else R
    values = {"dt": dt, "height": height, "window": window, "Q": Q, "R": R, "gravity": gravity}
    for name, value in values.items():
        if value is None or not 0 < value < math.inf:
            raise GaitError(f"{name} of the preview control must be positive, got {value}")
    assert R is not None
    N = round(window / dt)
    if not 1 <= N <= 100_000:
        raise GaitError(f"a window of {window:g} s has {N} ticks of {dt:g} s: use 1 to 100000")
    T = dt
    A = np.array([[1, T, T**2 / 2], [0, 1, T], [0, 0, 1]])
    b = np.array([T**3 / 6, T**2 / 2, T])
    c_z = np.array([1, 0, -height / gravity])
    A_t = np.block([[np.ones((1, 1)), (c_z @ A)[None]], [np.zeros((3, 1)), A]])
    b_t, F = np.append(c_z @ b, b), A_t[:, 1:]
    P = _riccati(A_t, b_t, Q, R)
    s = 1 / (R + b_t @ P @ b_t)
    G_i, G_x = s * b_t @ P[:, 0], s * b_t @ P @ F
    A_c = A_t - np.outer(b_t, np.append(G_i, G_x))
    G_d = np.empty(N)
    G_d[0], X = -G_i, -A_c.T @ P[:, 0]
    for l in range(1, N):
        G_d[l], X = s * b_t @ X, A_c.T @ X
    return PreviewGains(
        dt=T, height=height, gravity=gravity,
        A=frozen(A), b=frozen(b), c_z=frozen(c_z),
        G_i=float(G_i), G_x=frozen(G_x), G_d=frozen(G_d), P=frozen(P),
    )  # fmt: skip


def _riccati(A: FloatArray, b: FloatArray, Q: float, R: float) -> FloatArray:
    """Solve the DARE with cost Q on the first state in balanced units; check the residual."""
    d = np.array([1.0, 1.0, 0.1, 0.01])  # scales of e, c, velocity, acceleration over about 0.1 s
    scaled, input_ = A * d / d[:, None], b / d / np.linalg.norm(b / d)
    weight = np.zeros((4, 4))
    weight[0, 0] = 1.0
    r = R / Q / float(np.linalg.norm(b / d)) ** 2
    from scipy.linalg import solve_discrete_are

    P = solve_discrete_are(scaled, input_[:, None], weight, np.array([[r]]))
    K = input_ @ P @ scaled / (r + input_ @ P @ input_)
    closed = scaled - np.outer(input_, K)
    error = scaled.T @ P @ closed + weight - P
    if not np.abs(error).max() <= 1e-7 * np.abs(P).max():
        raise GaitError("round-off spoils the preview gains: change R, or use a longer dt")
    return np.asarray(Q * P / d / d[:, None])


def track(gains: PreviewGains, reference: ArrayLike, start: ArrayLike | None = None) -> Track:
    """Follow the ZMP `reference` (N, 2) [m], given at every tick and constant after its end.

    `start` (3, 2): position, velocity and acceleration of the centre of mass at the first tick; by
    default at rest over the first reference.
    """
    reference = np.array(reference, dtype=float)
    if reference.ndim != 2 or reference.shape[1] != 2 or not reference.size:
        raise GaitError(f"a ZMP reference must have shape (N, 2), got {reference.shape}")
    x0 = np.zeros((3, 2))
    x0[0] = reference[0]
    if start is not None:
        x0 = np.array(start, dtype=float)
    if x0.shape != (3, 2) or not (np.isfinite(x0).all() and np.isfinite(reference).all()):
        raise GaitError("reference and start (3, 2) must be finite")
    N = gains.G_d.size
    steps = np.diff(reference, axis=0, append=np.repeat(reference[-1:], N, axis=0))
    ahead = np.column_stack([_preview(steps[:, i], gains.G_d) for i in range(2)])
    x, u = _run(gains.A, gains.b, gains.c_z, gains.G_i, gains.G_x, ahead, reference, x0)
    return Track(x[:, 0], x[:, 1], x[:, 2], u, np.einsum("j,kji->ki", gains.c_z, x))


def _preview(steps: FloatArray, G_d: FloatArray) -> FloatArray:
    """Return sum over j = 1..N of G_d(j) steps[k + j - 1] for every tick k."""
    return np.correlate(steps, G_d, "valid")


@kernel
def _run(
    A: FloatArray,
    b: FloatArray,
    c_z: FloatArray,
    G_i: float,
    G_x: FloatArray,
    ahead: FloatArray,
    reference: FloatArray,
    x0: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    n = reference.shape[0]
    x, u = np.zeros((n, 3, 2)), np.zeros((n, 2))
    for i in range(2):
        c, v, a = x0[0, i], x0[1, i], x0[2, i]
        # x_{-1} = A^-1 x_0: no jerk before the start
        T = A[0, 1]
        dc, dv, da = T * v - T * T / 2 * a, T * a, 0.0
        jerk = 0.0
        for k in range(n):
            x[k, 0, i], x[k, 1, i], x[k, 2, i] = c, v, a
            e = c + c_z[2] * a - reference[k, i]
            jerk -= G_i * e + G_x[0] * dc + G_x[1] * dv + G_x[2] * da + ahead[k, i]
            u[k, i] = jerk
            dc = A[0, 1] * v + A[0, 2] * a + b[0] * jerk
            dv = A[1, 2] * a + b[1] * jerk
            da = b[2] * jerk
            c, v, a = c + dc, v + dv, a + da
    return x, u
