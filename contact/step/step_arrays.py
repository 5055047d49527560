"""Arrays that the compiled loops of a time step take together.

M nodes of B bodies, S slots per node, K contacts. Vectors are in the axes of the body unless
called world; contact order (t1, t2, n).
"""

from __future__ import annotations

from typing import NamedTuple

from sole.base.arrays import BoolArray, FloatArray, IntArray


class StepMotion(NamedTuple):
    """The motion of the bodies over a time step without contact, in their axes at its start.

    Attributes
    ----------
    twists : v (6B,) at the start: linear velocity of the origin, angular velocity [m/s, rad/s].
    free_twists : (6B,) at the end without contact forces.
    inverse_inertia : S6 = J6 M^-1 J6' (6B, 6B) [1/kg, ...], symmetric.
    dt : [s].
    """

    twists: FloatArray
    free_twists: FloatArray
    inverse_inertia: FloatArray
    dt: float


class SubstepMotion(NamedTuple):
    """The motion over a sub-step of h: v+ and v_bar (6B,) without contact forces, and theta."""

    free: FloatArray
    ahead: FloatArray
    inverse_inertia: FloatArray
    h: float
    theta: float


class BodyArrays(NamedTuple):
    """All bodies: x (M, 3) and body (M,) of the nodes, mu (M,); rigid (B,), eta (B,) [s]."""

    points: FloatArray
    body: IntArray
    friction: FloatArray
    rigid: BoolArray
    eta: FloatArray


class MemoryArrays(NamedTuple):
    """The memory of the last step, as in `contact.step.SoleState`."""

    displacement: FloatArray
    outside: FloatArray
    forces: FloatArray
    earlier: FloatArray
    solid: IntArray


class NearArrays(NamedTuple):
    """The surfaces near every node at the start of a step.

    Attributes
    ----------
    rotations : R (B, 3, 3). local : x + U (M, 3).
    gaps, solid : (M, S) to the surfaces of the ground, and their pieces. normals : (M, S, 3)
        world.
    """

    rotations: FloatArray
    local: FloatArray
    gaps: FloatArray
    normals: FloatArray
    solid: IntArray


class ContactArrays(NamedTuple):
    """Contacts: node, slot, body (K,), frames P (K, 3, 3) and motions A = P G (K, 3, 6)."""

    node: IntArray
    slot: IntArray
    body: IntArray
    P: FloatArray
    A: FloatArray


class NodeArrays(NamedTuple):
    """The state of a sub-step: U, e = K U (M, 3), statuses and gaps (M, S)."""

    U: FloatArray
    e: FloatArray
    status: IntArray
    gaps: FloatArray


class ForceArrays(NamedTuple):
    """A solution: r (K, 3), statuses (K,) and d = rate C f (3M,)."""

    r: FloatArray
    status: IntArray
    d: FloatArray
