"""Copies of `hrp2-like` at another height, dynamically similar under gravity."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

from robot.model.description import load_humanoid
from robot.model.humanoid_to_pinocchio import build_robot
from robot.model.robots import FOLDER

POWERS = {"mass": 3, "torque": 4, "velocity": -0.5, "rotor": 5}  # of the scale, under gravity
KEPT = ("range", "half_sitting")  # angles


def scaled(value, s, name=""):
    """Return a `Humanoid`, or a part of one, whose lengths are s times as long."""
    if name in KEPT:
        return value
    if is_dataclass(value):
        parts = {f.name: scaled(getattr(value, f.name), s, f.name) for f in fields(value)}
        return replace(value, **parts)
    if isinstance(value, tuple):
        return tuple(scaled(part, s, name) for part in value)
    return value * s ** POWERS.get(name, 1) if isinstance(value, float) else value


def copy_of(height):
    """Return `hrp2-like`, 1.539 m high, at another height [m]."""
    return build_robot(scaled(load_humanoid(FOLDER / "hrp2-like.toml"), height / 1.539))
