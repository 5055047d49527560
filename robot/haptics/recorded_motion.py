"""A motion of a hand that was recorded, replayed as a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robot.haptics.device import Reading
from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ConfigError, SoleError
from sole.base.files import LARGEST_TEXT, existing_file


@dataclass
class RecordedDevice:
    """A device that replays a motion and keeps what it was made to feel.

    Parameters
    ----------
    places : (T, 3) places, one per reading; the last one stays [m]. pressed : its button, likewise.
    """

    places: FloatArray
    pressed: Sequence[bool] = ()
    forces: list[FloatArray] = field(default_factory=list)
    count: int = 0
    closed: bool = False

    def __post_init__(self) -> None:
        self.places = frozen(np.atleast_2d(self.places))
        if self.places.shape[1:] != (3,) or not len(self.places):
            raise ConfigError(f"a recorded motion is (T, 3), got {self.places.shape}")

    def read(self) -> Reading:
        """Return the next place."""
        k = min(self.count, len(self.places) - 1)
        n = min(self.count, len(self.pressed) - 1)
        self.count += 1
        pressed = bool(self.pressed[n]) if len(self.pressed) else False
        return Reading(self.places[k], np.eye(3), (pressed,))

    def write(self, force: FloatArray, torque: FloatArray) -> None:
        """Keep the force."""
        self.forces.append(np.array(force, dtype=float))

    def close(self) -> None:
        """End."""
        self.closed = True


def load_motion(path: Path) -> RecordedDevice:
    """Read a motion: a line of names, then x, y, z [m] and the button (0 or 1), one per reading.

    Raises
    ------
    SoleError
        There is no such file, or it has other columns.
    """
    existing_file(path, most=LARGEST_TEXT, padding=0)
    try:
        rows = np.atleast_2d(np.loadtxt(path, delimiter=",", skiprows=1))
    except ValueError as error:
        raise SoleError(f"{path} is not a recorded motion: {error}") from error
    if rows.shape[1] != 4 or not len(rows):
        raise SoleError(
            f"{path} has {rows.shape[1]} columns, a recorded motion x, y, z, button: record it so"
        )
    return RecordedDevice(rows[:, :3], pressed=(rows[:, 3] > 0.5).tolist())
