"""Force return: devices, the virtual coupling and its passivity, touching a condensed sole."""

from robot.haptics.device import (
    Device,
    GuardedDevice,
    Reading,
    RecordedDevice,
    open_device,
)
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
    "open_device",
    "passive_stiffness",
    "stable_stiffness",
]
