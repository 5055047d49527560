"""Devices of Force Dimension, by the package forcedimension-core 1. Not tested on a device.

Its calls give -1 for a fault, and lists that they fill; places are in m, forces in N.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from robot.haptics.device import Reading
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError


def open_driver() -> ForceDimension:
    """Open the first device that answers.

    Raises
    ------
    ImportError
        The package or the maker's library is missing. SoleError : no device answers.
    """
    dhd: Any = import_module("forcedimension_core").dhd
    if dhd.open() == -1:
        raise SoleError(f"no device of Force Dimension answers: {dhd.errorGetLastStr()}")
    if dhd.enableForce(True) == -1:
        fault = dhd.errorGetLastStr()
        dhd.close()
        raise SoleError(f"the device gives no forces: {fault}")
    return ForceDimension(dhd)


class ForceDimension:
    """A device; its axes are the world's: x to the user, z up."""

    def __init__(self, dhd: Any) -> None:
        self.dhd = dhd

    def read(self) -> Reading:
        """Return the pose of the handle and its first button."""
        place, rotation = [0.0] * 3, [[0.0] * 3 for _ in range(3)]
        if self.dhd.getPosition(out=place) == -1:
            raise SoleError(f"the device does not answer: {self.dhd.errorGetLastStr()}")
        if self.dhd.getOrientationFrame(out=rotation) == -1:
            rotation = np.eye(3).tolist()  # a device of three freedoms
        pressed = self.dhd.getButton(index=0) == 1
        return Reading(np.array(place), np.array(rotation), (pressed,))

    def write(self, force: FloatArray, torque: FloatArray) -> None:
        """Set force and torque; devices of three freedoms ignore the torque."""
        if self.dhd.setForceAndTorque(np.asarray(force).tolist(), np.asarray(torque).tolist()) < 0:
            raise SoleError(f"the device takes no force: {self.dhd.errorGetLastStr()}")

    def close(self) -> None:
        """Release the device, without a force."""
        self.dhd.enableForce(False)
        self.dhd.close()
