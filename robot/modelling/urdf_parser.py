"""Pinocchio's URDF parser, which writes its complaints to stderr: here they become the error."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def captured() -> Iterator[list[str]]:
    """Collect the lines that C++ code writes to stderr, instead of showing them.

    The list is filled when the block ends, also by an exception.
    """
    said: list[str] = []
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as sink:
        try:
            os.dup2(sink.fileno(), 2)
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            sink.seek(0)
            said += sink.read().decode(errors="replace").splitlines()


def model_of(tree: ET.Element) -> Any:
    """Return the `pinocchio.Model` of a <robot> on a free flyer called "root_joint".

    Raises
    ------
    ValueError
        The parser fails or leaves links out; the message is what it said first.
    """
    import pinocchio as pin

    text = ET.tostring(tree, encoding="unicode")
    said: list[str] = []
    try:
        with captured() as said:
            model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), "root_joint")
    except Exception as error:
        raise ValueError(_reason(said) or " ".join(str(error).split())) from error
    names = [link.get("name", "") for link in tree.findall("link")]
    lost = [name for name in names if not model.existBodyName(name)]
    if lost:
        raise ValueError(
            f"not connected to the first link: {', '.join(lost)} "
            "(a loop of joints, or several trees)"
        )
    return model


def _reason(said: list[str]) -> str:
    """Return the first complaint about what is fatal: the last lines repeat it."""
    errors = [line.partition("Error:")[2].strip() for line in said if "Error:" in line]
    # a shape that cannot be parsed is only left out
    fatal = [line for line in errors if "visual" not in line and "collision" not in line]
    return (fatal or errors or [""])[0]
