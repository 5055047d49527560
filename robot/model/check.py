"""Physical checks of bodies: impossible inertias and singular mass matrices are refused.

A body of mass m >= 0 has a positive semi-definite inertia about its centre of mass whose
principal moments obey the triangle inequality I1 + I2 >= I3. Every joint must move some inertia,
or the mass matrix M(q) is singular and the torques determine no acceleration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robot.model.leg_ends import first_link
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

# Tolerance on the triangle inequality, as a share of the largest principal moment: numbers in
# URDF files are rounded to a few digits.
TRIANGLE = 1e-3
# Smaller moments are those of a point mass, up to round-off of either sign [kg m2].
POINT = 1e-12
# Smallest eigenvalue of M, scaled to a unit diagonal, below which M counts as singular.
SINGULAR = 1e-12
FARTHEST = 1e4  # m: an origin beyond is a mistake
HEAVIEST = 1e12  # kg, kg m, kg m2: likewise


class InertiaError(SoleError):
    """A body with impossible inertia, or a robot whose mass matrix is singular."""


def check_body(what: str, mass: float, com: FloatArray, inertia: FloatArray) -> None:
    """Refuse a mass, centre of mass (3,) and inertia (3, 3) about it that no body can have.

    A body without mass and inertia passes: it is a frame between two joints.

    Raises
    ------
    InertiaError
        The message starts with `what` and states the defect.
    """
    inertia = np.asarray(inertia, dtype=float)
    if not (np.isfinite(mass) and np.isfinite(com).all() and np.isfinite(inertia).all()):
        raise InertiaError(f"{what}: mass, centre of mass and inertia must be finite")
    if mass < 0.0:
        raise InertiaError(f"{what}: negative mass {mass:g} kg")
    moments = np.linalg.eigvalsh((inertia + inertia.T) / 2)
    shown = ", ".join(f"{m:.3g}" for m in moments)
    if mass == 0.0 and np.abs(moments).max() > 0.0:
        raise InertiaError(f"{what}: no mass, but principal moments {shown} kg m2")
    largest = np.abs(moments).max()
    if largest < POINT:
        return  # a point mass, with round-off
    if moments[0] < -1e-9 * largest:
        raise InertiaError(
            f"{what}: inertia is not positive definite: principal moments {shown} kg m2"
        )
    if moments[0] + moments[1] < (1.0 - TRIANGLE) * moments[2]:
        raise InertiaError(
            f"{what}: principal moments {shown} kg m2 break the triangle inequality "
            f"{moments[0]:.3g} + {moments[1]:.3g} >= {moments[2]:.3g}: no body can have them"
        )


def check_inertias(name: str, model: Any) -> None:
    """Check the body of every joint of a `pinocchio.Model`, including all links fixed to it.

    Raises
    ------
    InertiaError
        The message names the robot and the body.
    """
    for number in range(1, model.njoints):
        body = model.inertias[number]
        what = f"{name}: {_body(model, number)}"
        check_body(what, body.mass, body.lever, body.inertia)


def check_mass_matrix(name: str, model: Any, q: FloatArray) -> None:
    """Check that M(q) of a model, rotors included, is positive definite.

    Raises
    ------
    InertiaError
        The message names the bodies of the joints that move no inertia.
    """
    import pinocchio as pin

    for number, place in enumerate((*model.jointPlacements, *(f.placement for f in model.frames))):
        if not np.abs(place.translation).max(initial=0.0) <= FARTHEST:
            of = model.names[number] if number < model.njoints else ""
            of = of or model.frames[number - model.njoints].name
            raise InertiaError(f"{name}: the origin of '{of}' is not within {FARTHEST:g} m")
    data = model.createData()
    upper = np.triu(pin.crba(model, data, np.asarray(q)))
    M = upper + np.triu(upper, 1).T
    if not np.abs(M).max() <= HEAVIEST:
        raise InertiaError(
            f"{name}: the mass matrix is not finite or beyond {HEAVIEST:g}: a mass, an inertia or "
            "an origin is NaN or too large"
        )
    diagonal = np.diag(M)
    # A joint moves at least a link of 0.1 g at 1 mm from its axis.
    for number in range(2, model.njoints):
        row = model.joints[number].idx_v
        if diagonal[row] < 1e-10:
            raise InertiaError(
                f"{name}: {_body(model, number)} moves {max(diagonal[row], 0.0):.2g} kg m2 about "
                "its joint: the mass matrix is singular; give the body mass and inertia, or the "
                "joint a rotor inertia"
            )
    if diagonal.min() <= 0.0:
        raise InertiaError(f"{name}: the robot has no mass")
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    if values[0] < SINGULAR:
        rows = np.flatnonzero(np.abs(vectors[:, 0]) > 0.3)
        joints = [n for n in range(1, model.njoints) if np.isin(rows, _rows(model, n)).any()]
        bodies = " and ".join(_body(model, number) for number in joints)
        raise InertiaError(
            f"{name}: {bodies} can move without inertia: the mass matrix is singular (smallest "
            f"eigenvalue {values[0]:.1e} of 1); give them a mass and an inertia"
        )


def _rows(model: Any, number: int) -> FloatArray:
    joint = model.joints[number]
    return np.arange(joint.idx_v, joint.idx_v + joint.nv)


def _body(model: Any, number: int) -> str:
    """Return a description of a joint's body: the first link on it."""
    link, joint = first_link(model, number), model.names[number]
    return f"body '{link}' on joint '{joint}'" if link else f"the body on joint '{joint}'"
