"""The numbers of a URDF, checked before its parser reads them.

The parser drops what it cannot read, often without a word: a body whose mass is written "11.7 "
loses the mass, an origin "0,1 0 0" becomes zero, a shape with a misprint is left out. So all that
it would drop, repair or replace by a default is refused here, with file and line. Numbers are as
the parser wants them: decimal, with a point, finite; blanks only between the parts of a vector.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from sole.base.errors import ShapeError

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
MOVING = ("revolute", "prismatic")  # joints that need limits
ALIKE = 0.7  # least similarity of a misspelt name, from 0 to 1


class Numbers(NamedTuple):
    """Attributes of one element: how many numbers each has; which must be there."""

    counts: dict[str, int]
    needed: tuple[str, ...] = ()


ORIGIN = Numbers({"xyz": 3, "rpy": 3})
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
INERTIAL = {
    "origin": ORIGIN,
    "mass": Numbers({"value": 1}, ("value",)),
    "inertia": Numbers(dict.fromkeys(MOMENTS, 1), MOMENTS),
}
JOINT = {
    "origin": ORIGIN,
    "axis": Numbers({"xyz": 3}, ("xyz",)),
    "limit": Numbers(dict.fromkeys(("lower", "upper", "effort", "velocity"), 1)),
    "dynamics": Numbers({"damping": 1, "friction": 1}),
    "mimic": Numbers({"multiplier": 1, "offset": 1}),
}
SHAPES = {
    "box": Numbers({"size": 3}, ("size",)),
    "cylinder": Numbers({"radius": 1, "length": 1}, ("radius", "length")),
    "capsule": Numbers({"radius": 1, "length": 1}, ("radius", "length")),
    "sphere": Numbers({"radius": 1}, ("radius",)),
    "mesh": Numbers({"scale": 3}),
}
PARTS = {
    "link": ("inertial", "visual", "collision"),
    "inertial": tuple(INERTIAL),
    "joint": (*JOINT, "parent", "child", "calibration", "safety_controller"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry"),
}
EXACT = ("origin", "axis", "mass", "inertia")  # elements whose other attributes would be dropped
ONCE = ("inertial", "origin", "mass", "inertia", "axis", "limit", "geometry")


class UrdfElement(ET.Element):
    """An element that knows its line in the file."""

    line = 0


def place_of(path: Path, element: ET.Element | None) -> str:
    """Return file and line of an element; the file alone if the line is not known."""
    line = getattr(element, "line", 0)
    return f"{path}:{line}" if line else str(path)


def check_numbers(path: Path, tree: ET.Element) -> None:
    """Refuse a URDF in which the parser would drop, repair or replace a number.

    Raises
    ------
    ShapeError
        With file, line, element, what is wrong and what was expected.
    """
    for owner in (*tree.findall("link"), *tree.findall("joint")):
        for element, fault in _faults(owner):
            raise ShapeError(
                f"{place_of(path, element)}: {owner.tag} '{owner.get('name', '')}': {fault}"
            )


def _faults(owner: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    """Yield what is wrong with a <link> or <joint>: the element, and the fault in words."""
    yield from _misspelt(owner)
    if owner.tag == "joint":
        for part in owner:
            yield from _of(part, JOINT)
        yield from _limits(owner)
        return
    for inertial in owner.findall("inertial"):
        yield from _misspelt(inertial)
        for tag in ("mass", "inertia"):
            if inertial.find(tag) is None:
                yield inertial, "<inertial> needs <mass> and <inertia>"
        for part in inertial:
            if part.tag not in INERTIAL:
                yield part, f"<{part.tag}> would be ignored; <inertial> has {_list(INERTIAL)}"
            yield from _of(part, INERTIAL)
    for drawn in (*owner.findall("visual"), *owner.findall("collision")):
        yield from _misspelt(drawn)
        for origin in drawn.findall("origin"):
            yield from _of(origin, {"origin": ORIGIN})
        for geometry in drawn.findall("geometry"):
            if len(geometry) != 1 or geometry[0].tag not in SHAPES:
                found = _list(shape.tag for shape in geometry) or "nothing"
                yield geometry, f"<geometry> has one of {_list(SHAPES)}, got {found}"
            for shape in geometry:
                yield from _of(shape, SHAPES)


def _misspelt(owner: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    """Yield parts that the parser ignores: their names are almost those of parts that it reads."""
    known = PARTS[owner.tag]
    for part in owner:
        if part.tag in known:
            continue
        near = [name for name in (*EXACT, "limit") if name in known and name in part.tag.lower()]
        near = near or get_close_matches(part.tag.lower(), known, n=1, cutoff=ALIKE)
        if near:
            yield part, f"<{part.tag}> would be ignored; is <{near[0]}> meant?"
    yield from _twice(owner)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _twice(owner: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    for tag in ONCE:
        for more in owner.findall(tag)[1:]:
            yield more, f"a second <{tag}> would be ignored; one is expected"


def _of(element: ET.Element, known: dict[str, Numbers]) -> Iterator[tuple[ET.Element, str]]:
    """Yield what is wrong with the attributes of one element."""
    numbers = known.get(element.tag)
    if numbers is None:
        return
    for name, count in numbers.counts.items():
        text = element.get(name)
        if text is not None:
            if fault := fault_of(text, count):
                yield element, f'<{element.tag} {name}="{text}">: {fault}'
            continue
        others = [other for other in element.attrib if other not in numbers.counts]
        if near := get_close_matches(name, [other.lower() for other in others], n=1, cutoff=0.6):
            yield element, f"<{element.tag} {near[0]}=...> would be ignored; is '{name}' meant?"
        if name in numbers.needed:
            yield element, f"<{element.tag}> needs '{name}'"
    extra = [name for name in element.attrib if name not in numbers.counts]
    if extra and element.tag in EXACT:
        yield (
            element,
            f"<{element.tag} {extra[0]}=...> would be ignored; it has {_list(numbers[0])}",
        )


def _limits(joint: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    """Yield what is wrong with the limits of a joint; without them the parser takes 0 and 0."""
    limit, kind = joint.find("limit"), joint.get("type", "")
    if kind not in MOVING:
        return
    if limit is None:
        yield joint, f"a {kind} joint needs <limit lower upper effort velocity>"
        return
    missing = [name for name in JOINT["limit"].counts if limit.get(name) is None]
    if kind == "revolute" and {"lower", "upper"} <= set(missing):
        missing = [name for name in missing if name not in ("lower", "upper")]  # no range at all
    if missing:
        yield limit, f"<limit> of a {kind} joint needs '{missing[0]}'; without it, it would be 0"
        return
    lower, upper = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
    if lower > upper:
        yield limit, f"<limit>: lower {lower:g} is above upper {upper:g}"
    for name in ("effort", "velocity"):
        if (value := float(limit.get(name, "0"))) < 0:
            yield limit, f"<limit>: {name} must be at least 0, got {value:g}"


def fault_of(text: str, count: int) -> str:
    """Return why the parser cannot read `count` numbers from a text, "" if it can."""
    words = text.split(" ") if count == 1 else text.split()
    if not text.strip():
        return "it is empty"
    if "," in text:
        return "it has a comma; numbers take a decimal point and blanks between them"
    if count == 1 and text != text.strip():
        return f'it has a blank at an end; write "{text.strip()}"'
    if len(words) != count:
        return f"expected {count} number{'s' * (count > 1)}, got {len(words)}"
    for word in words:
        if not NUMBER.fullmatch(word):
            return f"'{word}' is not a finite decimal number"
        if not math.isfinite(float(word)):
            return f"{word} is too large"
    return ""
