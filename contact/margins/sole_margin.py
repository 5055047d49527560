"""How close a pressed compliant sole is to slipping, yawing or tilting.

The margins hold for the present pressure. As long as the normal forces stay as they are,

    slip, yaw   the friction at every node carries the load along the ground up to the limit
                surface (`contact.margins.limit_surface`),
    tilt        the centre of pressure stays in the hull of the points that can carry
                (`contact.wrench_cone.support_hull`).

Both margins are 1 - gauge like that of a rigid foot (`contact.wrench_cone`): 1 for a vertical
force at the centre, 0 where the foot gives way. They need only forces at points: of a press, of a
time step, of a sensor. Where slip and lift-off of single nodes begin is another
question: `contact.papers.onset.SoleCone`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from contact.frames import frames_of
from contact.ground import Ground, Plane, Slope
from contact.margins.limit_surface import (
    TOLERANCE,
    LimitSurface,
    check_gauge,
    check_plane,
    no_friction,
)
from contact.margins.limit_surface_kernels import slip_gauge
from contact.margins.slip_plane_kernels import fit_plane, select_loaded_contacts, sum_in_plane
from contact.wrench_cone import Hull, flat_words
from sole.base.arrays import FloatArray, sealed, shaped
from sole.base.checks import numbers
from sole.base.compiled import packed
from sole.base.errors import SoleError

if TYPE_CHECKING:
    from contact.press import PressedRecord, PressedSole
    from contact.step import ContactStep, StepResult

PULLING = 1e-9  # normal force below this part of the largest, negative, is round-off
LEVEL = 1e-6  # of the size of the tread: heights above the lowest node that are round-off of a mesh
STRAIGHT = 1e-6  # a margin this near to 1 has no direction
SLIGHT = 20.0  # radii of gyration: a sole that turns about a point farther away slides


@dataclass(frozen=True, eq=False, kw_only=True)
class SoleMargin:
    """Margins of a sole under its present pressure.

    Parameters
    ----------
    slip : against sliding and yawing, 1 - gauge, proved from below by explicit friction forces;
        -inf where friction cannot carry the load along the ground at all.
    slip_most : the same, proved from above by `motion`.
    tilt : against tipping, 1 - gauge of the centre of pressure in `hull`.
    motion : (vx, vy, omega) of the foot's origin in which it gives way, along the plane of contact
        (x forward, y left); the centre of friction moves at 1 m/s, or turns at 1/radius. Zero
        without load along the ground.
    centre, radius : of friction: centre (2,) and radius of gyration of mu_i p_i [m].
    hull, edge : of the points that can carry, and the edge the foot would tip about.
    cop : centre of pressure (2,), foot's x and y [m].
    force : sum of the normal forces [N].
    """

    slip: float
    slip_most: float
    tilt: float
    motion: FloatArray
    centre: FloatArray
    radius: float
    hull: Hull
    edge: int
    cop: FloatArray
    force: float

    @property
    def value(self) -> float:
        """The smaller of `slip` and `tilt`."""
        return min(self.slip, self.tilt)

    @property
    def pivot(self) -> FloatArray | None:
        """(2,) the point that rests when the foot slips, None if it slides without turning."""
        vx, vy, omega = self.motion
        v = np.hypot(vx - omega * self.centre[1], vy + omega * self.centre[0])
        if abs(omega) * self.radius * SLIGHT < v or omega == 0.0:
            return None
        return np.asarray(np.array([-vy, vx]) / omega)

    @property
    def slip_words(self) -> str:
        """How it slips: 'slide forward', 'yaw left about (0.01, 0) m'; directions of the foot."""
        vx, vy, omega = self.motion
        pivot = self.pivot
        if not self.motion.any():
            return "slide" if self.slip <= 0 else "no load along the ground"
        if pivot is None:
            return flat_words(np.array([[-vx, -vy, 0.0, 0.0, 0.0, 0.0]]), 1.0)[0]
        x, y = np.round(pivot, 4)  # tenths of millimetres
        turn = flat_words(omega * np.array([[-y, x, 0.0, 0.0, 0.0, -1.0]]), 1.0)[0]
        v = np.array([vx - omega * self.centre[1], vy + omega * self.centre[0]])
        if np.hypot(*v) <= abs(omega) * self.radius:
            return turn
        slide = flat_words(np.array([[-v[0], -v[1], 0.0, 0.0, 0.0, 0.0]]), 1.0)[0]
        return f"{slide}, {turn.replace('yaw', 'turning')}"

    @property
    def tilt_words(self) -> str:
        """The edge it tips about: 'tilt about heel'."""
        n = self.hull.normals[self.edge]
        return flat_words(np.array([[0.0, 0.0, 0.0, n[1], -n[0], 0.0]]), 1.0)[0]

    @property
    def first(self) -> str:
        """How the foot gives way first, in words."""
        if self.value > 1 - STRAIGHT:
            return "pressed straight at the centre"
        return self.slip_words if self.slip <= self.tilt else self.tilt_words

    def __str__(self) -> str:
        """Return the verdict: 'yaw left about (0.01, 0) m first: 34 % margin'."""
        if self.value > 1 - STRAIGHT:
            return f"{self.first}: 100 % margin"
        return f"{self.first} first: {100 * self.value:.3g} % margin"


def sole_margin(
    points: ArrayLike,
    forces: ArrayLike,
    friction: ArrayLike,
    *,
    frames: ArrayLike | None = None,
    support: ArrayLike | None = None,
) -> SoleMargin:
    """Return the margins of a sole from its nodal forces.

    Parameters
    ----------
    points : (K, 3) of the contacts, axes of the foot [m].
    forces : (K, 3) of the ground on the sole, axes of the foot [N].
    friction : Coulomb's mu, one or (K,).
    frames : (K, 3, 3) rows t1, t2, n of the contacts, axes of the foot; default flat.
    support : (n, 2 or 3) points whose hull can carry; default all `points`.

    Raises
    ------
    EquilibriumError
        No contact carries force.
    SoleError
        Shapes, forces that pull, or normals that lean too much (`limit_surface.STEEPEST`).
    """
    x = numbers("points", points)
    if x.ndim != 2 or x.shape[1] != 3 or len(x) == 0:
        raise SoleError(f"points must have shape (K, 3), K > 0, got {x.shape}")
    f = shaped("forces", forces, (len(x), 3))
    P = np.tile(np.eye(3), (len(x), 1, 1)) if frames is None else numbers("frames", frames)
    LimitSurface(x, np.ones(len(x)), friction, P)  # refuses wrong shapes
    r = np.einsum("kab,kb->ka", P, f)
    least = float(r[:, 2].min())
    if least < -PULLING * float(np.abs(r).max()):
        raise SoleError(f"a normal force pulls by {-least:g} N: contact can only push")
    mu = np.broadcast_to(numbers("friction", friction), (len(x),))
    hull = Hull.of(x if support is None else support)
    return _margin(np.ascontiguousarray(x), np.ascontiguousarray(P), r, np.array(mu), hull)


def press_margin(result: PressedSole | PressedRecord) -> SoleMargin:
    """Return the margins of a pressed sole, or of one read from its file.

    On a plane or slope the tread can carry where it carries now, and where it lies no higher above
    its lowest point than the largest displacement of the press can close: a toe that rises or the
    ends of a rocker do not count. On other ground the nodes that carry now.

    Raises
    ------
    EquilibriumError
        The foot is not loaded.
    SoleError
        The ground is too rugged under the foot (`contact.margins.limit_surface.STEEPEST`).
    """
    x, P, r = _contacts(result)
    support = x
    if _flat(result.ground) or not len(x):
        arms = _arms(result)
        moved = float(np.linalg.norm(result.displacements, axis=1).max(initial=0.0))
        low = arms[:, 2] <= moved + LEVEL * float(np.ptp(arms, axis=0).max())
        support = np.vstack([arms[low], x])
    return _margin(x, P, r, np.full(len(x), float(result.friction)), Hull.of(support))


def press_surface(result: PressedSole | PressedRecord) -> LimitSurface:
    """Return the limit surface of a pressed sole: what its friction could carry.

    Raises
    ------
    EquilibriumError, SoleError
        As for `press_margin`.
    """
    x, P, r = _contacts(result)
    if not len(x):
        check_plane(0.0, 0.0)
    return LimitSurface(x, np.maximum(r[:, 2], 0.0), float(result.friction), P)


def _arms(result: PressedSole | PressedRecord) -> FloatArray:
    """(m, 3) nodes from the projected origin, sole frame."""
    return np.asarray(result.force_points - np.array([0.0, 0.0, result.points[:, 2].min()]))


def _contacts(result: PressedSole | PressedRecord) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points (K, 3), frames (K, 3, 3) and reactions (K, 3) of the contacts that carry force."""
    R, t = result.pose[:3, :3], result.pose[:3, 3]
    world = (result.points + result.displacements) @ R.T + t
    _, normals = result.ground.gaps(world, result.start)
    f = result.contact_forces.reshape(-1, 3)
    carrying = f.any(axis=1)
    P = np.ascontiguousarray(frames_of(normals.reshape(-1, 3) @ R)[carrying])
    x = np.tile(_arms(result), (len(result.contact_forces), 1))[carrying]
    return x, P, np.einsum("kab,kb->ka", P, f[carrying])


