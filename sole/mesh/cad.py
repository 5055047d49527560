"""The solid of a shape in Gmsh's OpenCASCADE kernel: layered prisms, cut at ends and gaps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from sole.base.errors import MeshError
from sole.shape import End, Outline, Shape

WRONG = 0.02  # of the chamfer's volume


def build_solids(gmsh: Any, shape: Shape) -> list[int]:
    """Make the solids, conforming where layers meet; return the tags of their volumes."""
    occ = gmsh.model.occ
    T = shape.thickness
    solids = []
    for outline in shape.outlines:
        parts = occ.extrude([(2, _face(occ, outline))], 0, 0, -T)
        solid = next(part for part in parts if part[0] == 3)
        solids += _chamfered(gmsh, solid, shape, outline)
    tools = _end_tools(occ, shape) + _gap_tools(occ, shape)
    if tools:
        solids, _ = occ.cut(solids, tools)
    if shape.interfaces:
        length, width, _ = shape.size
        levels = (-T, *shape.interfaces, 0.0)
        slabs = [
            (3, occ.addBox(-length, -width, low, 2 * length, 2 * width, high - low))
            for low, high in itertools.pairwise(levels)
        ]
        pieces = []
        for slab in slabs:
            piece, _ = occ.intersect(solids, [slab], removeObject=False)
            pieces += piece
        occ.remove(solids, recursive=True)
        solids, _ = occ.fragment(pieces[:1], pieces[1:])
    occ.synchronize()
    return [tag for dim, tag in gmsh.model.getEntities(3)]


def _chamfered(
    gmsh: Any, solid: tuple[int, int], shape: Shape, outline: Outline
) -> list[tuple[int, int]]:
    """Cut the lower edge of a prism all round.

    The volume that goes is h int_0^1 (A(0) - A(s l)) ds. The area A within a distance s l is
    quadratic in s: Simpson's rule is exact.

    Raises
    ------
    MeshError
        Gmsh makes another solid.
    """
    c = shape.chamfer
    if c is None:
        return [solid]
    occ, T = gmsh.model.occ, shape.thickness
    occ.synchronize()
    faces = [tag for _, tag in gmsh.model.getBoundary([solid], oriented=False)]
    low = next(f for f in faces if occ.getBoundingBox(2, f)[5] < -T / 2)
    edges = [tag for _, tag in gmsh.model.getBoundary([(2, low)], oriented=False)]
    before, many = occ.getMass(*solid), len(edges)
    made = occ.chamfer([solid[1]], edges, [low] * many, [c.length, c.height] * many)
    whole, half, end = (outline.inset_area(part * c.length) for part in (0.0, 0.5, 1.0))
    gone = c.height * (whole - (whole + 4 * half + end) / 6)
    if len(made) != 1 or abs(before - occ.getMass(*made[0]) - gone) > WRONG * gone:
        raise MeshError(
            f"Gmsh cannot chamfer '{shape.name}' all round by {c.length:g} m: take a shorter one, "
            "or other corners"
        )
    return [(3, made[0][1])]


def _face(occ: Any, outline: Outline) -> int:
    """Add the plane face inside an outline at z = 0."""
    corner: dict[tuple[float, float], int] = {}

    def point(p: tuple[float, float]) -> int:
        # neighbours compute their common end differently: equal only to round-off
        for q, tag in corner.items():
            if np.hypot(p[0] - q[0], p[1] - q[1]) < 1e-8:
                return tag
        corner[p] = occ.addPoint(p[0], p[1], 0)
        return corner[p]

    curves = []
    for edge in outline.edges:
        start, end = point(edge.start), point(edge.end)
        if edge.center is None:
            curves.append(occ.addLine(start, end))
        else:
            center = occ.addPoint(*edge.center, 0)
            curves.append(occ.addCircleArc(start, center, end))
            occ.remove([(0, center)])
    return int(occ.addPlaneSurface([occ.addCurveLoop(curves)]))


def _end_tools(occ: Any, shape: Shape) -> list[tuple[int, int]]:
    """Return the solids to cut away below the toe and the heel."""
    length, width, T = shape.size
    tools = []
    for end, side in ((shape.toe, 1.0), (shape.heel, -1.0)):
        if end is not None:
            tools.append(_end_tool(occ, end, side, length / 2, width, T))
    return tools


def _end_tool(
    occ: Any, end: End, side: float, tip: float, width: float, T: float
) -> tuple[int, int]:
    a, below = tip - end.length, -T - end.height
    beyond = tip + end.length  # past the tip, so that no face of the tool touches the wall

    def at(x: float, z: float) -> int:
        return int(occ.addPoint(side * x, -width, z))

    first, low_out, low_in = at(a, -T), at(beyond, below), at(a, below)
    if end.kind == "chamfer":
        last = at(beyond, -T + 2 * end.height)
        top = [occ.addLine(first, last)]
    else:
        tip_point, last = at(tip, -T + end.height), at(beyond, -T + end.height)
        middle = at(a, -T + end.radius)
        top = [occ.addCircleArc(first, middle, tip_point), occ.addLine(tip_point, last)]
        occ.remove([(0, middle)])
    rest = [occ.addLine(last, low_out), occ.addLine(low_out, low_in), occ.addLine(low_in, first)]
    face = occ.addPlaneSurface([occ.addCurveLoop([*top, *rest])])
    solid: tuple[int, int] = occ.extrude([(2, face)], 0, 2 * width, 0)[1]
    return solid


def _gap_tools(occ: Any, shape: Shape) -> list[tuple[int, int]]:
    """Return the boxes to cut away between tread blocks."""
    b = shape.blocks
    if b is None:
        return []
    length, width, T = shape.size
    low, high = -T - b.height, 2 * b.height
    tools = []
    for x in _gaps(length, b.columns, b.gap):
        tools.append((3, occ.addBox(x, -width, low, b.gap, 2 * width, high)))
    for y in _gaps(width, b.rows, b.gap):
        tools.append((3, occ.addBox(-length, y, low, 2 * length, b.gap, high)))
    return tools


def _gaps(side: float, count: int, gap: float) -> list[float]:
    """Return the start of each gap if `count` equal blocks and their gaps fill `side`."""
    block = (side - (count - 1) * gap) / count
    return [-side / 2 + k * block + (k - 1) * gap for k in range(1, count)]
