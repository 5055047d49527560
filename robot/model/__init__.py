"""Humanoid models: read from our TOML or any URDF, checked, converted to Pinocchio, exported."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.model.bent_posture import stands_straight
    from robot.model.description import load_humanoid
    from robot.model.export import export_posture, export_urdf
    from robot.model.free_axes import free_axes_of, turns, with_free_joints
    from robot.model.humanoid_to_pinocchio import build_robot
    from robot.model.knees import knees_of
    from robot.model.leg_ends import first_link, right_names
    from robot.model.robot_model import (
        SIDES,
        RobotFoot,
        RobotModel,
        Solid,
    )
    from robot.model.robots import (
        humanoids,
        load_robot,
        require_robot,
        robot_names,
        robot_of,
    )
    from robot.model.srdf import HALF_SITTING
    from robot.model.urdf_source import UrdfOptions, srdf_beside
else:
    # Later: at once, `sole walk MISSPELT` would import 8 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "HALF_SITTING",
    "SIDES",
    "RobotFoot",
    "RobotModel",
    "Solid",
    "UrdfOptions",
    "build_robot",
    "export_posture",
    "export_urdf",
    "first_link",
    "free_axes_of",
    "humanoids",
    "knees_of",
    "load_humanoid",
    "load_robot",
    "require_robot",
    "right_names",
    "robot_names",
    "robot_of",
    "srdf_beside",
    "stands_straight",
    "turns",
    "with_free_joints",
]
