"""Effective moduli of a rectangular pad bonded to the foot: the E of the springs E/d.

The springs of a Winkler foundation are right only for nu = 0, where nothing bulges. With nu > 0 the
foot, and the ground if the tread sticks to it, hinder the bulging and stiffen the pad, between

    E                                     free sides                            (lower bound)
    M = E (1 - nu)/((1 + nu)(1 - 2 nu))   no lateral strain anywhere            (upper bound).

In between the rubber is squeezed out sideways like a film. With the part p of the pressure that
hinders it, relative to M - E, and eps the vertical strain, this module takes

    p - l^2 (p_xx + p_yy) = eps(x, y),  p = 0 on the edges,  l^2 = t^2 (M - E)/(n G),

n = 12 if both faces are held (tread sticks), n = 3 if one slides. eps = 1 for sinking, eps = x for
pitching, eps = y for rolling, and the effective modulus is E + (M - E) <p eps>/<eps^2>. That is
exact for nu = 0, for thick pads (E), for wide thin ones (M), and for nu -> 1/2 it is Reynolds'
equation of a thin film as in [GentLindley1959], whose own formula for a square, E (1 + 2 S^2) with
S = area/free sides, is beside it. How close it is to finite elements: docs/foot_stiffness.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.checks import numbers, positive
from sole.base.errors import ConfigError, MaterialError

TERMS = 4000  # of the series across the pad; the rest is below 1e-4 of the sum


class PadModuli(NamedTuple):
    """Effective moduli [Pa] of a pad: for sinking, rolling (about x) and pitching (about y)."""

    vertical: float
    roll: float
    pitch: float


def confined_modulus(E: float, nu: float) -> float:
    """M = E (1 - nu)/((1 + nu)(1 - 2 nu)) [Pa]: stiffness without lateral strain."""
    _check_material(E, nu)
    return E * (1 - nu) / ((1 + nu) * (1 - 2 * nu))


def gent_lindley_modulus(E: float, nu: float, length: float, width: float, t: float) -> float:
    """E (1 + 2 S^2) in series with the bulk modulus [Pa], both faces held [GentLindley1959].

    S = loaded area over the area of the free sides.
    """
    _check_material(E, nu)
    _check_sizes(length=length, width=width, thickness=t)
    S = length * width / (2 * (length + width) * t)
    bulk = 3 * (1 - 2 * nu) / E
    return 1 / (1 / (E * (1 + 2 * S**2)) + bulk)


def pad_moduli(
    E: float, nu: float, length: float, width: float, t: float, *, sticks: bool = True
) -> PadModuli:
    """Effective moduli of a bonded pad, `length` (x) by `width` (y) by thickness `t` [m].

    U of the pad is about that of springs c_A = modulus/t, one modulus per row. With `sticks` the
    rotations contain the shear that turning about the tread needs: 1/4 K_s t^2.

    Raises
    ------
    MaterialError, ConfigError
        E <= 0, nu outside [0, 0.5), sizes that are not positive.
    """
    _check_material(E, nu)
    _check_sizes(length=length, width=width, thickness=t)
    M, G = confined_modulus(E, nu), E / (2 * (1 + nu))
    l2 = t**2 * (M - E) / ((12 if sticks else 3) * G)
    a, b = length / 2, width / 2
    rows = [E + (M - E) * f for f in (_sinking(a, b, l2), _turning(b, a, l2), _turning(a, b, l2))]
    shear = [_shear_share(G, E, s, t) if sticks else 0.0 for s in (b, a)]
    return PadModuli(rows[0], rows[1] + shear[0], rows[2] + shear[1])


def pad_U(
    moduli: PadModuli, length: float, width: float, t: float, centre: tuple[float, float] = (0, 0)
) -> FloatArray:
    """U (3, 3) of one pad about a TCP, the pad's `centre` (x, y) [m] seen from there.

    About the pad's centre U = -diag(roll I_xx, pitch I_yy, vertical A)/t; its motions follow from
    those of the foot, z_pad = z + y alpha_x - x alpha_y. Sum U over the pads of a foot.
    """
    _check_sizes(length=length, width=width, thickness=t)
    x, y = (float(c) for c in centre)
    A = length * width
    own = np.array([moduli.roll * width**2 / 12, moduli.pitch * length**2 / 12, moduli.vertical])
    seen = np.array([[1, 0, 0], [0, 1, 0], [y, -x, 1]])
    return np.asarray(-A / t * seen.T @ (own[:, None] * seen))


def _sinking(a: float, b: float, l2: float) -> float:
    """<p> for eps = 1: strips along x for every wave across."""
    share, alpha2, z = _waves(a, b, l2)
    return float(np.sum(share / alpha2 * (1 - np.tanh(z) / z)))


def _turning(a: float, b: float, l2: float) -> float:
    """<p x>/<x^2> for eps = x, a the half side along x."""
    share, alpha2, z = _waves(a, b, l2)
    return float(np.sum(share / alpha2 * (1 - 3 * (z / np.tanh(z) - 1) / z**2)))


def _waves(a: float, b: float, l2: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cosine waves k = n pi/(2 b) across: their share of 1, alpha^2 = 1 + l^2 k^2, alpha a/l."""
    n = np.arange(1, 2 * TERMS, 2)
    alpha2 = 1 + l2 * (n * np.pi / (2 * b)) ** 2
    z = np.sqrt(alpha2 / max(l2, 1e-12 * a * a)) * a
    return np.asarray(8 / (np.pi * n) ** 2), np.asarray(alpha2), np.asarray(z)


def _shear_share(G: float, E: float, half: float, t: float) -> float:
    """Return K_s t^2/4 over I/t, the part of shear in the modulus of a rotation (a short beam)."""
    I_over_A = half**2 / 3
    K_s = 1 / (t / G + t**3 / (12 * E * I_over_A))  # per area
    return K_s * t**3 / (4 * I_over_A)


def _check_material(E: float, nu: float) -> None:
    positive("E", E, "Pa", MaterialError)
    ratio = numbers("Poisson's ratio", nu)
    if ratio.ndim or not 0 <= ratio < 0.5:
        raise MaterialError(f"Poisson's ratio must be one number in [0, 0.5), got {nu}")


def _check_sizes(**sizes: float) -> None:
    for name, value in sizes.items():
        positive(name, value, "m", ConfigError)
