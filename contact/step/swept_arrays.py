"""Arrays that a step of soles by sweeps writes, besides those of `contact.step.stuck_arrays`."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from sole.base.arrays import FloatArray, IntArray
from sole.base.compiled import inner_kernel
from sole.base.sheet import Sheet

NUMBERS, COUNTS = 9, 4


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
            "numbers": (NUMBERS,),
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
    b = a + NUMBERS
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
