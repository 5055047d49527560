"""Inverting U when the contact is a line, a point, or nearly so.

U of a line or a point is singular: no rotation about the line, and no rotation about the point, is
answered by a force. Torques that belong to such motions cannot be controlled; U^-1 would answer
them with endless motions. ([SygullaEtAl2017] asks for "special measures" and leaves them open.)

Angles and lengths have different units, so eigenvalues of U alone say nothing. They are taken
relative to the U of the whole foot, U_0, which is negative definite,

    U v = s U_0 v,    v' (-U_0) v = 1,

and are then shares s without unit, the same for any choice of unit or TCP; 0 <= s <= 1 where the
contact is a part of the foot on the same springs. With them U^-1 = -sum v v'/s, and the regularised
inverse replaces 1/s by

    damped   s / max(s, threshold)^2     exact above the threshold, then falling to 0 with s,
    cut      1/s or 0                    exact above the threshold, nothing below.

The damped one never jumps as a contact shrinks and its loop gain U times inverse never exceeds 1,
so that the force law stays as stable as with all of the foot. Motions that are not controllable
belong to position control: `Directions.projector` splits a motion of the foot accordingly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sole.base.arrays import BoolArray, FloatArray, frozen
from sole.base.checks import numbers
from sole.base.errors import SoleError

THRESHOLD = 1e-2  # share of the whole foot's stiffness below which a motion is not controlled
SYMMETRIC = 1e-8
SINGULAR = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Directions:
    """Motions of a foot in the order in which force control can use them.

    Parameters
    ----------
    shares : s (3,) descending: stiffness by the contact over stiffness by the whole foot.
    motions : V (3, 3), one column per share: (alpha_x, alpha_y, z_TCP), U v = s U_0 v.
    wrenches : -U_0 V (3, 3), the wrench (T_x, T_y, F_z) that belongs to each; V' wrenches = 1.
    inverse : (3, 3) regularised U^-1.
    threshold : below it a share counts as not controllable.
    """

    shares: FloatArray
    motions: FloatArray
    wrenches: FloatArray
    inverse: FloatArray
    threshold: float

    def __post_init__(self) -> None:
        for name in ("shares", "motions", "wrenches", "inverse"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def controllable(self) -> BoolArray:
        """(3,) which of the motions force control can use."""
        return np.asarray(self.shares >= self.threshold)

    @property
    def projector(self) -> FloatArray:
        """P (3, 3): P x is the part of a motion for force control, x - P x for position control."""
        c = self.controllable
        return self.motions[:, c] @ self.wrenches[:, c].T

    def reachable(self, wrench: ArrayLike) -> FloatArray:
        """P' wrench (..., 3): the nearest wrench that the contact can give.

        Nearest in lambda' U_0^-1 lambda, the compliance of the whole foot. With the cut inverse the
        force law ends there.
        """
        return np.asarray(numbers("wrench", wrench) @ self.projector)

    def describe(self) -> tuple[str, ...]:
        """Return one line per motion that cannot be controlled, in words."""
        lost = np.flatnonzero(~self.controllable)
        return tuple(f"share {self.shares[i]:.2g}: {_words(self.motions[:, i])}" for i in lost)


def directions(
    U: ArrayLike, whole: ArrayLike, threshold: float = THRESHOLD, *, cut: bool = False
) -> Directions:
    """Return which motions a contact answers, and the inverse of its U (3, 3).

    Parameters
    ----------
    U : of the contact, symmetric and negative semi-definite.
    whole : U_0 of the whole foot, negative definite.
    threshold : share between 0 and 1.
    cut : no damping: leave motions below the threshold alone.

    Raises
    ------
    SoleError
        Not symmetric, positive eigenvalues, NaN, or a singular U_0.
    """
    s, V, matrix = _solved(U, whole, threshold, cut)
    if s.shape != (3,):
        raise SoleError(f"directions takes one U (3, 3), got {np.shape(U)}")
    U_0 = np.asarray(whole, dtype=float)
    return Directions(shares=s, motions=V, wrenches=-U_0 @ V, inverse=matrix, threshold=threshold)


def regularised_inverse(
    U: ArrayLike, whole: ArrayLike, threshold: float = THRESHOLD, *, cut: bool = False
) -> FloatArray:
    """Return the inverses (..., 3, 3) of many U (..., 3, 3); see `directions`."""
    return _solved(U, whole, threshold, cut)[2]


def inverse(U: ArrayLike) -> FloatArray:
    """Return U^-1 (..., 3, 3), also of an unsymmetric U.

    Raises
    ------
    SoleError
        U is singular: a line or a point of contact, or none; or it is not
        negative definite as the ground's stiffness is (unsymmetric: eigenvalues with Re < 0).
    """
    U = _matrices("U", U)
    size = np.sqrt(np.abs(np.einsum("...ii->...i", U)))
    size = np.where(size > 0, size, 1.0)
    scaled = U / (size[..., :, None] * size[..., None, :])  # without units
    if (np.abs(np.linalg.det(scaled)) <= SINGULAR).any():
        raise SoleError(
            "U is singular: the contact is a line, a point or nothing; take "
            "contact.papers.foundation.regularised_inverse with the U of the whole foot"
        )
    most = float(np.linalg.eigvals(scaled).real.max(initial=-np.inf))
    if most > 0:
        raise SoleError(
            f"U must be negative definite (the ground answers a push with one against it), got an "
            f"eigenvalue {most:.3g} of U scaled to a diagonal of 1: is the sign that of K6?"
        )
    return np.asarray(np.linalg.inv(scaled) / (size[..., :, None] * size[..., None, :]))


def _solved(
    U: ArrayLike, whole: ArrayLike, threshold: float, cut: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Shares (..., 3) descending, motions (..., 3, 3) and regularised inverses (..., 3, 3)."""
    if not 0 < threshold < 1:
        raise SoleError(f"the threshold is a share between 0 and 1, got {threshold:g}")
    U, U_0 = _symmetric("U", U), _symmetric("U of the whole foot", whole)
    if U_0.shape != (3, 3):
        raise SoleError(f"U of the whole foot must be (3, 3), got {U_0.shape}")
    size = np.sqrt(np.abs(np.diagonal(U_0)))
    if not (size > 0).all() or np.linalg.eigvalsh(-U_0 / np.outer(size, size))[0] <= SINGULAR:
        raise SoleError(
            "U of the whole foot must be negative definite: take the U of an area, not of a line"
        )
    L = np.linalg.cholesky(-U_0 / np.outer(size, size)) * size[:, None]  # L L' = -U_0
    F = np.linalg.inv(L)
    s, Q = np.linalg.eigh(-F @ U @ F.T)
    s, V = s[..., ::-1], (F.T @ Q)[..., ::-1]
    if (s[..., -1] < -SYMMETRIC * np.maximum(1.0, s[..., 0])).any():
        raise SoleError(
            f"U must be negative semi-definite, got a stiffness share of {s[..., -1].min():.3g}"
        )
    s = np.maximum(s, 0.0)
    gain = np.where(s >= threshold, 1 / np.maximum(s, threshold), 0 if cut else s / threshold**2)
    return s, V, -(V * gain[..., None, :]) @ np.swapaxes(V, -1, -2)


