"""The bodies of a time step: contact points on a foot, on a compliant sole or rigid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact.constants import FRICTION
from contact.problem import Compliances
from contact.step.look_kernels import fill_rigid_geometry
from contact.step.step_arrays import BodyArrays
from contact.wrench_cone import Hull
from sole.base.arrays import BoolArray, FloatArray, IntArray, asymmetry, frozen, sealed
from sole.base.errors import ConfigError, SoleError
from sole.condense import CondensedSole

SYMMETRIC = 1e-8  # |C - C'| over |C| up to which C counts as symmetric


@dataclass(frozen=True, eq=False, kw_only=True)
class Body:
    """The contact points of one foot.

    Parameters
    ----------
    points : x (m, 3) undeformed nodes in the axes of the foot, from its origin [m].
    compliance : C (3m, 3m) [m/N], node-major, symmetric positive definite; None for points
        fixed to the foot.
    eta : Kelvin-Voigt time of the sole, F = K U + eta K dU/dt [s].
    friction : Coulomb's mu, one number or one per node.
    thickness : of the sole [m]; a `LinearRangeWarning` compares displacements with it. 0: unknown.
    """

    points: FloatArray
    compliance: FloatArray | None = None
    eta: float = 0.0
    friction: float | FloatArray = FRICTION
    thickness: float = 0.0

    def __post_init__(self) -> None:
        x = frozen(self.points)
        object.__setattr__(self, "points", x)
        if x.ndim != 2 or x.shape[1] != 3 or len(x) == 0 or not np.isfinite(x).all():
            raise SoleError(f"points must be finite and (m, 3), m > 0, got {x.shape}")
        if self.compliance is not None:
            C = frozen(self.compliance)
            object.__setattr__(self, "compliance", C)
            if C.shape != (x.size, x.size):
                raise SoleError(f"{len(x)} points need C {(x.size, x.size)}, got {C.shape}")
            _check_definite(C)
        if not (np.isfinite(self.eta) and self.eta >= 0):
            raise ConfigError(f"eta must be finite and not negative, got {self.eta:g} s")
        mu = np.asarray(self.friction, dtype=float)
        if mu.shape not in ((), (len(x),)):
            raise SoleError(f"friction has shape {mu.shape}, expected () or ({len(x)},)")
        if not (np.isfinite(mu) & (mu >= 0)).all():
            raise ConfigError("friction must be finite and not negative")

    @classmethod
    def of(
        cls, sole: CondensedSole, *, eta: float = 0.0, friction: float | FloatArray = FRICTION
    ) -> Body:
        """Return the body of a condensed sole; the foot frame is the sole frame."""
        return cls(
            points=sole.points,
            compliance=sole.compliance,
            eta=eta,
            friction=friction,
            thickness=sole.thickness,
        )


def _check_definite(C: FloatArray) -> None:
    """Refuse a compliance that is not symmetric positive definite: such a sole creates energy."""
    largest = float(np.abs(C).max())
    if not np.isfinite(largest):
        raise SoleError("compliance must be finite")
    if (uneven := asymmetry(C)) > SYMMETRIC * largest:
        raise SoleError(f"compliance must be symmetric: max |C - C'| is {uneven:.2g} m/N")
    try:
        np.linalg.cholesky(C)
    except np.linalg.LinAlgError as error:
        raise SoleError(
            "compliance must be positive definite: take that of a condensed sole, or None for "
            "rigid points"
        ) from error


class Bodies:
    """The arrays of all bodies, made once; nodes are numbered through all of them.

    Attributes
    ----------
    compliances : C of every body in one buffer.
    points : x (M, 3).
    body : (M,) body of every node.
    friction : mu (M,).
    eta : (B,) [s].
    rigid : (B,) whether it has no compliance.
    thickness : (B,) of its sole [m]; 0: unknown or rigid.
    arrays : the same for compiled loops.
    """

    def __init__(self, bodies: Sequence[Body]) -> None:
        if not bodies:
            raise SoleError("a time step needs at least one body")
        self.compliances = Compliances.of(
            [len(b.points) if b.compliance is None else b.compliance for b in bodies]
        )
        self.points: FloatArray = frozen(np.concatenate([b.points for b in bodies]))
        self.body: IntArray = self.compliances.body
        mu = [np.broadcast_to(np.asarray(b.friction, float), (len(b.points),)) for b in bodies]
        self.friction: FloatArray = frozen(np.concatenate(mu))
        self.eta: FloatArray = frozen([b.eta for b in bodies])
        self.rigid: BoolArray = frozen([b.compliance is None for b in bodies], np.bool_)
        self.thickness: FloatArray = np.where(self.rigid, 0.0, [b.thickness for b in bodies])
        self.arrays = BodyArrays(self.points, self.body, self.friction, self.rigid, self.eta)

    @property
    def count(self) -> int:
        """B, the number of bodies."""
        return len(self.eta)

    @property
    def nodes(self) -> int:
        """M, the number of nodes."""
        return len(self.points)

    @cached_property
    def some_rigid(self) -> bool:
        """Whether any body has no compliance."""
        return bool(self.rigid.any())

    @cached_property
    def geometry(self) -> FloatArray:
        """G0 (3M, 6): node velocity v + omega x x of a twist, undeformed."""
        G = np.empty((3 * self.nodes, 6))
        fill_rigid_geometry(self.points.copy(), G)
        return sealed(G)

    @cached_property
    def hulls(self) -> tuple[Hull, ...]:
        """Convex hull of every body's points, in its x and y."""
        return tuple(Hull.of(self.points[self.nodes_of(b)]) for b in range(self.count))

    def nodes_of(self, body: int) -> slice:
        """Return the nodes of one body."""
        return slice(int(self.compliances.first[body]), int(self.compliances.first[body + 1]))
