"""The limit surface of a pressed sole: the loads that friction carries under its pressure.

Contacts i with normal forces p_i >= 0, friction mu_i and frames (t1, t2, n)_i. As long as the
pressures stay as they are, the friction forces s_i, |s_i| <= mu_i p_i, span a convex body of
loads along the plane of contact, w = (f1, f2, m), whose support function is

    h(d) = sum_i mu_i p_i |B_i d|,    B_i d: slip of contact i in the motion d = (v1, v2, omega),

the power that the body dissipates in sliding with d [GoyalRuinaPapadopoulos1991]. So, with
w . d = 1 the scale,

    gauge(w) = least share of all discs that carries w = 1 / min {h(d) : w . d = 1}.

Minimum and discs bound it from both sides: any d from below, any forces that sum up to w from
above. The margin is 1 - gauge: 1 without load along the plane, 0 when the sole slides or turns.

The plane is that of the mean normal N = sum p_i n_i, t1 the foot's forward axis in it. Contacts
whose normals lean to N slide up or down; their discs are projected, and what their normal forces
push along the plane is not counted as friction. Beyond `STEEPEST` that means little.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from contact.margins.limit_surface_kernels import slip_gauge
from contact.margins.slip_plane_kernels import fit_plane, sum_in_plane
from contact.wrench_cone import LEAST_LOAD
from sole.base.arrays import FloatArray, frozen, shaped
from sole.base.checks import numbers
from sole.base.errors import EquilibriumError, SoleError

TOLERANCE = 1e-8  # of a gauge, relative
STEEPEST = 30.0  # deg, of the normals to their mean, weighted by force
ROUND_OFF = 1e-9  # load over pressing force that counts as zero without friction


@dataclass(frozen=True, eq=False, kw_only=True)
class Slip:
    """How a load compares with the limit surface.

    Parameters
    ----------
    gauge : the share of friction that carries it, proved by `forces`; infinite beyond reach.
    least : no smaller share can, proved by `motion`.
    motion : (3,) d = (v1, v2, omega) of the origin with w . d = 1: the direction in which the
        ground's friction gives way. The foot moves along -d.
    forces : (K, 2) friction s_i along (t1, t2)_i that sums up to w [N]; zero if gauge is infinite.
    """

    gauge: float
    least: float
    motion: FloatArray
    forces: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitSurface:
    """The limit surface of contacts under given normal forces.

    Parameters
    ----------
    points : (K, 3) from where wrenches are taken, axes of the foot [m].
    normal_forces : p (K,) >= 0 [N].
    friction : mu, one or (K,).
    frames : (K, 3, 3) rows t1, t2, n; default flat, the axes of the foot.

    Attributes
    ----------
    axes : (3, 3) rows t1, t2, N of the plane.
    centre : (3,) of the discs, weighted by mu_i p_i.
    force, strength : sum p_i and sum mu_i p_i [N].
    radius : radius of gyration of the discs about N through their centre [m].
    """

    points: FloatArray
    normal_forces: FloatArray
    friction: FloatArray
    frames: FloatArray
    axes: FloatArray = field(init=False)
    centre: FloatArray = field(init=False)
    force: float = field(init=False)
    strength: float = field(init=False)
    radius: float = field(init=False)
    holding: FloatArray = field(init=False, repr=False)

    def __init__(
        self,
        points: ArrayLike,
        normal_forces: ArrayLike,
        friction: ArrayLike,
        frames: ArrayLike | None = None,
    ) -> None:
        x = numbers("points", points)
        if x.ndim != 2 or x.shape[1] != 3 or len(x) == 0 or not np.isfinite(x).all():
            raise SoleError(f"points must be finite and (K, 3), K > 0, got shape {x.shape}")
        K = len(x)
        p = shaped("normal forces", normal_forces, (K,))
        mu = numbers("friction", friction)
        mu = shaped("friction", np.full(K, mu) if mu.ndim == 0 else mu, (K,))
        P = np.tile(np.eye(3), (K, 1, 1)) if frames is None else shaped("frames", frames, (K, 3, 3))
        if (p < 0).any():
            raise SoleError(f"normal forces must not pull, got {p.min():g} N")
        if (mu < 0).any():
            raise SoleError(f"friction must not be negative, got {mu.min():g}")
        if np.abs(P @ P.transpose(0, 2, 1) - np.eye(3)).max() > 1e-6:
            raise SoleError("frames must have orthonormal rows t1, t2, n")
        if (np.linalg.det(P) < 0).any():
            raise SoleError("frames t1, t2, n must be right-handed, got a reflection: det = -1")
        self._prepare(np.ascontiguousarray(x), p, mu, np.ascontiguousarray(P))

    def _prepare(self, x: FloatArray, p: FloatArray, mu: FloatArray, P: FloatArray) -> None:
        axes, centre, holding = np.zeros((3, 3)), np.zeros(3), mu * p
        force, strength, radius, common = fit_plane(x, P, p, holding, axes, centre)
        check_plane(force, common)
        values = {
            "points": x, "normal_forces": p, "friction": mu, "frames": P, "axes": axes,
            "centre": centre, "holding": holding,
        }  # fmt: skip
        for name, array in values.items():
            object.__setattr__(self, name, frozen(array))
        for name, number in (("force", force), ("strength", strength), ("radius", radius)):
            object.__setattr__(self, name, float(number))

    def support(self, motions: ArrayLike) -> FloatArray:
        """Return h(d) (...,) [W per motion] of motions (..., 3), (v1, v2, omega) of the origin."""
        d = numbers("motions", motions)
        if d.ndim == 0 or d.shape[-1] != 3:
            raise SoleError(f"motions must have shape (..., 3), got {d.shape}")
        velocity, turn = d[..., :2] @ self.axes[:2], d[..., 2:] * self.axes[2]
        moved = velocity[..., None, :] + np.cross(turn[..., None, :], self.points)
        slip = np.einsum("kab,...kb->...ka", self.frames[:, :2], moved)
        return np.asarray(np.linalg.norm(slip, axis=-1) @ self.holding)

    def load(self, tangential: ArrayLike) -> FloatArray:
        """Return (f1, f2, m) about the origin of friction forces (K, 2) along (t1, t2)_i."""
        s = np.ascontiguousarray(shaped("tangential forces", tangential, (len(self.points), 2)))
        out = np.empty(3)
        sum_in_plane(self.points, self.frames, s, self.axes, np.zeros(3), out)
        return out

    def slip(self, load: ArrayLike, tolerance: float = TOLERANCE) -> Slip:
        """Return the gauge of a load (f1, f2, m) [N, N m] about the origin, with its proofs.

        Without friction the gauge is infinite above round-off (1e-9 of the pressing force), and 1
        without load: nothing holds the foot.
        """
        w = shaped("load", load, (3,))
        shift = self.axes[:2] @ np.cross(self.axes[2], self.centre)  # of a point that turns
        at_centre = np.array([w[0], w[1], w[2] - shift @ w[:2]])
        motion, forces = np.zeros(3), np.zeros((len(self.points), 2))
        if self.strength == 0.0:
            gauge = least = no_friction(at_centre, self.force)
        else:
            least, gauge, _ = slip_gauge(
                self.points, self.frames, self.holding, self.axes, self.centre, self.strength,
                self.radius, at_centre, tolerance, motion, forces,
            )  # fmt: skip
            check_gauge(gauge)
            motion /= self.strength
            motion[:2] -= motion[2] * shift
            forces *= gauge if np.isfinite(gauge) else 0.0
        return Slip(gauge=gauge, least=least, motion=motion, forces=forces)

    def boundary(self, loads: ArrayLike, tolerance: float = TOLERANCE) -> FloatArray:
        """Return points (..., 3) of the surface in the directions of loads (..., 3)."""
        w = numbers("loads", loads)
        if w.ndim == 0 or w.shape[-1] != 3:
            raise SoleError(f"loads must have shape (..., 3), got {w.shape}")
        rows = w.reshape(-1, 3)
        gauges = np.array([self.slip(row, tolerance).gauge for row in rows])
        if not (gauges > 0).all():
            raise SoleError("a direction must not be zero")
        return np.asarray((rows / gauges[:, None]).reshape(w.shape))


def no_friction(load: FloatArray, force: float) -> float:
    """Return the gauge of a load (f1, f2, m) where friction is 0: 1 without load, else infinite."""
    return 1.0 if np.abs(load).max() <= ROUND_OFF * force else np.inf


def check_gauge(gauge: FloatArray | float) -> None:
    """Refuse gauges of which one is not a number.

    Raises
    ------
    SoleError
        Loads or arms are too large against the friction: numbers overflow.
    """
    if np.isnan(gauge).any():
        raise SoleError("a load or an arm is too large, numbers overflow: give N, N m and m")


def check_plane(force: float, common: float) -> None:
    """Refuse contacts that carry nothing or whose normals differ too much.

    Raises
    ------
    EquilibriumError
        Without load there is no margin.
    SoleError
        The normals, weighted by force, lean by more than `STEEPEST` to their mean:
        `common` = |sum p_i n_i| / sum p_i is less than its cosine.
    """
    if not force > LEAST_LOAD:
        raise EquilibriumError(
            "the contacts carry no normal force: a margin needs a foot that presses the ground"
        )
    lean = float(np.degrees(np.arccos(min(common, 1.0))))
    if lean > STEEPEST:
        raise SoleError(
            f"the contacts' normals lean by {lean:.0f} deg to their mean (weighted by force); a "
            f"margin against slip along a plane is defined up to {STEEPEST:.0f} deg"
        )
