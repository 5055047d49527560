"""The shapes in a URDF, link by link: boxes, cylinders, balls and files with meshes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from robot.modelling.robot_model import Solid
from sole.arrays import FloatArray


def solids_of(
    link: ET.Element, joint: int, link_to_joint: FloatArray, folders: Sequence[Path]
) -> list[Solid]:
    """Return what a <link> looks like; its collision geometry if it has no visual one.

    Parameters
    ----------
    joint, link_to_joint : the joint that carries the link and its pose there, (4, 4) [m].
    folders : where ``package://`` may start; meshes found in none of them are left out.
    """
    drawn = link.findall("visual") or link.findall("collision")
    solids = []
    for element in drawn:
        geometry = element.find("geometry")
        if geometry is None or len(geometry) == 0:
            continue
        found = _shape(geometry[0], folders)
        if found is not None:
            kind, size, path = found
            solids.append(
                Solid(
                    kind=kind,
                    link=link.get("name", ""),
                    joint=joint,
                    placement=link_to_joint @ pose_of(element.find("origin")),
                    size=size,
                    path=path,
                )
            )
    return solids


def pose_of(origin: ET.Element | None) -> FloatArray:
    """(4, 4) pose of an <origin>: xyz [m], rpy [rad] about the fixed axes x, y, z in turn."""
    pose = np.eye(4)
    if origin is None:
        return pose
    roll, pitch, yaw = _numbers(origin.get("rpy", "0 0 0"))
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    pose[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    pose[:3, 3] = _numbers(origin.get("xyz", "0 0 0"))
    return pose


def find_package_file(name: str, folders: Sequence[Path]) -> Path | None:
    """Return the file of a mesh's `filename`, None if it is in none of the folders."""
    if name.startswith("package://"):
        relative = name.removeprefix("package://")
        return next((f / relative for f in folders if (f / relative).is_file()), None)
    path = Path(name.removeprefix("file://"))
    places = [path] if path.is_absolute() else [f / path for f in folders]
    return next((p for p in places if p.is_file()), None)


def _shape(
    geometry: ET.Element, folders: Sequence[Path]
) -> tuple[str, FloatArray, Path | None] | None:
    if geometry.tag == "box":
        return "box", _numbers(geometry.get("size", "")), None
    if geometry.tag in ("cylinder", "capsule"):
        radius, length = float(geometry.get("radius", "")), float(geometry.get("length", ""))
        return geometry.tag, np.array([radius, length, 0.0]), None
    if geometry.tag == "sphere":
        return "sphere", np.array([float(geometry.get("radius", "")), 0.0, 0.0]), None
    if geometry.tag == "mesh":
        path = find_package_file(geometry.get("filename", ""), folders)
        scale = _numbers(geometry.get("scale", "1 1 1"))
        return None if path is None else ("mesh", scale, path)
    return None


def _numbers(text: str) -> FloatArray:
    """(3,) from "x y z".

    Raises
    ------
    ValueError
        Not three numbers.
    """
    values = np.array([float(word) for word in text.split()])
    if values.shape != (3,):
        raise ValueError(f"expected three numbers, got '{text}'")
    return values
