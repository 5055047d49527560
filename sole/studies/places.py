"""Places in the table, by the million: as a set of bits, and as arrays of whole numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, MutableSet

PlaceArray = array  # of 8 bytes a place, where a list of int takes 40


def place_array(places: Iterable[int] = ()) -> PlaceArray[int]:
    """Return places in their order."""
    return array("q", places)


class PlaceSet(MutableSet[int]):
    """A set of places >= 0: one bit for each up to the largest.

    Parameters
    ----------
    places : what it holds at the begin.
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
        """Take a place out if it is there."""
        if value in self:
            self._bits[value >> 3] &= ~(1 << (value & 7))
            self._count -= 1
