"""A tree of rigid bodies as arrays, taken from Pinocchio's model.

Pinocchio is the reference (`tests/robot/test_tree.py`), and does what is asked for once. In every
time step it costs 15 us in six calls; compiled code finds the same numbers in 4 us at its place.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel
from sole.base.errors import SoleError
from sole.base.sheet import Sheet

if TYPE_CHECKING:
    import pinocchio as pin

BODY = 10  # numbers of an inertia
WIDTH = 30 + BODY  # numbers of a link in a sheet


class LinkArrays(NamedTuple):
    """The constants of N links, each behind its joint. Link 0 is the world; parents come first.

    Attributes
    ----------
    joints : (N, 4) parent, first place in q, first place in v, and number of velocities, 1 or 6.
    placement : (N, 12) rotation (3, 3) and place (3,) of the joint in the axes of its parent.
    screws : (nv, 6) twist (v, omega) of a link per velocity of its joint, in the link's axes.
    bodies : (N, 10) mass, centre of mass (3,), inertia about it xx, xy, xz, yy, yz, zz, in the axes
        of the link.
    rotors : (nv,) inertias of rotors. gravity : (3,) [m/s^2].
    """

    joints: IntArray
    placement: FloatArray
    screws: FloatArray
    bodies: FloatArray
    rotors: FloatArray
    gravity: FloatArray


class TreeState(NamedTuple):
    """Links at one q, v and dv/dt. Twists, accelerations and forces refer to the world's origin.

    Attributes
    ----------
    R, p : (N, 3, 3), (N, 3) poses in the world.
    V, A : (N, 6) twists, and their rates less gravity, in world axes like all that follows.
    Y : (N, 10) mass, mass times centre (3,), inertia about the origin xx, xy, xz, yy, yz, zz.
    F : (N, 6) force and moment that move the link.
    J : (nv, 6) twist of the links behind a joint per velocity.
    """

    R: FloatArray
    p: FloatArray
    V: FloatArray
    A: FloatArray
    Y: FloatArray
    F: FloatArray
    J: FloatArray


@cache
def tree_sheet(links: int, nv: int) -> Sheet:
    """Return where the arrays of `TreeState` are in their sheet."""
    N = links
    return Sheet(
        {
            "R": (N, 3, 3),
            "p": (N, 3),
            "V": (N, 6),
            "A": (N, 6),
            "Y": (N, BODY),
            "F": (N, 6),
            "J": (nv, 6),
        }
    )


@inner_kernel
def open_tree(sheet: FloatArray, links: int) -> TreeState:
    """Return the arrays of a sheet, in the order of `tree_sheet`."""
    N = links
    nv, a, b = (len(sheet) - WIDTH * N) // 6, 24 * N, (24 + BODY) * N
    return TreeState(
        sheet[: 9 * N].reshape(N, 3, 3),
        sheet[9 * N : 12 * N].reshape(N, 3),
        sheet[12 * N : 18 * N].reshape(N, 6),
        sheet[18 * N : a].reshape(N, 6),
        sheet[a:b].reshape(N, BODY),
        sheet[b : b + 6 * N].reshape(N, 6),
        sheet[b + 6 * N :].reshape(nv, 6),
    )


def tree_of(model: pin.Model) -> LinkArrays:
    """Return the arrays of a model of single joints and free bodies.

    Raises
    ------
    SoleError
        A joint is of another kind.
    """
    q = np.zeros(model.nq)
    joints, placement, bodies = [[0, 0, 0, 0]], [np.zeros(12)], [np.zeros(BODY)]
    screws = np.zeros((model.nv, 6))
    for k in range(1, model.njoints):
        joint, place, inertia = model.joints[k], model.jointPlacements[k], model.inertias[k]
        if (joint.nq, joint.nv) not in ((1, 1), (7, 6)):
            raise SoleError(
                f"joint {model.names[k]} has {joint.nq} coordinates and {joint.nv} velocities, "
                "expected 1 and 1, or 7 and 6 of a free body"
            )
        joints.append([model.parents[k], joint.idx_q, joint.idx_v, joint.nv])
        placement.append(np.array([*place.rotation.ravel(), *place.translation]))
        upper = inertia.inertia[np.triu_indices(3)]
        bodies.append(np.array([inertia.mass, *inertia.lever, *upper]))
        data = joint.createData()
        joint.calc(data, q)
        screws[joint.idx_v : joint.idx_v + joint.nv] = np.reshape(data.S, (6, joint.nv)).T
    # Not read-only, which copies are not either: kernels are compiled once.
    return LinkArrays(
        joints=np.array(joints, np.int64),
        placement=np.array(placement),
        screws=screws,
        bodies=np.array(bodies),
        rotors=np.array(model.armature),
        gravity=np.array(model.gravity.linear),
    )
