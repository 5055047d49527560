"""A run of a robot: the recorded series with names, units and a header.

    run = load_run(path)
    run["com"], run["cop"][:, 0], run.time, run.header["ended"]

The names are those of `robot.run.CHANNELS`. A `Recorder` of
`robot.recorder.recorder` makes runs; `robot.run.run_file` writes and reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.run.channels import CHANNELS, FRAMES, Channel
from robot.run.skeleton import Skeleton
from robot.run.treads import TreadNodes, largest_deformation
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import SoleError

FINISHED = "finished"
UNEVEN = 1e-6  # relative tolerance on the length of recorded steps


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """A recorded simulation of T rows.

    Parameters
    ----------
    series : arrays (T, ...) by the names of `CHANNELS`, read-only; some may be missing.
    frames : nodal snapshots by the names of `FRAMES`; may be empty.
    extras : further series, name -> Channel; their arrays are in `series`.
    skeleton : kinematic tree of the robot. treads : treads of all contact bodies.
    ground : x (a,), y (b,), height (a, b) [m], for pictures; empty if unknown.
    header : JSON-serialisable: `robot`, `joints`, `mass` [kg], `gravity` [m/s^2], `omega` [1/s],
        `dt` [s], `every`, `ended` ("finished" or the reason), `tolerance`, `scenario`,
        `deformation` and its `deformation_limit` (see `Run.deformation`).
    """

    series: Mapping[str, NDArray[Any]]
    skeleton: Skeleton
    treads: tuple[TreadNodes, ...]
    header: Mapping[str, Any]
    frames: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    extras: Mapping[str, Channel] = field(default_factory=dict)
    ground: Mapping[str, FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lengths = {len(a) for a in self.series.values()}
        if "time" not in self.series or len(lengths) != 1:
            raise SoleError(f"a run needs `time` and series of equal length, got {sorted(lengths)}")
        unknown = [n for n in self.series if n not in CHANNELS and n not in self.extras]
        unknown += [n for n in self.frames if n not in FRAMES]
        if unknown:
            raise SoleError(f"unknown series {', '.join(unknown)}: declare them as extras")
        for arrays in (self.series, self.frames, self.ground):
            for a in arrays.values():
                a.flags.writeable = False
        for name in ("series", "frames", "extras", "header", "ground"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __repr__(self) -> str:
        """Return one line: robot, duration and end."""
        ended = self.header.get("ended", "no end")
        return (
            f"<Run of {self.header.get('robot', 'a robot')}: {len(self)} rows to "
            f"{self.time[-1]:.4g} s, {len(self.series)} series, {ended}>"
        )

    def __len__(self) -> int:
        """T."""
        return len(self.time)

    def __contains__(self, name: str) -> bool:
        """Return whether the series `name` was recorded."""
        return name in self.series

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a series (T, ...).

        Raises
        ------
        SoleError
            It was not recorded; the message lists the recorded series.
        """
        if name not in self.series:
            raise SoleError(f"the run has no '{name}'; it has {', '.join(self.series)}")
        return self.series[name]

    @property
    def time(self) -> FloatArray:
        """(T,) [s]."""
        return self.series["time"]

    @property
    def dt(self) -> float:
        """Time step of the simulation [s]."""
        return float(self.header["dt"])

    @property
    def every(self) -> int:
        """Recording interval: 1 for every step, n for every nth."""
        return int(self.header["every"])

    @property
    def complete(self) -> bool:
        """Whether every step was recorded, all of equal length, as peaks and filters need."""
        gaps = np.diff(self.time)
        return self.every == 1 and bool((np.abs(gaps - self.dt) <= UNEVEN * self.dt).all())

    @property
    def finished(self) -> bool:
        """Whether the simulation reached its end."""
        return str(self.header["ended"]) == FINISHED

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order of q[7:] and v[6:]."""
        return tuple(self.header["joints"])

    @property
    def feet(self) -> tuple[str, ...]:
        """Names of the feet."""
        return tuple(self.header["feet"])

    @property
    def missed(self) -> BoolArray:
        """(T,) whether a contact solve since the last row missed the tolerance."""
        if "solved" not in self:
            return np.zeros(len(self), dtype=np.bool_)
        return np.asarray(~self["solved"] | (self["residual"] > float(self.header["tolerance"])))

    @property
    def weight(self) -> float:
        """m g [N]."""
        return float(self.header["mass"]) * float(self.header["gravity"])

    @property
    def loaded(self) -> BoolArray:
        """(T, F) whether a foot carries load."""
        return np.asarray(self["wrench_world"][:, :, 2] > 0.0)

    @property
    def deformation(self) -> tuple[float, str]:
        """Largest displacement of a tread node over the thickness of its sole, and the sole's name.

        (0, "") where no sole was deformed.
        """
        return largest_deformation(self["sole_displacement"], self.treads)

    def bodies_of(self, foot: int) -> list[int]:
        """Return the bodies of a foot: one, or its parts in front of and behind a toe joint."""
        return [b for b, tread in enumerate(self.treads) if tread.foot == foot]

    def row(self, time: float) -> int:
        """Return the row nearest to `time` [s].

        Raises
        ------
        SoleError
            The time is outside the run.
        """
        slack = self.every * self.dt
        if not self.time[0] - slack <= time <= self.time[-1] + slack:
            raise SoleError(
                f"the run goes from {self.time[0]:g} to {self.time[-1]:g} s, got {time:g} s"
            )
        return int(np.abs(self.time - time).argmin())
