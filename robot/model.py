"""The front door to robots: `load_robot(name or file)` returns a `RobotModel`."""

from __future__ import annotations

from pathlib import Path

from robot.modelling.robot_model import FootPad, RobotFoot, RobotModel, Solid

__all__ = ["HUMANOIDS", "FootPad", "RobotFoot", "RobotModel", "Solid", "load_robot"]

_FOLDER = Path(__file__).parent / "humanoids"
HUMANOIDS = ("hrp2-like",)


def load_robot(robot: str | Path) -> RobotModel:
    """Return a robot by its name."""
    from robot.modelling.build import build
    from robot.modelling.description import load_humanoid

    return build(load_humanoid(_FOLDER / f"{robot}.toml"))
