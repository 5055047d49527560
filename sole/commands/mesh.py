"""`sole mesh`: a shape, a preset, a CAD solid, a robot's foot or another mesh becomes a sole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sole.cli import Json, Quiet


def mesh(
    source: Annotated[
        Path | None,
        typer.Argument(help="A shape (.toml), or an existing mesh with groups bond and tread."),
    ] = None,
    preset: Annotated[str | None, typer.Option(help="hrp4, hrp2kai, jvrc1, talos or lola.")] = None,
    box: Annotated[
        tuple[float, float, float] | None,
        typer.Option(metavar="L W T", help="Length, width and thickness [m]."),
    ] = None,
    step: Annotated[Path | None, typer.Option(help="A STEP solid; it states its unit.")] = None,
    stl: Annotated[Path | None, typer.Option(help="A watertight STL; give --unit.")] = None,
    urdf: Annotated[Path | None, typer.Option(help="A robot; give --link.")] = None,
    link: Annotated[str | None, typer.Option(help="Foot link of the URDF.")] = None,
    package: Annotated[
        list[Path] | None, typer.Option(help="Where the URDF's package:// lies; repeatable.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="mm|m", help="Unit of a file that states none.")
    ] = None,
    thickness: Annotated[
        float | None,
        typer.Option(help="Total thickness [m]; scales the layers. 0.02 with --urdf."),
    ] = None,
    size_tread: Annotated[float | None, typer.Option(help="Target edge length, tread [m].")] = None,
    size_bond: Annotated[float | None, typer.Option(help="Target edge length, bond [m].")] = None,
    bond_angle: Annotated[
        float | None,
        typer.Option(help="Bond of a foreign solid: within this of +z [deg, default 30]."),
    ] = None,
    tread_angle: Annotated[
        float | None,
        typer.Option(help="Tread of a foreign solid: within this of -z [deg, default 60]."),
    ] = None,
    mirror: Annotated[bool, typer.Option("--mirror", help="The other foot: y -> -y.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Mesh to write [NAME.msh].")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mesh a sole and name its groups: bond (glued to the foot), tread and one per layer.

    Exactly one source: SHAPE.toml, --preset, --box, --step, --stl, --urdf, or a mesh.
    """
    import warnings
    from dataclasses import replace

    from sole.archive import refuse_same_file
    from sole.describe import describe_mesh
    from sole.errors import ConfigError, MeshError
    from sole.geometry.quality import FLAT, mesh_quality
    from sole.geometry.source import Source, mesh_from
    from sole.mesh_file import write_mesh
    from sole.report import Quantity, emit

    if output is not None and output.suffix.lower() != ".msh":
        raise MeshError(f"{output}: a mesh is written as .msh, got '{output.suffix}'")
    if mirror and urdf is not None:
        raise ConfigError("--mirror has no meaning for a urdf: give the --link of the other foot")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        made = mesh_from(
            Source(
                file=source,
                preset=preset,
                box=box,
                step=step,
                stl=stl,
                urdf=urdf,
                link=link,
                packages=tuple(package or ()),
                unit=unit,
                thickness=thickness,
                size_tread=size_tread,
                size_bond=size_bond,
                bond_angle=bond_angle,
                tread_angle=tread_angle,
            )
        )
    if mirror:
        made = made.mirrored()
    target = output or Path(f"{made.name}.msh")
    for given in (source, step, stl, urdf):
        if given is not None:
            refuse_same_file(given, target)
    write_mesh(target, made)
    report = describe_mesh(made)
    rows = {**report.quantities, "file": Quantity(str(target))}
    angle = mesh_quality(made).min_dihedral
    flat = f"elements as flat as {angle:.2g} degrees; other mesh sizes may avoid them"
    told = [flat] * (angle < FLAT)
    told += [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    emit(
        replace(report, quantities=rows, warnings=(*report.warnings, *told)),
        as_json=as_json,
        quiet=quiet,
    )
