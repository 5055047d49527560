"""The bodies of a time step, contact points on a compliant sole or rigid, and a ground for each.

A body that touches something movable is described in the axes of that thing: pose, twist and
Jacobian of the body are relative, and the thing is its ground. The force then acts on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact.constants import FRICTION
from contact.ground import CompiledGround, Ground
from contact.problem import Compliances
from contact.step.look_kernels import fill_rigid_geometry
from contact.step.step_arrays import BodyArrays
from contact.wrench_cone import Hull
from sole.base.arrays import BoolArray, FloatArray, IntArray, asymmetry, frozen, sealed
from sole.base.compiled import packed
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


class SeveralGrounds:
    """The grounds of all bodies, queried together.

    Parameters
    ----------
    grounds : one for each body. bodies : whose nodes are queried, in their order.

    Attributes
    ----------
    slots : S, surfaces that a node may touch at once: 2, more on overlapping round pieces.
    planes : (B, 4) normal n and n.o of the one plane that is each body's ground; (0, 4) if any
        body has another ground.
    pieces : reach and `GroundArrays` of the one ground of all bodies; None if it is a plane, or if
        there are several.
    """

    def __init__(self, grounds: Sequence[Ground], bodies: Bodies) -> None:
        if len(grounds) != bodies.count:
            raise SoleError(f"{bodies.count} bodies need a ground each, got {len(grounds)}")
        self.parts: list[tuple[slice, CompiledGround]] = []
        for b, ground in enumerate(grounds):
            nodes = bodies.nodes_of(b)
            if self.parts and self.parts[-1][1] is ground.compiled:
                nodes = slice(self.parts.pop()[0].start, nodes.stop)
            self.parts.append((nodes, ground.compiled))
        self.slots = max(ground.surfaces for _, ground in self.parts)
        first = self.parts[0][1]
        single = len(self.parts) == 1 and first.plane is None
        self.pieces = (first.reach, packed(first.arrays)) if single else None
        planes = [ground.compiled.plane for ground in grounds]
        flat = [p for p in planes if p is not None]
        self.planes = np.array([[*n, n @ o] for o, n in flat] if len(flat) == len(planes) else [])
        self.planes = self.planes.reshape(-1, 4)

    def nearest(
        self, points: FloatArray, outside: FloatArray
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return gaps (M, S), normals (M, S, 3) and pieces (M, S), axes of the bodies' grounds.

        As `CompiledGround.query` of finite nodes (M, 3), with the S = `slots` surfaces nearest to
        each.
        """
        if len(self.parts) == 1:
            return self.parts[0][1].nearest(points, outside, self.slots)
        found = [ground.nearest(points[k], outside[k], self.slots) for k, ground in self.parts]
        gap, normal, solid = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return gap, normal, solid
