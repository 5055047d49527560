"""Compiled: all terms of a robot's dynamics in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot.tree import (
    FrameArrays,
    LinkArrays,
    describe_frame,
    fill_inertia,
    move_links,
    open_tree,
    sum_forces,
    weigh_links,
)
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import inner_kernel, kernel


class RobotTerms(NamedTuple):
    """The arrays of `robot.simulator.dynamics.Snapshot`, in its order."""

    M: FloatArray
    h: FloatArray
    J: FloatArray
    R: FloatArray
    p: FloatArray
    turns: FloatArray


@kernel
def find_terms(
    robot: Bundle, q: FloatArray, v: FloatArray, links_sheet: FloatArray, terms: Bundle
) -> None:
    """Fill `RobotTerms` at q (nq,), v (nv,).

    robot : `LinkArrays` and `FrameArrays`. links_sheet : of `open_tree`, filled too.
    """
    tree = LinkArrays(*robot[0])
    links, still = open_tree(links_sheet, len(tree.joints)), np.zeros(0)
    move_links(tree, q, v, still, links)
    weigh_links(tree, links)
    complete_terms(robot, links_sheet, terms)


@inner_kernel
def complete_terms(robot: Bundle, links_sheet: FloatArray, terms: Bundle) -> None:
    """Fill `RobotTerms` where `move_links` and `weigh_links` have filled the links."""
    tree, frames, into = LinkArrays(*robot[0]), FrameArrays(*robot[1]), RobotTerms(*terms)
    links, still = open_tree(links_sheet, len(tree.joints)), np.zeros(0)
    sum_forces(tree, still, links, into.h)
    fill_inertia(tree, links, into.M)
    for b in range(len(into.p)):
        describe_frame(
            b, links, frames, into.J[6 * b : 6 * b + 6], into.R[b], into.p[b], into.turns[b]
        )
