"""Compact containers for millions of places in the table: a bit set and integer arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, MutableSet

PlaceArray = array  # 8 bytes per place instead of 40 in a list of int


def place_array(places: Iterable[int] = ()) -> PlaceArray[int]:
    """Return an array of places in the given order."""
    return array("q", places)


class PlaceSet(MutableSet[int]):
    """A set of places >= 0 with one bit for each up to the largest.

    Parameters
    ----------
    places : the initial elements.
    """

    def __init__(self, places: Iterable[int] = ()) -> None:
        self._bits, self._count = bytearray(), 0
        for place in places:
            self.add(place)

    def __contains__(self, place: object) -> bool:
        if not isinstance(place, int) or not 0 <= place < 8 * len(self._bits):
            return False
        return bool(self._bits[place >> 3] & 1 << (place & 7))

    def __iter__(self) -> Iterator[int]:
        return (p for p in range(8 * len(self._bits)) if p in self)

    def __len__(self) -> int:
        return self._count

    def add(self, value: int) -> None:
        """Add a place."""
        if value in self:
            return
        more = (value >> 3) + 1 - len(self._bits)
        if more > 0:
            self._bits.extend(bytes(more))
        self._bits[value >> 3] |= 1 << (value & 7)
        self._count += 1

    def discard(self, value: int) -> None:
        """Remove a place if present."""
        if value in self:
            self._bits[value >> 3] &= ~(1 << (value & 7))
            self._count -= 1
