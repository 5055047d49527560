"""A URDF whose first link is the world: its floating or planar joint is the robot's free base."""

from __future__ import annotations

import xml.etree.ElementTree as ET

FREE = ("floating", "planar")


def without_world(tree: ET.Element) -> None:
    """Remove a first link that has no mass and no shape, and carries one free joint alone.

    Every robot has a floating base of its own, so the joint would be a second one. The child
    becomes the first link. The joint's origin is only where the robot stands in that world.
    """
    joints = tree.findall("joint")
    children = {_link(joint, "child") for joint in joints}
    roots = [link for link in tree.findall("link") if link.get("name") not in children]
    if len(roots) != 1:
        return  # the parser refuses it
    root = roots[0]
    carried = [joint for joint in joints if _link(joint, "parent") == root.get("name")]
    empty = all(root.find(part) is None for part in ("inertial", "visual", "collision"))
    if empty and len(carried) == 1 and carried[0].get("type") in FREE:
        tree.remove(root)
        tree.remove(carried[0])


def _link(joint: ET.Element, end: str) -> str | None:
    element = joint.find(end)
    return None if element is None else element.get("link")
