"""What must be said beside a URDF: which frames are the feet, where the posture is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robot.modelling.srdf import HALF_SITTING
from sole.config import STRICT
from sole.errors import SoleError


class RobotError(SoleError):
    """A robot that cannot be loaded: no such file, name, frame or joint."""


@dataclass(frozen=True, kw_only=True)
class UrdfOptions:
    """What a URDF does not say of a robot: options of `load_robot`, keys of a scenario's [urdf].

    What is not given is taken from the SRDF, if that is one of ours (`robot.modelling.marks`).

    Parameters
    ----------
    left_foot, right_foot : a frame (usually a link) at each foot; else the SRDF's, or frames with
        one of the names in `robot.modelling.urdf_feet.USUAL`. The sole frame is the underside of
        the geometry fixed to the same joint, see `sole.geometry.urdf.foot_of_urdf`; with
        `foot_size` it is the frame itself.
    foot_size : length and width of a rectangular foot [m], centred at the named frame.
    srdf : file with posture and rotors; None looks beside the URDF for the same name with .srdf.
    posture : name of the SRDF's group state to stand in.
    waist : link whose tilt and acceleration count and that is pushed; None is the first link.
    imu : frame of the inertial sensor; None is the waist's.
    contact_points : further frames that may touch.
    rotor : rotor inertia of every joint the SRDF has none for [kg m2].
    packages : folders in which ``package://`` is looked up.
    """

    __pydantic_config__ = STRICT
    left_foot: str | None = None
    right_foot: str | None = None
    foot_size: tuple[float, float] | None = None
    srdf: str | None = None
    posture: str = HALF_SITTING
    waist: str | None = None
    imu: str | None = None
    contact_points: tuple[str, ...] = ()
    rotor: float = 0.0
    packages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.rotor < np.inf:
            raise RobotError(f"rotor inertia must be at least 0, got {self.rotor:g} kg m2")
        size = self.foot_size
        if size is not None and not (len(size) == 2 and all(0.0 < s < np.inf for s in size)):
            raise RobotError(f"foot_size must be length and width > 0 [m], got {size}")


@dataclass(frozen=True, kw_only=True)
class UrdfRobot(UrdfOptions):
    """A URDF with all that is known of it.

    Parameters
    ----------
    path : the URDF.
    corrections : link -> {attribute of <inertia>: value}, where the file has a misprint.
    name, about, warnings : of the `RobotModel`.
    """

    path: Path
    corrections: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    name: str = ""
    about: str = ""
    warnings: tuple[str, ...] = ()
