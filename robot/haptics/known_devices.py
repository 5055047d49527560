"""Devices by name. A driver is loaded when its device is opened, never before."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from robot.haptics.device import Device
from robot.haptics.recorded_motion import load_motion
from sole.base.errors import ConfigError, SoleError

DRIVERS = {
    "3d-systems": ("robot.haptics.open_haptics", "pyOpenHaptics"),
    "force-dimension": ("robot.haptics.force_dimension", "forcedimension_core"),
}


def open_device(name: str) -> Device:
    """Open a device: "3d-systems", "force-dimension", or a motion.csv that is replayed.

    Raises
    ------
    SoleError
        There is no such kind, its package or its maker's library is missing, or no device answers.
    """
    check_device(name)
    if name.endswith(".csv"):
        return load_motion(Path(name))
    try:
        made: Device = import_module(DRIVERS[name][0]).open_driver()
    except (ImportError, OSError) as error:  # both packages load the library when imported
        raise SoleError(
            f"the library of the maker of {name} was not found: install its drivers ({error})"
        ) from error
    return made


def check_device(name: str) -> None:
    """Refuse at once what `open_device` will refuse; drivers and devices are not touched.

    Raises
    ------
    SoleError
        There is no such kind, its package is missing, or the motion cannot be read.
    """
    if name.endswith(".csv"):
        load_motion(Path(name))
        return
    if name not in DRIVERS:
        known = ", ".join(DRIVERS)
        raise ConfigError(f"there is no device '{name}'; known are {known}, or a motion .csv")
    package = DRIVERS[name][1]
    if find_spec(package) is None:
        raise SoleError(
            f"devices of {name} need the package {package}: pip install 'compliant-sole[{name}]'"
        )
