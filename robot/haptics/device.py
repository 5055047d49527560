"""Devices that give a pose and take a force: real ones, recorded motions, a guard around both.

    device = GuardedDevice(open_device("force-dimension"))
    reading = device.read()
    device.write(force, torque)

World axes, SI units.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from sole.base.arrays import FloatArray


class Reading(NamedTuple):
    """What a device is doing: place (3,) [m], rotation (3, 3), buttons."""

    place: FloatArray
    rotation: FloatArray
    buttons: tuple[bool, ...] = ()


class Device(Protocol):
    """A haptic device."""

    def read(self) -> Reading:
        """Return the pose of the handle and its buttons."""

    def write(self, force: FloatArray, torque: FloatArray) -> None:
        """Let the user feel a force [N] and a torque [N m] (3,)."""

    def close(self) -> None:
        """Switch the forces off."""


class GuardedDevice:
    """A device whose faults do no harm, and are told.

    A reading that is not finite repeats the last one; a jump is followed at `fastest`; forces that
    are not finite become zero, larger ones than `strongest` keep their direction.

    Parameters
    ----------
    inner : the device. period : between two readings [s]. fastest : of the handle [m/s].
    strongest : [N]; torques in the same proportion. tell : called once for each kind of fault.
    """

    def __init__(
        self,
        inner: Device,
        *,
        period: float = 1e-3,
        fastest: float = 5.0,
        strongest: float = 3.3,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.inner, self.most, self.strongest = inner, fastest * period, strongest
        self.tell, self.told = tell, set[str]()
        self.last: Reading | None = None

    def read(self) -> Reading:
        """Return the pose, finite and without jumps."""
        new = self.inner.read()
        last = self.last
        if not (np.isfinite(new.place).all() and np.isfinite(new.rotation).all()):
            self._say("the device gave no finite pose: the last one is held")
            new = Reading(np.zeros(3), np.eye(3)) if last is None else last
        elif last is not None:
            way = new.place - last.place
            far = float(np.linalg.norm(way))
            if far > self.most:
                self._say(f"the device jumped by {far:.3g} m: it is followed slowly")
                new = new._replace(place=last.place + way * (self.most / far))
        self.last = new
        return new

    def write(self, force: FloatArray, torque: FloatArray) -> None:
        """Pass on a force that is finite and not too large."""
        both = np.concatenate([force, torque]).astype(float)
        if not np.isfinite(both).all():
            self._say("the force is not finite: none is felt")
            both = np.zeros(6)
        size = float(np.linalg.norm(both[:3]))
        if size > self.strongest:
            self._say(f"the force of {size:.3g} N is limited to {self.strongest:g} N")
            both *= self.strongest / size
        self.inner.write(both[:3], both[3:])

    def close(self) -> None:
        """Close the device, without a force."""
        try:
            self.inner.write(np.zeros(3), np.zeros(3))
        finally:
            self.inner.close()

    def _say(self, text: str) -> None:
        kind = text.split(":")[0].split(" of ")[0].split(" by ")[0]
        if kind not in self.told:
            self.told.add(kind)
            self.tell(text)

    def __enter__(self) -> GuardedDevice:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
