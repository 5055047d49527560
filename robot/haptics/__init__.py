"""Force return: devices, the virtual coupling and its passivity, touching a condensed sole."""

from robot.haptics.device import (
    Device,
    GuardedDevice,
    Reading,
)
from robot.haptics.known_devices import check_device, open_device
from robot.haptics.recorded_motion import RecordedDevice, load_motion
from robot.haptics.sole_proxy import SoleProxy, Touched
from robot.haptics.virtual_coupling import (
    EnergyWatch,
    SampledSpring,
    VirtualCoupling,
    passive_stiffness,
    stable_stiffness,
)

__all__ = [
    "Device",
    "EnergyWatch",
    "GuardedDevice",
    "Reading",
    "RecordedDevice",
    "SampledSpring",
    "SoleProxy",
    "Touched",
    "VirtualCoupling",
    "check_device",
    "load_motion",
    "open_device",
    "passive_stiffness",
    "stable_stiffness",
]
