"""The report of `sole robot info`: sizes, masses, frames, and the table of joints."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from robot.model import RobotModel, Solid, knees_of, stands_straight
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.base.files import LARGEST_MESH, existing_file
from sole.base.report import Quantity, Report


def describe_robot(robot: RobotModel) -> Report:
    """Return the report of a robot, in its reference posture unless stated otherwise."""
    import pinocchio as pin

    model, data = robot.model, robot.model.createData()
    pin.framesForwardKinematics(model, data, robot.q0)
    com = np.array(pin.centerOfMass(model, data, robot.q0))
    stands = "legs straight" if stands_straight(robot) else "half-sitting"
    rows = {
        "about": Quantity(robot.about),
        "joints": Quantity(len(robot.joints), "", "driven"),
        "mass": Quantity(robot.mass, "kg", "without soles"),
        "height": _height(robot, robot.q0, f"{stands}, above the bond planes"),
        "height at zero": _height(robot, pin.neutral(model), "all joint angles 0: legs straight"),
        "knees": Quantity(knee_bend(robot), "", stands),
        "waist height": Quantity(data.oMf[robot.waist].translation[2], "m", stands),
        "com height": Quantity(com[2], "m", stands),
        "com from feet": Quantity(com[:2], "m", "x, y from the middle between the sole frames"),
        "waist frame": Quantity(model.frames[robot.waist].name),
        "imu frame": Quantity(model.frames[robot.imu].name),
        "contact points": Quantity(list(robot.contact_points)),
    }
    for foot, leg in zip(robot.feet, robot.legs, strict=True):
        pads = f", {len(foot.pads)} pads" if len(foot.pads) > 1 else ""
        sole = data.oMf[foot.frame]
        tilt = np.degrees(np.arccos(np.clip(sole.rotation[2, 2], -1.0, 1.0)))
        rows |= {
            f"{foot.side} sole frame": Quantity(foot.frame_name, "", f"on link {foot.link}"),
            f"{foot.side} foot size": Quantity(2 * foot.half_size, "m", f"length, width{pads}"),
            f"{foot.side} foot at": Quantity(sole.translation, "m", f"sole frame, {stands}"),
            f"{foot.side} foot tilt": Quantity(tilt, "deg", stands),
            f"{foot.side} leg": Quantity([model.names[j] for j in leg]),
        }
    return Report(f"robot {robot.name}", rows, warnings=(*robot.warnings, *robot.doubts))


def knee_bend(robot: RobotModel) -> str:
    """Return in words how far the knees are bent: their joints and angles."""
    bends = knees_of(robot.model, robot.q0, robot.legs)
    return ", ".join(f"{robot.model.names[j]} {np.degrees(a):.0f} degrees" for j, a in bends)


def humanoid(path: Path) -> Report:
    """Return the report of a humanoid's TOML, for `sole info`."""
    from robot.model import build_robot, load_humanoid

    return describe_robot(build_robot(load_humanoid(path)))


def joint_rows(robot: RobotModel) -> list[dict[str, Any]]:
    """Return one row per driven joint; None where there is no limit [rad, N m, rad/s]."""
    rows = []
    for place, name in enumerate(robot.joints):
        kind = robot.model.joints[place + 2].shortname().removeprefix("JointModel")
        rows.append(
            {
                "joint": name,
                "type": "prismatic" if kind.startswith("P") else "revolute",
                "lower": _limit(robot.lower[place]),
                "upper": _limit(robot.upper[place]),
                "torque": _limit(robot.torque[place]),
                "velocity": _limit(robot.velocity[place]),
                "rotor": float(robot.armature[place]),
            }
        )
    return rows


def _limit(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _height(robot: RobotModel, q: FloatArray, note: str) -> Quantity:
    """Return the height of the highest solid above the lower of the two sole frames [m]."""
    import pinocchio as pin

    if not robot.solids:
        return Quantity(None, "m", "unknown: no shape of a link was found")
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    floor = min(data.oMf[foot.frame].translation[2] for foot in robot.feet)
    tops = [_top(solid, data.oMi[solid.joint].homogeneous) for solid in robot.solids]
    return Quantity(float(max(tops) - floor), "m", note)


def _top(solid: Solid, joint_to_world: FloatArray) -> float:
    """Return the height of the highest point of a solid in the world [m]."""
    pose = joint_to_world @ solid.placement
    up = pose[2, :3]  # the world's z in the solid's axes
    a, b, _ = solid.size
    if solid.kind == "mesh":
        return float(pose[2, 3] + (_vertices(solid) @ up).max())
    if solid.kind == "box":
        reach = np.abs(up) @ solid.size / 2
    elif solid.kind == "cylinder":
        reach = abs(up[2]) * b / 2 + a * np.hypot(up[0], up[1])
    else:
        reach = abs(up[2]) * b / 2 + a
    return float(pose[2, 3] + reach)


@cache
def _vertices(solid: Solid) -> FloatArray:
    import coal

    assert solid.path is not None
    path = existing_file(solid.path, most=LARGEST_MESH)
    try:
        mesh = coal.MeshLoader().load(str(path), np.array(solid.size))
    except ValueError as error:
        raise SoleError(
            f"{path}: not a readable mesh of link '{solid.link}'; copy or export it again"
        ) from error
    return np.array(mesh.vertices(), dtype=float).reshape(-1, 3)
