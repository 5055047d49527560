"""`sole contact cone`: how far a foot's wrench is from sliding, tilting and yawing."""

from __future__ import annotations

from typing import Annotated

import typer

from sole.cli import Json, Quiet


def cone(
    friction: Annotated[float, typer.Option("--friction", help="Coulomb's mu >= 0.")],
    wrench: Annotated[
        tuple[float, float, float, float, float, float],
        typer.Option(
            "--wrench",
            metavar="FX FY FZ TX TY TZ",
            help="Ground on foot [N, N m], about the origin, axes of the foot, fz > 0.",
        ),
    ],
    half_length: Annotated[
        float | None, typer.Option("--half-length", help="X of a rectangle, along x [m].")
    ] = None,
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="Y of a rectangle, along y [m].")
    ] = None,
    polygon: Annotated[
        str | None,
        typer.Option(
            "--polygon",
            metavar="FILE|POINTS",
            help="Convex, instead of a rectangle: 'x,y x,y x,y ...' or a text file with a vertex "
            "x y a line [m].",
        ),
    ] = None,
    pyramid: Annotated[
        str,
        typer.Option(
            "--pyramid",
            help="outer: |fx|, |fy| <= mu fz at every point | inner: the same with mu/sqrt 2, safe "
            "| circular: Coulomb's cone.",
        ),
    ] = "outer",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how far a wrench is from sliding, tilting and yawing a flat foot on rigid ground.

    The margin is the share of fz that could be taken away at the foot's centre before the contact
    gives way: 1 for a central vertical force, 0 at the limit, negative beyond.
    """
    from dataclasses import replace

    from contact.wrench_cone import WrenchCone
    from contact.wrench_cones.circular import CircularCone
    from contact.wrench_cones.describe import (
        describe_circular,
        describe_cone,
        hints,
        loaded,
        read_polygon,
    )
    from contact.wrench_cones.friction import checked_friction
    from contact.wrench_cones.rectangle import checked_halves, corners
    from sole.errors import SoleError
    from sole.report import Quantity, emit

    rectangle = half_length is not None and half_width is not None
    partly = half_length is not None or half_width is not None
    if rectangle == (polygon is not None) or (partly and not rectangle):
        raise SoleError("give either --half-length and --half-width, or --polygon")
    w, mu = loaded(wrench), checked_friction(friction)
    if polygon is None:
        X, Y = checked_halves(half_length or 0.0, half_width or 0.0)
        vertices = corners(X, Y)
        shape = Quantity(f"rectangle {2 * X:g} x {2 * Y:g}", "m")
    else:
        vertices = read_polygon(polygon)
        shape = Quantity(f"polygon of {len(vertices)} vertices")
    remark = "outer pyramid: holds a little more than circular friction; see --pyramid circular"
    friction_row = Quantity(mu, "", remark if pyramid == "outer" else pyramid)
    if pyramid == "circular" and mu > 0:
        report = describe_circular(
            CircularCone(vertices=vertices, friction=mu), w, shape, friction_row
        )
    else:
        kind = "outer" if pyramid == "circular" else pyramid  # without friction they are the same
        made = (
            WrenchCone.of_rectangle(X, Y, mu, kind)
            if polygon is None
            else WrenchCone.of_polygon(vertices, mu, kind)
        )
        report = describe_cone(made, w, shape, friction_row)
    report = replace(report, warnings=hints(vertices, w))
    emit(report, as_json=as_json, quiet=quiet)
