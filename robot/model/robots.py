"""`load_robot(name or file)` returns a `RobotModel`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sole.base.files import existing_file
from sole.base.near_names import did_you_mean

if TYPE_CHECKING:
    from robot.model.robot_model import RobotModel
    from robot.model.urdf_source import UrdfOptions, UrdfRobot


FOLDER = Path(__file__).parent / "humanoids"
_URDF = (".urdf", ".xml", ".xacro")


def humanoids() -> tuple[str, ...]:
    """Return the names of our own humanoids."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def robot_names() -> tuple[str, ...]:
    """Return every name that `load_robot` knows; those of the extra `robots` come last."""
    from robot.model.example_robots import KNOWN

    return humanoids() + tuple(KNOWN)


def load_robot(robot: str | Path, **options: Any) -> RobotModel:
    """Return a robot by name ("hrp2-like", "talos"), from our TOML, or from any URDF or MJCF.

    Parameters
    ----------
    robot : one of `robot_names`, or a file: .toml (schema ``robot.humanoid/1``), .urdf, .xacro,
        or MJCF in .xml.
    options : for a URDF, xacro or MJCF only, see `robot.model.UrdfOptions`. The frames at the feet,
        `left_foot` and `right_foot`, are required unless the SRDF beside it comes from
        `sole robot export` or the frames have common names (a warning says so).

    Raises
    ------
    RobotError
        The name is unknown (the message lists the names), the file is not readable, or the extra or
        a frame is missing.
    InertiaError
        A body has impossible inertia, or the mass matrix is singular; the message names the body.
    ConfigError
        The TOML describes no robot; the message names the key.
    """
    require_robot(robot)

    from robot.model.description import load_humanoid
    from robot.model.example_robots import KNOWN, find_known_robot
    from robot.model.humanoid_to_pinocchio import build_robot
    from robot.model.urdf import load_urdf
    from robot.model.urdf_source import RobotError

    path = Path(robot)
    if path.suffix.lower() in _URDF:
        return load_urdf(_urdf(path, options))
    if options:
        raise RobotError(f"{', '.join(options)}: options are for a URDF only, got '{robot}'")
    if str(robot) in KNOWN:
        return load_urdf(find_known_robot(str(robot)))
    if str(robot) in humanoids():
        path = FOLDER / f"{robot}.toml"
    return build_robot(load_humanoid(path))


def require_robot(robot: str | Path, folder: Path | None = None) -> None:
    """Refuse a robot that is neither known by name nor a file; paths are relative to `folder`.

    Nothing heavy is imported.

    Raises
    ------
    RobotError
        The message lists the names, or names the file.
    """
    from robot.model.urdf_source import RobotError

    path = Path(robot) if folder is None else folder / robot
    if path.suffix.lower() in (*_URDF, ".toml"):
        existing_file(path, RobotError)
    elif str(robot) not in (known := robot_names()):
        raise RobotError(
            f"no robot '{robot}'; there are {', '.join(known)}, or give a .toml, .urdf, "
            f".xacro or .xml{did_you_mean(str(robot), known)}"
        )


def robot_of(robot: str, options: UrdfOptions, folder: Path) -> RobotModel:
    """Return a scenario's robot, loaded with its [urdf] options; files are relative to `folder`.

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
        from sole.shape import relative_to

        given["packages"] = tuple(relative_to(folder, package) for package in options.packages)
    is_file = Path(robot).suffix.lower() in (*_URDF, ".toml")
    return load_robot(folder / robot if is_file else robot, **given)


def _urdf(path: Path, options: dict[str, Any]) -> UrdfRobot:
    from dataclasses import fields

    from robot.model.urdf_source import RobotError, UrdfRobot

    allowed = [f.name for f in fields(UrdfRobot) if f.name not in ("path", "tree")]
    for name in options:
        if name not in allowed:
            raise RobotError(f"no option '{name}' for a URDF; there are {', '.join(allowed)}")
    if options.get("srdf") is not None:
        options["srdf"] = str(options["srdf"])
    for name in {"packages", "xacro_args"} & set(options):
        options[name] = tuple(str(text) for text in options[name])
    return UrdfRobot(path=path, **options)
