"""Kinematics and dynamics of a tree of rigid bodies in compiled loops, for other compiled code."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.tree.tree_arrays import LinkArrays, TreeState, open_tree, tree_of, tree_sheet
    from robot.tree.tree_kernels import fill_inertia, move_links, sum_forces, weigh_links
else:
    __getattr__ = load_later(__name__)

__all__ = [
    "LinkArrays",
    "TreeState",
    "fill_inertia",
    "move_links",
    "open_tree",
    "sum_forces",
    "tree_of",
    "tree_sheet",
    "weigh_links",
]
