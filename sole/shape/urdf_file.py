"""URDF and MJCF files: the XML and its Pinocchio model; parser complaints become errors."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate, errors

from sole.base.errors import ShapeError
from sole.base.files import LARGEST_TEXT, existing_file
from sole.base.quiet import captured
from sole.shape.urdf_numbers import UrdfElement, check_numbers
from sole.shape.urdf_packages import refuse_missing_folders


def read_urdf(
    path: Path, packages: Sequence[str | Path] = (), arguments: Sequence[str] = ()
) -> ET.Element:
    """Return the <robot> of a file, its numbers checked; the elements know their lines.

    MJCF and xacro become a <robot> without lines, see `sole.shape.mjcf` and
    `sole.shape.xacro_file`, which takes `packages` and `arguments`.

    Raises
    ------
    ShapeError
        The file is missing, is not XML, has no <robot> with links, or has a number that the parser
        would drop or repair.
    """
    existing_file(path, ShapeError, most=LARGEST_TEXT, padding=0)
    refuse_missing_folders(packages)
    expands = path.suffix.lower() == ".xacro"
    if arguments and not expands:
        raise ShapeError(f"--xacro-arg is for a .xacro only, got {path}")
    try:
        tree = _parse(path)
        if expands:
            from sole.shape.xacro_file import expand_xacro

            tree = _parse(path, expand_xacro(path, packages, arguments).encode())
    except ShapeError:
        raise
    except ExpatError as error:
        reason = errors.messages[error.code]
        raise ShapeError(f"{path}:{error.lineno}: not a readable URDF ({reason})") from error
    except (OSError, UnicodeDecodeError, ValueError, LookupError) as error:
        reason = " ".join(str(error).split())
        raise ShapeError(f"{path}: not a readable URDF ({reason})") from error
    if tree.tag == "mujoco":
        from sole.shape.mjcf import read_mjcf

        return read_mjcf(path)
    if tree.tag != "robot" or tree.find("link") is None:
        got = f"<{tree.tag}>" + " without one" * (tree.tag == "robot")
        raise ShapeError(f"{path}: not a URDF: expected <robot> with links, got {got}")
    check_numbers(path, tree)
    return tree


def _parse(path: Path, text: bytes | None = None) -> ET.Element:
    """Return the root of an XML file, of `UrdfElement`s; of `text`, if given, without lines."""
    parser = ParserCreate()

    def made(tag: str, attributes: dict[str, str]) -> UrdfElement:
        element = UrdfElement(tag, attributes)
        element.line = parser.CurrentLineNumber if text is None else 0
        return element

    builder = ET.TreeBuilder(element_factory=made)
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    with path.open("rb") if text is None else BytesIO(text) as stream:
        parser.ParseFile(stream)
    return builder.close()


def model_of(tree: ET.Element, path: Path, *, floating: bool) -> Any:
    """Return the `pinocchio.Model` of a <robot>; `floating`: with a free flyer "root_joint".

    Raises
    ------
    ShapeError
        The parser fails or omits links; the message has `path` and the parser's first complaint.
    """
    import pinocchio as pin

    text = ET.tostring(tree, encoding="unicode")
    base = (pin.JointModelFreeFlyer(), "root_joint") if floating else ()
    said: list[str] = []
    try:
        with captured(2) as said:
            model = pin.buildModelFromXML(text, *base)
    except Exception as error:
        reason = _reason(said) or " ".join(str(error).split())
        raise ShapeError(f"{path}: not a readable URDF ({reason})") from error
    names = [link.get("name", "") for link in tree.findall("link")]
    lost = [name for name in names if not model.existBodyName(name)]
    if lost:
        raise ShapeError(
            f"{path}: not a readable URDF (not connected to the first link: {', '.join(lost)} "
            "(a loop of joints, or several trees))"
        )
    return model


def _reason(said: list[str]) -> str:
    """Return the first fatal complaint; the last lines repeat it."""
    errors = [line.partition("Error:")[2].strip() for line in said if "Error:" in line]
    # an unreadable shape is not fatal: it is only left out
    fatal = [line for line in errors if "visual" not in line and "collision" not in line]
    return (fatal or errors or [""])[0]
