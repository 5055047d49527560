"""Robots of the package example-robot-data, found by name (extra `robots`).

Its wheel has files but no loader, so this module looks them up among the installed files.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from robot.model.urdf_source import RobotError, UrdfRobot

_PACKAGE = "example-robot-data"
_SHARES = ("cmeel.prefix/share", "share")  # in a wheel; in an installation beside Python


@dataclass(frozen=True, kw_only=True)
class _Known:
    """The paths of a robot's files in the package, and the data that they lack."""

    urdf: str
    srdf: str
    left_foot: str
    right_foot: str
    about: str
    imu: str
    contact_points: tuple[str, ...]
    corrections: dict[str, dict[str, float]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


KNOWN = {
    "talos": _Known(
        urdf="talos_data/robots/talos_reduced.urdf",
        srdf="talos_data/srdf/talos.srdf",
        left_foot="left_sole_link",
        right_foot="right_sole_link",
        about="PAL Robotics Talos, reduced: grippers fixed (example-robot-data)",
        imu="imu_link",
        contact_points=("wrist_left_ft_tool_link", "wrist_right_ft_tool_link"),
    ),
    "romeo": _Known(
        urdf="romeo_description/urdf/romeo_small.urdf",
        srdf="romeo_description/srdf/romeo_small.srdf",
        left_foot="l_sole",
        right_foot="r_sole",
        about="Aldebaran Romeo, without fingers and eyes (example-robot-data)",
        imu="ImuTorsoGyrometer_frame",
        contact_points=("l_gripper", "r_gripper"),
        # The left arm has 0.00664434 and 0.00211065: the right one lost a zero after the point.
        corrections={
            "RShoulderYawLink": {"izz": 0.00664209},
            "RElbowYawLink": {"izz": 0.00211493},
        },
        warnings=(
            "izz of RShoulderYawLink and RElbowYawLink corrected: the values in the file are a "
            "tenth of the left arm's, which no body can have",
        ),
    ),
}


def find_known_robot(name: str) -> UrdfRobot:
    """Return the URDF and the options of one of `KNOWN`.

    Raises
    ------
    RobotError
        The data are not installed; the message gives the command that installs them.
    """
    known = KNOWN[name]
    share = _share(name, known.urdf)
    robots = share / _PACKAGE / "robots"
    return UrdfRobot(
        path=robots / known.urdf,
        srdf=str(robots / known.srdf),
        left_foot=known.left_foot,
        right_foot=known.right_foot,
        imu=known.imu,
        contact_points=known.contact_points,
        corrections=known.corrections,
        packages=(str(share),),
        name=name,
        about=known.about,
        warnings=known.warnings,
    )


def _share(name: str, urdf: str) -> Path:
    """Return the folder that holds example-robot-data/robots with this file."""
    places = [Path(sys.prefix) / "share"]
    try:
        data = distribution(_PACKAGE)
        places = [Path(str(data.locate_file(share))) for share in _SHARES] + places
    except PackageNotFoundError:
        pass
    for place in places:
        if (place / _PACKAGE / "robots" / urdf).is_file():
            return place.resolve()
    raise RobotError(
        f"'{name}' needs the robots of {_PACKAGE}: pip install 'compliant-sole[robots]'"
    )
