"""Data that must accompany a URDF: the frames of the feet, the file of the posture."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robot.model.srdf import HALF_SITTING
from sole.base.config import STRICT
from sole.base.errors import SoleError
from sole.base.units import Metres


class RobotError(SoleError):
    """A robot that cannot be loaded: a file, name, frame or joint is missing or wrong."""


@dataclass(frozen=True, kw_only=True)
class UrdfOptions:
    """Data that a URDF lacks: options of `load_robot`, keys of [urdf] in a scenario.

    Missing options are taken from the SRDF if it has our marks (`robot.model.srdf`).

    Parameters
    ----------
    left_foot, right_foot : a frame (usually a link) at each foot; by default the SRDF's, frames
        with names in `robot.model.urdf_feet.USUAL`, or the links where the legs end. The sole
        frame is the underside of the geometry fixed to the same joint, see
        `sole.shape.foot_of_urdf`; with `foot_size` it is the frame itself.
    foot_size : length and width of a rectangular foot [m], centred at the named frame.
    srdf : file with posture and rotors; None: the file beside the URDF with the suffix .srdf.
    posture : name of the group state in the SRDF to stand in.
    waist : link that is pushed and whose tilt and acceleration count; None: the first link.
    imu : frame of the inertial sensor; None: that of the waist.
    contact_points : further frames that may touch.
    rotor : rotor inertia of every joint for which the SRDF has none [kg m2].
    packages : where ``package://`` is looked up: "NAME=FOLDER", or a folder that holds packages;
        see `sole.shape.find_packages`.
    xacro_args : "NAME=VALUE" for each argument of a xacro.
    """

    __pydantic_config__ = STRICT
    left_foot: str | None = None
    right_foot: str | None = None
    foot_size: tuple[Metres, Metres] | None = None
    srdf: str | None = None
    posture: str = HALF_SITTING
    waist: str | None = None
    imu: str | None = None
    contact_points: tuple[str, ...] = ()
    rotor: float = 0.0
    packages: tuple[str, ...] = ()
    xacro_args: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.rotor < np.inf:
            raise RobotError(f"rotor inertia must be at least 0, got {self.rotor:g} kg m2")
        size = self.foot_size
        if size is not None and not (len(size) == 2 and all(0.0 < s < np.inf for s in size)):
            raise RobotError(f"foot_size must be length and width > 0 [m], got {size}")


@dataclass(frozen=True, kw_only=True)
class UrdfRobot(UrdfOptions):
    """A URDF with all its options.

    Parameters
    ----------
    path : the URDF.
    corrections : link -> {attribute of <inertia>: value}, for misprints in the file.
    name, about, warnings : those of the `RobotModel`.
    tree : what was read from the file.
    sides_known : the feet were found, so that left and right are what their names say.
    """

    path: Path
    tree: ET.Element | None = field(default=None, repr=False)
    corrections: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    name: str = ""
    about: str = ""
    warnings: tuple[str, ...] = ()
    sides_known: bool = False


def srdf_beside(path: Path) -> Path:
    """Return the SRDF that goes with a file: robot.srdf for robot.urdf and robot.urdf.xacro."""
    name = path.name[: -len(".xacro")] if path.suffix.lower() == ".xacro" else path.name
    return path.with_name(name or path.name).with_suffix(".srdf")
