"""`sole mesh`: make a sole mesh from a shape, a preset, a CAD solid, a robot's foot or a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.base.cli import Json, Quiet
from sole.base.help_pages import OUTPUT
from sole.base.units import in_unit

PICTURES = (".png", ".pdf", ".svg", ".html")


def mesh(
    source: Annotated[
        Path | None,
        typer.Argument(help="A shape (.toml), or an existing mesh with groups bond and tread."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="hrp4, hrp2kai, jvrc1, talos or lola.", rich_help_panel="Source"),
    ] = None,
    box: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            parser=in_unit("m"),
            metavar="L W T",
            help="Length, width and thickness [m].",
            rich_help_panel="Source",
        ),
    ] = None,
    cad: Annotated[
        Path | None,
        typer.Option(
            help="A CAD solid, a STEP file, which states its unit.", rich_help_panel="Source"
        ),
    ] = None,
    surface: Annotated[
        Path | None,
        typer.Option(
            "--surface",
            "--stl",
            help="An STL, OBJ or PLY with --unit, or a 3MF; also open, or cutting itself.",
            rich_help_panel="Source",
        ),
    ] = None,
    urdf: Annotated[
        Path | None,
        typer.Option(help="A robot, URDF, xacro or MJCF; give --link.", rich_help_panel="Source"),
    ] = None,
    link: Annotated[
        str | None, typer.Option(help="Foot link of the URDF.", rich_help_panel="Source")
    ] = None,
    package: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FOLDER",
            help="Of a URDF: folder of a package:// (repeatable), or one that holds packages.",
            rich_help_panel="Source",
        ),
    ] = None,
    xacro_arg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Of a .xacro: the value of an argument (repeatable).",
            rich_help_panel="Source",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="mm|cm|m|in", help="Unit of a file that states none.", rich_help_panel="Source"
        ),
    ] = None,
    thickness: Annotated[
        float | None,
        typer.Option(
            parser=in_unit("m"),
            help="Total thickness [m]; scales the layers.",
            show_default="that of the shape; 0.02 with --urdf",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    size_tread: Annotated[
        float | None,
        typer.Option(
            parser=in_unit("m"),
            help="Edge length of the mesh at the tread [m].",
            show_default="by the size of the sole",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    size_bond: Annotated[
        float | None,
        typer.Option(
            parser=in_unit("m"),
            help="Edge length of the mesh at the bond [m].",
            show_default="that of the tread",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    bond_angle: Annotated[
        float | None,
        typer.Option(
            "--bond-angle-deg",
            help="Bond of a foreign solid: normals this near +z [deg].",
            show_default="30",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    tread_angle: Annotated[
        float | None,
        typer.Option(
            "--tread-angle-deg",
            help="Tread of a foreign solid: normals this near -z [deg].",
            show_default="60",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    tread_height: Annotated[
        float | None,
        typer.Option(
            parser=in_unit("m"),
            help="Tread of a foreign solid: at most this high above its lowest point [m].",
            show_default="any height",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    down: Annotated[
        str | None,
        typer.Option(
            metavar="x|-x|y|-y|z|-z",
            help="Axis of a surface's file that points to the ground.",
            show_default="by its largest flat face",
            rich_help_panel="Surface",
        ),
    ] = None,
    forward: Annotated[
        str | None,
        typer.Option(
            metavar="x|-x|y|-y|z|-z",
            help="Axis of a surface's file that points forward.",
            show_default="along its longer side",
            rich_help_panel="Surface",
        ),
    ] = None,
    cut: Annotated[
        float | None,
        typer.Option(
            parser=in_unit("m"),
            help="Keep a surface, such as a whole foot, up to this height [m].",
            show_default="all of it",
            rich_help_panel="Surface",
        ),
    ] = None,
    mesher: Annotated[
        str | None,
        typer.Option(
            metavar="gmsh|ftetwild",
            help="What fills a surface.",
            show_default="gmsh; ftetwild where that fails",
            rich_help_panel="Surface",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP=NAME",
            help="Name a group of a mesh, by its name or number: bond, tread or a layer; "
            "repeatable.",
            rich_help_panel="Foreign mesh",
        ),
    ] = None,
    overlap: Annotated[
        str | None,
        typer.Option(
            metavar="first|last",
            help="Which group of several a tetrahedron belongs to, in the order of the file.",
            show_default="the smallest; refused in Gmsh's files",
            rich_help_panel="Foreign mesh",
        ),
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=THICKNESS[,E,nu]",
            help="Layers of a sole that has none, from the tread upwards; repeatable. One may be "
            "'rest' thick.",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    chamfer: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH[,HEIGHT]",
            help="Chamfer of a shape all round: how far in, and how high [m]. A STEP or "
            "surface has its own.",
            show_default="as high as long",
            rich_help_panel="Shape and mesh",
        ),
    ] = None,
    mirror: Annotated[
        bool,
        typer.Option("--mirror", help="The other foot: y -> -y.", rich_help_panel="Shape and mesh"),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="The mesh .msh to write.",
            show_default="NAME.msh",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Also draw tread and bond: .png, .pdf, .svg or .html.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mesh a sole and name its groups: bond (glued to the foot), tread and one per layer.

    Give exactly one source: SHAPE.toml, --preset, --box, --cad, --surface, --urdf, or a mesh.

    Examples
    --------
    sole mesh --preset hrp2kai -o pad.msh
    sole mesh --box 0.2 0.1 0.02 --size-tread 8mm -o box.msh
    sole mesh foot.toml --mirror -o right.msh
    sole mesh sole.stl --unit mm --layer tread=8mm --layer core=rest
    sole mesh foot.3mf --down -y --cut 12mm --plot groups.png -o foot.msh
    sole mesh --urdf robot.urdf --link left_foot -o foot.msh
    """
    import warnings
    from dataclasses import replace
    from math import radians

    from sole.base.archive import refuse_same_file, require_output, require_output_folder
    from sole.base.errors import ConfigError
    from sole.base.report import Quantity, emit
    from sole.base.waiting import doing
    from sole.mesh import Source, mesh_and_surface, write_mesh
    from sole.summaries import describe_mesh, describe_surface

    sources = (source, cad, surface, urdf)
    require_output(output, ".msh", inputs=sources)
    require_output(plot, *PICTURES, option="--plot", inputs=sources)
    if output is None:
        require_output_folder(Path())
    if mirror and urdf is not None:
        raise ConfigError("--mirror does not apply to a URDF: give the --link of the other foot")
    named = source or cad or surface or urdf or preset or "a box"
    doing(f"meshing {named}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        made, how = mesh_and_surface(
            Source(
                file=source,
                preset=preset,
                box=box,
                step=cad,
                surface=surface,
                urdf=urdf,
                link=link,
                packages=tuple(package or ()),
                xacro_args=tuple(xacro_arg or ()),
                unit=unit,
                thickness=thickness,
                size_tread=size_tread,
                size_bond=size_bond,
                bond_angle=None if bond_angle is None else radians(bond_angle),
                tread_angle=None if tread_angle is None else radians(tread_angle),
                tread_height=tread_height,
                mesher=mesher,
                down=down,
                forward=forward,
                cut=cut,
                layers=tuple(layer or ()),
                groups=tuple(group or ()),
                overlap=overlap,
                chamfer=chamfer,
            ),
            shown=not (quiet or as_json),
        )
    if mirror:
        made = made.mirrored()
    target = output or Path(f"{made.name}.msh")
    for given in sources:
        if given is not None:
            refuse_same_file(given, target)
    write_mesh(target, made)
    if plot is not None:
        from sole.pictures import ViewOptions, groups_scene

        doing(f"drawing {plot}")
        groups_scene(made, ViewOptions()).write(plot)
    report = describe_mesh(made)
    rows = {**report.quantities, **(describe_surface(how) if how else {})}
    rows["file"] = Quantity(str(target))
    if plot is not None:
        rows["picture"] = Quantity(str(plot))
    told = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    emit(
        replace(report, quantities=rows, warnings=(*report.warnings, *told)),
        as_json=as_json,
        quiet=quiet,
    )
