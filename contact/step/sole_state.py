"""The state of soles between two time steps; saved and restored bit for bit.

All arrays run over the nodes of all bodies, one body behind the other; vectors are in the axes
of the body (the foot), so that turning a foot strains nothing. Slots: a node may touch up to S
surfaces of the ground at once; S = 2 except among stones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from contact.solvers import StickBase
from contact.step.step_arrays import MemoryArrays
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import SoleError

ARRAYS = ("displacement", "elastic", "forces", "earlier", "outside", "status", "solid")
COUNTS = ("substeps", "steady")
BASE, MAPS = "base_", "maps"  # in files: the arrays of `StickMemory`
SLOTS = 2  # surfaces per node on most grounds: see `contact.step.SeveralGrounds`


class StickMemory(NamedTuple):
    """A run of steps in which the same nodes stick: see `contact.solvers.StickRun`.

    Attributes
    ----------
    base : where it began. maps : (L, 3, 4) from there to the deformed nodes of now, for each plane.
    """

    base: StickBase
    maps: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class SoleState:
    """State of the soles of all bodies at one instant.

    Parameters
    ----------
    displacement : U (M, 3) of the nodes relative to their foot [m].
    elastic : e = K U (M, 3) [N], kept so that no step needs K.
    forces : (M, S, 3) mean contact forces of the last (sub-)step by slot [N].
    earlier : (M, S, 3) those of the step before: f + (f - earlier) starts the next solve.
    outside : (M, 3) world positions where each node was last outside of the ground [m]: they
        tell which face of a box it crossed. NaN before the first step.
    status : (M, S) `ContactStatus` of the last (sub-)step.
    solid : (M, S) piece of the ground in each slot, -1 none; slots may swap between steps.
    substeps : number of parts of the last step.
    steady : how many (sub-)steps in a row the contacts that touch all stuck and were the same.
    lost : bound of |U - C e| [m] that steps with the stiffness K, a rounded inverse of C, left; 0:
        none since an exact one.
    run : the run that the last step was part of, None if it was solved otherwise. It is history
        that the other arrays do not hold: with it a restored state goes on with the same bits.
    """

    displacement: FloatArray
    elastic: FloatArray
    forces: FloatArray
    earlier: FloatArray
    outside: FloatArray
    status: IntArray
    solid: IntArray
    substeps: int = 1
    steady: int = 0
    lost: float = 0.0
    run: StickMemory | None = None

    def __post_init__(self) -> None:
        M, S = self.status.shape
        shapes = {
            "displacement": (M, 3),
            "elastic": (M, 3),
            "forces": (M, S, 3),
            "earlier": (M, S, 3),
            "outside": (M, 3),
            "status": (M, S),
            "solid": (M, S),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise SoleError(f"state: {name} has shape {array.shape}, expected {shape}")
            if array.flags.writeable:
                object.__setattr__(self, name, frozen(array, array.dtype))
        if not 0.0 <= self.lost < np.inf:
            raise SoleError(f"state: lost is {self.lost:g}, expected a bound of at least 0 m")
        if self.run is not None:
            object.__setattr__(self, "run", _checked(self.run, M))

    @classmethod
    def at_rest(cls, nodes: int, slots: int = SLOTS) -> SoleState:
        """Return the state of undeformed soles that have never touched."""
        return cls(
            displacement=np.zeros((nodes, 3)),
            elastic=np.zeros((nodes, 3)),
            forces=np.zeros((nodes, slots, 3)),
            earlier=np.zeros((nodes, slots, 3)),
            outside=np.full((nodes, 3), np.nan),
            status=np.zeros((nodes, slots), np.int64),
            solid=np.full((nodes, slots), -1, np.int64),
        )

    @property
    def nodes(self) -> int:
        """M, the nodes of all bodies."""
        return len(self.displacement)

    @property
    def memory(self) -> MemoryArrays:
        """The same for compiled loops."""
        return MemoryArrays(self.displacement, self.outside, self.forces, self.earlier, self.solid)

    @property
    def elastic_energy(self) -> float:
        """1/2 U' K U [J] of all soles."""
        return float(np.vdot(self.displacement, self.elastic)) / 2

    def of(self, nodes: slice) -> SoleState:
        """Return the part of one body, `nodes` as in `CompliantStep.nodes_of`."""
        parts: dict[str, Any] = {name: getattr(self, name)[nodes] for name in ARRAYS}
        return SoleState(**parts, substeps=self.substeps, steady=self.steady, lost=self.lost)

    def arrays(self) -> dict[str, FloatArray | IntArray]:
        """Return all arrays that restore the state, for `np.savez`."""
        own = {name: getattr(self, name) for name in ARRAYS}
        if self.run is not None:
            own |= {BASE + name: array for name, array in self.run.base._asdict().items()}
            own |= {MAPS: self.run.maps}
        return own | {name: np.array(getattr(self, name)) for name in (*COUNTS, "lost")}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, FloatArray | IntArray]) -> SoleState:
        """Rebuild a state from `arrays()`, bit for bit; of older ones `lost` is not known: 0.

        Raises
        ------
        SoleError
            An array is missing or mis-shaped.
        """
        expected = [*ARRAYS, *COUNTS]
        if MAPS in arrays:
            expected += [BASE + name for name in StickBase._fields]
        missing = [name for name in expected if name not in arrays]
        if missing:
            raise SoleError(f"state: {', '.join(missing)} missing; got {', '.join(arrays)}")
        kept: dict[str, Any] = {name: np.array(arrays[name]) for name in ARRAYS}
        kept |= {name: int(arrays[name]) for name in COUNTS}
        kept["lost"] = float(arrays.get("lost", 0.0))
        if MAPS in arrays:
            base: dict[str, Any] = {n: np.array(arrays[BASE + n]) for n in StickBase._fields}
            kept["run"] = StickMemory(StickBase(**base), np.array(arrays[MAPS], dtype=float))
        return cls(**kept)


def _checked(run: StickMemory, nodes: int) -> StickMemory:
    """Return a run as read-only arrays that fit `nodes`."""
    base, maps = run
    planes = int(base.group.max(initial=-1)) + 1
    shapes = {"displacement": (nodes, 3), "elastic": (nodes, 3), "group": (nodes,)}
    for name, shape in (shapes | {"slot": (nodes,)}).items():
        if (got := getattr(base, name).shape) != shape:
            raise SoleError(f"state: {BASE}{name} has shape {got}, expected {shape}")
    if maps.shape != (planes, 3, 4):
        raise SoleError(f"state: {MAPS} has shape {maps.shape}, expected {(planes, 3, 4)}")
    if not maps.flags.writeable and not base.displacement.flags.writeable:
        return run
    return StickMemory(StickBase(*(frozen(array, array.dtype) for array in base)), frozen(maps))
