"""The front door to robots: `load_robot(name or file)` returns a `RobotModel`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from robot.modelling.robot_model import FootPad, RobotFoot, RobotModel, Solid

if TYPE_CHECKING:
    from robot.modelling.urdf_source import UrdfOptions, UrdfRobot

__all__ = [
    "FootPad",
    "RobotFoot",
    "RobotModel",
    "Solid",
    "humanoids",
    "load_robot",
    "robot_names",
    "robot_of",
]

FOLDER = Path(__file__).parent / "humanoids"
_URDF = (".urdf", ".xml")


def humanoids() -> tuple[str, ...]:
    """Return the names of our own humanoids."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def robot_names() -> tuple[str, ...]:
    """Return every name that `load_robot` knows; those of the extra `robots` come last."""
    from robot.modelling.known import KNOWN

    return humanoids() + tuple(KNOWN)


def load_robot(robot: str | Path, **options: Any) -> RobotModel:
    """Return a robot by name ("hrp2-like", "talos"), from our TOML, or from any URDF.

    Parameters
    ----------
    robot : one of `robot_names`, or a file: .toml (schema ``robot.humanoid/1``) or .urdf.
    options : for a URDF only, see `robot.modelling.urdf_source.UrdfOptions`; `left_foot` and
        `right_foot`, frames at the feet, are needed unless the SRDF beside it is of
        `sole robot export` or the frames have usual names (a warning says so).

    Raises
    ------
    RobotError
        Unknown name (the message lists them), unreadable file, missing extra, missing frame.
    InertiaError
        A body that cannot exist, or a mass matrix that is singular; by name.
    ConfigError
        A TOML that describes no robot; the message names the key.
    """
    from robot.modelling.build import build
    from robot.modelling.description import load_humanoid
    from robot.modelling.known import KNOWN, known_robot
    from robot.modelling.urdf import RobotError, load_urdf

    path = Path(robot)
    if path.suffix.lower() in _URDF:
        return load_urdf(_urdf(path, options))
    if options:
        raise RobotError(f"{', '.join(options)}: only for a URDF, got '{robot}'")
    if str(robot) in KNOWN:
        return load_urdf(known_robot(str(robot)))
    if str(robot) in humanoids():
        path = FOLDER / f"{robot}.toml"
    elif path.suffix != ".toml":
        raise RobotError(
            f"no robot '{robot}'; there are {', '.join(robot_names())}, or give a .toml or .urdf"
        )
    return build(load_humanoid(path))


def robot_of(robot: str, options: UrdfOptions, folder: Path) -> RobotModel:
    """Return a scenario's robot and its [urdf] options; files are looked for in `folder`.

    Raises
    ------
    RobotError, InertiaError, ConfigError
        As `load_robot`.
    """
    from dataclasses import fields

    values = ((f.name, getattr(options, f.name), f.default) for f in fields(options))
    given = {name: value for name, value, default in values if value != default}
    if options.srdf is not None:
        given["srdf"] = str(folder / options.srdf)
    if options.packages:
        given["packages"] = tuple(str(folder / package) for package in options.packages)
    is_file = Path(robot).suffix.lower() in (*_URDF, ".toml")
    return load_robot(folder / robot if is_file else robot, **given)


def _urdf(path: Path, options: dict[str, Any]) -> UrdfRobot:
    from dataclasses import fields

    from robot.modelling.urdf import RobotError, UrdfRobot

    allowed = [f.name for f in fields(UrdfRobot) if f.name != "path"]
    for name in options:
        if name not in allowed:
            raise RobotError(f"no option '{name}' for a URDF; there are {', '.join(allowed)}")
    if options.get("srdf") is not None:
        options["srdf"] = str(options["srdf"])
    if "packages" in options:
        options["packages"] = tuple(str(p) for p in options["packages"])
    return UrdfRobot(path=path, **options)
