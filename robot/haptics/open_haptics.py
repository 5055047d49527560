"""Devices of 3D Systems (Touch, Phantom), by the package pyOpenHaptics 1. Not tested on a device.

Their axes are x to the right, y up, z to the user, in mm; here x away from the user, z up, in m.
The library calls us at 1 kHz: it leaves the pose here and takes the force from here. The package
prints, and tells a device that does not answer from one that does by printing alone.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any

import numpy as np

from robot.haptics.device import Reading
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

TURN = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # theirs to ours
INVALID = 0xFFFFFFFF  # the library's handle of no device


NO_ANSWER = "no device of 3D Systems answers: is it connected and set up as Default Device?"


def open_driver() -> OpenHaptics:
    """Open the default device.

    Raises
    ------
    ImportError
        The package is not installed. OSError : the maker's library is not.
    SoleError
        No device answers.
    """
    home = "pyOpenHaptics."
    callback: Any = import_module(f"{home}hd_callback").hd_callback
    device: Any = import_module(f"{home}hd_device").HapticDevice
    return OpenHaptics(import_module(f"{home}hd"), callback, device)


class OpenHaptics:
    """A device of three or six freedoms that returns forces."""

    def __init__(self, hd: Any, callback: Any, device: Any) -> None:
        self.reading, self.force = Reading(np.zeros(3), np.eye(3), (False,)), [0.0, 0.0, 0.0]

        def exchange() -> None:
            T = np.array(hd.get_transform(), dtype=float)  # rows are columns: OpenGL's order
            place, rotation = TURN @ T[3, :3] / 1e3, TURN @ T[:3, :3].T @ TURN.T
            self.reading = Reading(place, rotation, (bool(hd.get_buttons()),))
            hd.set_force(self.force)

        self.kept = callback(exchange)  # the library calls it: it must live as long as the device
        try:
            with redirect_stdout(sys.stderr):  # a command's output may be JSON
                self.device = device(callback=self.kept, device_name="Default Device")
        except AttributeError as error:  # the name of no device
            raise SoleError(NO_ANSWER) from error
        if self.device.id in (None, INVALID):
            raise SoleError(NO_ANSWER)

    def read(self) -> Reading:
        """Return what the last call of the library left."""
        return self.reading

    def write(self, force: FloatArray, torque: FloatArray) -> None:
        """Leave a force for the next call; these devices have no torque."""
        self.force = (TURN.T @ np.asarray(force, dtype=float)).tolist()

    def close(self) -> None:
        """Release the device, without a force."""
        self.force = [0.0, 0.0, 0.0]
        self.device.close()