def step_margins(stepper: ContactStep, result: StepResult) -> tuple[SoleMargin | None, ...]:
    """Return the margins of every foot at the end of a time step; None for one without load.

    Of the forces of the last sub-step at the deformed nodes. On a plane or slope all points of a
    foot can carry, elsewhere the nodes that do now. Some tens of microseconds for each foot.

    Raises
    ------
    SoleError
        The ground is too rugged under a foot.
    """
    f, ground, count = result.frame, stepper.ground, stepper.bodies.count
    grounds = [ground] * count if isinstance(ground, Ground) else ground
    margins: list[SoleMargin | None] = []
    for body in range(count):
        x, P, r, mu = select_loaded_contacts(
            packed(f.contacts), body, result.state.forces, f.near.local, f.friction
        )
        if not (len(x) and r[:, 2].max() > 0):
            margins.append(None)
            continue
        hull = stepper.bodies.hulls[body] if _flat(grounds[body]) else Hull.of(x)
        margins.append(_margin(x, P, r, mu, hull))
    return tuple(margins)


def _flat(ground: Ground) -> bool:
    return isinstance(ground, Plane | Slope)


def _margin(x: FloatArray, P: FloatArray, r: FloatArray, mu: FloatArray, hull: Hull) -> SoleMargin:
    """Margins of reactions r (K, 3) in the frames P (K, 3, 3), not checked."""
    p = np.maximum(r[:, 2], 0.0)
    holding = mu * p
    axes, centre = np.zeros((3, 3)), np.zeros(3)
    force, strength, radius, common = fit_plane(x, P, p, holding, axes, centre)
    check_plane(force, common)
    load, d = np.empty(3), np.zeros(3)
    sum_in_plane(x, P, r[:, :2], axes, centre, load)
    if strength > 0.0:
        s = np.empty((len(x), 2))
        least, gauge, _ = slip_gauge(
            x, P, holding, axes, centre, strength, radius, load, TOLERANCE, d, s
        )
        check_gauge(gauge)
    else:
        least = gauge = no_friction(load, force)
    along = axes[:2] @ centre
    cop = p @ x[:, :2] / force
    tilt, edge = hull.margin(cop)
    size = math.sqrt(d[0] ** 2 + d[1] ** 2 + (radius * d[2]) ** 2) or abs(d[2])
    if size > 0.0:
        d /= -size  # the foot moves against the friction
        d[0] += d[2] * along[1]  # of the origin
        d[1] -= d[2] * along[0]
    return SoleMargin(
        slip=1.0 - float(gauge),
        slip_most=1.0 - float(least),
        tilt=tilt,
        motion=sealed(d),
        centre=sealed(along),
        radius=float(radius),
        hull=hull,
        edge=edge,
        cop=sealed(cop),
        force=float(force),
    )