def _matrices(name: str, values: ArrayLike) -> FloatArray:
    array = numbers(name, values)
    if array.shape[-2:] != (3, 3) or not np.isfinite(array).all():
        raise SoleError(f"{name} must be finite and (..., 3, 3), got shape {array.shape}")
    return array


def _symmetric(name: str, values: ArrayLike) -> FloatArray:
    U = _matrices(name, values)
    size = np.sqrt(np.abs(np.einsum("...ii->...i", U)))
    skew = np.abs(U - np.swapaxes(U, -1, -2))
    if (skew > SYMMETRIC * (size[..., :, None] * size[..., None, :])).any():
        raise SoleError(
            f"{name} must be symmetric (with the cosines or with friction it is not: use "
            "contact.papers.foundation.inverse)"
        )
    return (U + np.swapaxes(U, -1, -2)) / 2


def _words(v: FloatArray) -> str:
    """Name the axis of a motion: the points (x, y) at rest are a line a y - b x + z = 0."""
    a, b, z = (float(c) for c in v)
    turn = np.hypot(a, b)
    if turn * 1e3 < abs(z):  # the axis is more than a kilometre away
        return "vertical translation"
    x, y = b * z / turn**2, -a * z / turn**2
    where, along = f"({x:.4g}, {y:.4g}) m", f"({a / turn:.3g}, {b / turn:.3g})"
    return f"rotation about the line through {where} along {along}"
