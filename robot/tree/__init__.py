"""Kinematics and dynamics of a tree of rigid bodies in compiled loops, for other compiled code."""

from robot.tree.frame_kernels import (
    FrameArrays,
    describe_frame,
    link_frames,
    moved_by,
    place_frame,
)
from robot.tree.integrate_kernels import integrate_motion
from robot.tree.tree_arrays import LinkArrays, TreeState, open_tree, tree_of, tree_sheet
from robot.tree.tree_kernels import (
    fill_inertia,
    find_centre,
    move_links,
    multiply_inertia,
    sum_forces,
    sum_motion,
    weigh_links,
)

__all__ = [
    "FrameArrays",
    "LinkArrays",
    "TreeState",
    "describe_frame",
    "fill_inertia",
    "find_centre",
    "integrate_motion",
    "link_frames",
    "move_links",
    "moved_by",
    "multiply_inertia",
    "open_tree",
    "place_frame",
    "sum_forces",
    "sum_motion",
    "tree_of",
    "tree_sheet",
    "weigh_links",
]
