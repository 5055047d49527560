"""Buffers of steps in one compiled call: their arrays, one behind the other in a flat array.

Steps whose nodes stick (`step_stuck_soles`) write `StuckArrays`; steps by sweeps
(`step_swept_soles`) write `SweptParts` and `SweptCounts` as well.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel, kernel
from sole.base.sheet import Sheet

FINE, CONE, DEEP, CLOSING, GAIN, UNSURE = range(6)  # answers of `step_stuck_soles`
ENERGIES = 6  # these come first in `StuckArrays.numbers`
OFFSET, LENGTH, LEFT = range(ENERGIES, ENERGIES + 3)
RESIDUAL = ENERGIES + 3
STORED = ENERGIES + 4
LOST = ENERGIES + 5
NUMBERS = ENERGIES + 6
DETAIL_NUMBERS, COUNTS = 9, 4  # of a step by sweeps
SHALLOW = 1e-4  # m: a deeper node keeps the point outside from which it came


class GroundAhead(NamedTuple):
    """The ground of a step in the axes of its owner (the world, or a movable thing).

    Attributes
    ----------
    flat : (B, 4) normal n and n.o of the one plane below each body; (0, 4): ask the others.
    planes : (L, 4) of every plane of a run, likewise.
    gaps, normals : (M, S), (M, S, 3) of all surfaces near the nodes; empty if flat.
    """

    flat: FloatArray
    planes: FloatArray
    gaps: FloatArray
    normals: FloatArray


class StepLimits(NamedTuple):
    """The rules of a step, the same for all of a simulation.

    theta, speed of pushing out [m/s], and whether a step may gain energy by it; largest friction
    coefficient; largest residual of a solved step; S slots of a node.
    """

    theta: float
    push_out: float
    gains: bool
    steepest: float
    tolerance: float
    slots: int


class StuckBodies(NamedTuple):
    """All bodies: x (M, 3) and mu (M,) of the nodes, eta (B,) [s]."""

    points: FloatArray
    friction: FloatArray
    eta: FloatArray


class StuckArrays(NamedTuple):
    """What a step writes; in one flat array, a sheet, for calls from Python.

    Attributes
    ----------
    maps : (L, 3, 4). U, e, outside : (M, 3). forces : (M, S, 3).
    twists : (3, 6B) w, v+ and v_bar. gap : (B,) least gap at the start.
    numbers : friction, push, wrench, elastic, viscous, numerical [J]; |q|, |s|, |u| of the nodes
        that stick [m/s]; bound of natural map and Signorini's law, relative; 1/2 U'K U [J];
        bound of |U - C e| [m], see `SoleState.lost`.
    """

    maps: FloatArray
    U: FloatArray
    e: FloatArray
    outside: FloatArray
    forces: FloatArray
    twists: FloatArray
    gap: FloatArray
    numbers: FloatArray


@cache
def stuck_sheet(nodes: int, slots: int, bodies: int, planes: int) -> Sheet:
    """Return where the arrays of `StuckArrays` are in their sheet: `open_sheet`."""
    M, B = nodes, bodies
    return Sheet(
        {
            "maps": (planes, 3, 4),
            "U": (M, 3),
            "e": (M, 3),
            "outside": (M, 3),
            "forces": (M, slots, 3),
            "twists": (3, 6 * B),
            "gap": (B,),
            "numbers": (NUMBERS,),
        }
    )


@inner_kernel
def open_sheet(sheet: FloatArray, nodes: int, slots: int, bodies: int) -> StuckArrays:
    """Return the arrays of a sheet, in the order of `stuck_sheet`."""
    M, B = nodes, bodies
    planes = (len(sheet) - (9 + 3 * slots) * M - 19 * B - NUMBERS) // 12
    a = 12 * planes
    b = a + 9 * M
    c = b + 3 * M * slots
    d = c + 18 * B
    return StuckArrays(
        sheet[:a].reshape(planes, 3, 4),
        sheet[a : a + 3 * M].reshape(M, 3),
        sheet[a + 3 * M : a + 6 * M].reshape(M, 3),
        sheet[a + 6 * M : b].reshape(M, 3),
        sheet[b:c].reshape(M, slots, 3),
        sheet[c:d].reshape(3, 6 * B),
        sheet[d : d + B],
        sheet[d + B :],
    )


@kernel
def wrenches_in(sheet: FloatArray, bodies: int) -> FloatArray:
    """Return the wrenches w (B, 6) in a sheet, whatever its nodes and planes."""
    end = len(sheet) - NUMBERS - bodies - 12 * bodies
    return sheet[end - 6 * bodies : end].reshape(bodies, 6)


def least_gaps_in(sheet: FloatArray, bodies: int) -> FloatArray:
    """Return the least gaps (B,) at the start of the step in a sheet, likewise."""
    end = len(sheet) - NUMBERS
    return sheet[end - bodies : end]


@inner_kernel
def open_bodies(numbers: FloatArray, nodes: int) -> StuckBodies:
    """Return the arrays of all bodies, which lie in `numbers` one behind the other."""
    M = nodes
    return StuckBodies(numbers[: 3 * M].reshape(M, 3), numbers[3 * M : 4 * M], numbers[4 * M :])


@inner_kernel
def turn_plane(plane: FloatArray, R: FloatArray, p: FloatArray, normal: FloatArray) -> float:
    """Fill the normal (3,) of a plane (4,) in the axes of a body, and return c: n.y + c = gap."""
    c = -float(plane[3])
    for i in range(3):
        normal[i] = R[0, i] * plane[0] + R[1, i] * plane[1] + R[2, i] * plane[2]
        c += plane[i] * p[i]
    return float(c)


class SweptParts(NamedTuple):
    """What only few ask for, of K contacts of M nodes with S slots.

    Attributes
    ----------
    last : (M, S, 3) forces of the step before, in the slots of this one.
    numbers : sums of the laws, bound of what the certificate misses, rho, |q|, bound of |d - rate
        C f|.
    d : (3M,) rate C f. P, A, mu, q, start, r, u : of the contacts, as in a `Problem`.
    """

    last: FloatArray
    numbers: FloatArray
    d: FloatArray
    P: FloatArray
    A: FloatArray
    mu: FloatArray
    q: FloatArray
    start: FloatArray
    r: FloatArray
    u: FloatArray


class SweptCounts(NamedTuple):
    """Integers: K, sweeps, generator, steady; statuses (M, S); node, slot, owner, status of K."""

    numbers: IntArray
    status: IntArray
    node: IntArray
    slot: IntArray
    owner: IntArray
    found: IntArray


@cache
def details_sheet(contacts: int, nodes: int, slots: int) -> Sheet:
    """Return where the arrays of `SweptParts` are in their sheet."""
    K = contacts
    return Sheet(
        {
            "last": (nodes, slots, 3),
            "numbers": (DETAIL_NUMBERS,),
            "d": (3 * nodes,),
            "P": (K, 3, 3),
            "A": (K, 3, 6),
            "mu": (K,),
            "q": (K, 3),
            "start": (K, 3),
            "r": (K, 3),
            "u": (K, 3),
        }
    )


@cache
def counts_sheet(nodes: int, slots: int) -> Sheet:
    """Return where the arrays of `SweptCounts` are in their sheet."""
    most = nodes * slots
    places = dict.fromkeys(("node", "slot", "owner", "found"), (most,))
    return Sheet({"numbers": (COUNTS,), "status": (nodes, slots), **places})


@inner_kernel
def open_details(sheet: FloatArray, contacts: int, nodes: int, slots: int) -> SweptParts:
    """Return the arrays of a sheet for at least so many contacts, in the order of its `Sheet`."""
    K, M = contacts, nodes
    a = 3 * M * slots
    b = a + DETAIL_NUMBERS
    c = b + 3 * M
    d = c + 9 * K
    e = d + 18 * K
    f = e + K
    return SweptParts(
        sheet[:a].reshape(M, slots, 3),
        sheet[a:b],
        sheet[b:c],
        sheet[c:d].reshape(K, 3, 3),
        sheet[d:e].reshape(K, 3, 6),
        sheet[e:f],
        sheet[f : f + 3 * K].reshape(K, 3),
        sheet[f + 3 * K : f + 6 * K].reshape(K, 3),
        sheet[f + 6 * K : f + 9 * K].reshape(K, 3),
        sheet[f + 9 * K : f + 12 * K].reshape(K, 3),
    )


@inner_kernel
def open_counts(counts: IntArray, nodes: int, slots: int) -> SweptCounts:
    """Return the arrays of a sheet of integers, in the order of `counts_sheet`."""
    most = nodes * slots
    a = COUNTS + most
    return SweptCounts(
        counts[:COUNTS],
        counts[COUNTS:a].reshape(nodes, slots),
        counts[a : a + most],
        counts[a + most : a + 2 * most],
        counts[a + 2 * most : a + 3 * most],
        counts[a + 3 * most : a + 4 * most],
    )
