"""What an SRDF adds to a URDF: a posture by name, the rotors behind the joints, our marks."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from robot.modelling.marks import Marks, read_marks
from sole.errors import ConfigError

HALF_SITTING = "half_sitting"


@dataclass(frozen=True, kw_only=True)
class Posture:
    """Joint values and rotor inertias by joint, and what else is marked.

    Parameters
    ----------
    angles : values of q of a joint (7 for the free flyer) [rad, m].
    rotors : inertia seen at the joint, the rotor's times the square of the gear ratio [kg m2].
    marks : feet, waist, inertial sensor and contact points, see `robot.modelling.marks`.
    """

    angles: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    rotors: Mapping[str, float] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)


def read_srdf(path: Path, posture: str) -> Posture:
    """Read a group state and <rotor_params>, as Pinocchio and example-robot-data write them.

    An SRDF with no group state at all gives no angles.

    Raises
    ------
    ConfigError
        Not a readable SRDF; no such group state (the message lists those there are).
    """
    try:
        tree = ET.parse(path).getroot()
        states = {state.get("name", ""): state for state in tree.findall("group_state")}
        if states and posture not in states:
            known = ", ".join(states)
            raise ConfigError(f"{path}: no posture '{posture}'; there are {known}")
        angles = {}
        for joint in states[posture].findall("joint") if states else []:
            angles[joint.get("name", "")] = _floats(joint.get("value", ""))
        rotors = {}
        for joint in tree.findall("rotor_params/joint"):
            rotor, ratio = _floats(f"{joint.get('mass')} {joint.get('gear_ratio')}")
            rotors[joint.get("name", "")] = rotor * ratio**2
        marks = read_marks(tree)
    except ConfigError:
        raise
    except (ET.ParseError, OSError, ValueError) as error:
        raise ConfigError(f"{path}: not a readable SRDF ({error})") from error
    return Posture(angles=angles, rotors=rotors, marks=marks)


def _floats(text: str) -> tuple[float, ...]:
    values = tuple(float(word) for word in text.split())
    if not values or not all(math.isfinite(v) for v in values):
        raise ValueError(f"expected finite numbers, got '{text}'")
    return values
