"""The source of a sole: exactly one of six, with only the options that it supports."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sole.base.errors import ConfigError
from sole.base.quiet import captured
from sole.base.units import read_quantity
from sole.mesh.sole_mesh import SoleMesh
from sole.shape import Shape

if TYPE_CHECKING:
    from sole.mesh.solid import Options
    from sole.mesh.surface_solid import MeshedSurface


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source and its options, as in `sole mesh --help`, but angles in rad."""

    file: Path | None = None
    preset: str | None = None
    box: tuple[float, float, float] | None = None
    step: Path | None = None
    surface: Path | None = None
    urdf: Path | None = None
    link: str | None = None
    packages: tuple[str | Path, ...] = ()
    unit: str | None = None
    thickness: float | None = None
    size_tread: float | None = None
    size_bond: float | None = None
    bond_angle: float | None = None
    tread_angle: float | None = None
    tread_height: float | None = None
    mesher: str | None = None
    down: str | None = None
    forward: str | None = None
    cut: float | None = None
    layers: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    xacro_args: tuple[str, ...] = ()
    overlap: str | None = None
    chamfer: str | None = None


_SIZES = {"size_tread", "size_bond"}
_ANGLES = {"bond_angle", "tread_angle"}
_OF_SURFACES = {"tread_height", "mesher", "down", "forward", "cut"}
_OPTIONS = {
    "shape": _SIZES | {"thickness", "chamfer"},
    "preset": _SIZES | {"thickness", "chamfer", "layers"},
    "box": _SIZES | {"chamfer", "layers"},
    "step": _SIZES | _ANGLES | {"tread_height", "layers"},
    "surface": _SIZES | _ANGLES | _OF_SURFACES | {"unit", "layers"},
    "urdf": _SIZES | {"link", "packages", "xacro_args", "thickness", "chamfer", "layers"},
    "mesh": _ANGLES | {"unit", "groups", "overlap"},
}
_REPEATED = {"packages": "package", "xacro_args": "xacro-arg", "layers": "layer", "groups": "group"}
_SUFFIXES = {
    ".toml": "shape",
    ".step": "step",
    ".stp": "step",
    ".urdf": "urdf",
    ".xml": "urdf",
    ".xacro": "urdf",
} | dict.fromkeys((".stl", ".obj", ".ply", ".3mf"), "surface")


def mesh_from(source: Source) -> SoleMesh:
    """Make the mesh of the one source given.

    Raises
    ------
    ConfigError
        No source, two sources, or an option that the source does not support.
    SoleError
        The source itself is invalid.
    """
    return mesh_and_surface(source)[0]


def mesh_and_surface(
    source: Source, *, shown: bool = False
) -> tuple[SoleMesh, MeshedSurface | None]:
    """Return the mesh as `mesh_from`, and how a surface was meshed; None for any other source.

    `shown` draws a progress bar on a terminal.
    """
    kind, value = _the_one(source)
    allowed = _OPTIONS[kind]
    options = {f.name: getattr(source, f.name) for f in fields(source) if f.name not in _SOURCES}
    given = {name for name, option in options.items() if option not in (None, ())}
    for name in sorted(given - allowed):
        flag = _REPEATED.get(name, name.replace("_", "-"))
        flag += "-deg" if name in _ANGLES else ""
        able = [k for k, options in _OPTIONS.items() if name in options]
        raise ConfigError(f"--{flag} does not apply to a {kind}, only to {', '.join(able)}")
    if kind == "surface":
        return _surface(value, source, shown)
    if kind in ("shape", "preset", "box"):
        return _meshed(_shape(kind, value), source), None
    if kind == "step":
        return _step(value, source), None
    if kind == "urdf":
        return _foot(value, source), None
    from sole.mesh.mesh_file import read_mesh

    mesh = read_mesh(
        value,
        source.unit,
        bond_angle=source.bond_angle,
        tread_angle=source.tread_angle,
        groups=dict(map(_group, source.groups)),
        overlap=source.overlap,
    )
    return mesh, None


_SOURCES = ("file", "preset", "box", "step", "surface", "urdf")


def _group(text: str) -> tuple[str, str]:
    """Return the two names of ``OLD=NEW``."""
    old, _, new = (part.strip() for part in text.rpartition("="))
    if not (old and new):
        raise ConfigError(f"--group {text}: expected GROUP=NAME, such as 3=tread")
    return old, new


def _the_one(source: Source) -> tuple[str, Any]:
    given = [name for name in _SOURCES if getattr(source, name) is not None]
    if len(given) != 1:
        written = {"file": "a file", "step": "--cad"}
        names = ", ".join(written.get(name, f"--{name}") for name in given) or "none"
        raise ConfigError(
            "give exactly one source: SHAPE.toml or a mesh file, --preset, --box L W T, --cad, "
            f"--stl, or --urdf with --link; got {names}"
        )
    kind, value = given[0], getattr(source, given[0])
    if kind == "file":
        kind = _SUFFIXES.get(value.suffix.lower(), "mesh")
    return kind, value


def _shape(kind: str, value: Any) -> Shape:
    from sole.shape import box, load_shape, preset

    if kind == "box":
        length, width, thickness = value
        if thickness > min(length, width):
            warnings.warn(
                f"the box is {length:g} m long, {width:g} m wide and {thickness:g} m thick: did "
                f"you mean --box {' '.join(f'{x:g}' for x in sorted(value, reverse=True))}?",
                UserWarning,
                stacklevel=2,
            )
        return box(*value)
    return preset(value) if kind == "preset" else load_shape(value)


def _meshed(shape: Shape, source: Source) -> SoleMesh:
    from sole.mesh.meshing import mesh_shape
    from sole.shape import with_thickness

    if source.thickness is not None:
        shape = with_thickness(shape, source.thickness)
    shape = _with_chamfer(_with_layers(shape, source), source)
    return mesh_shape(shape, source.size_tread, source.size_bond)


def _with_layers(shape: Shape, source: Source) -> Shape:
    """Return the shape with the layers asked for, which fill its thickness, instead of its own."""
    if not source.layers:
        return shape
    from sole.mesh.layer_options import parse_layers

    layers = parse_layers(source.layers, shape.thickness)
    total = sum(layer.thickness for layer in layers)
    if abs(total - shape.thickness) > 1e-6 * shape.thickness:
        raise ConfigError(
            f"--layer: the layers are {1e3 * total:.5g} mm thick in all, '{shape.name}' is "
            f"{1e3 * shape.thickness:.5g} mm thick: let them add up to that, or one be 'rest'"
        )
    return replace(shape, layers=layers, thickness=0.0)


def _with_chamfer(shape: Shape, source: Source) -> Shape:
    """Return the shape, chamfered all round if asked for: ``LENGTH`` or ``LENGTH,HEIGHT``."""
    if source.chamfer is None:
        return shape
    from sole.shape import Chamfer

    words = source.chamfer.split(",")
    if len(words) > 2:
        raise ConfigError(f"--chamfer {source.chamfer}: expected LENGTH or LENGTH,HEIGHT")
    sides = [read_quantity(word, "m") for word in words]
    return replace(shape, chamfer=Chamfer(length=sides[0], height=sides[-1]))


def _options(source: Source) -> Options:
    from sole.mesh.solid import Options

    names = (f.name for f in fields(Options))
    given = {name: getattr(source, name) for name in names if getattr(source, name) is not None}
    return Options(**given)


def _step(path: Path, source: Source) -> SoleMesh:
    from sole.mesh.solid import mesh_step

    options = _options(source)
    return _in_layers(mesh_step(path, options), source, options)


def _surface(path: Path, source: Source, shown: bool) -> tuple[SoleMesh, MeshedSurface]:
    from sole.mesh.surface_solid import mesh_surface

    options = _options(source)
    made = mesh_surface(path, source.unit, options, shown=shown)
    made = replace(made, mesh=_in_layers(made.mesh, source, options))
    return made.mesh, made


def _in_layers(mesh: SoleMesh, source: Source, options: Options) -> SoleMesh:
    if not source.layers:
        return mesh
    from sole.mesh.layer_options import parse_layers
    from sole.mesh.layering import with_layers

    layers = parse_layers(source.layers, mesh.thickness)
    sizes = options.size_tread, options.size_bond
    angles = options.bond_angle, options.tread_angle
    return with_layers(mesh, layers, sizes, *angles, options.tread_height)


def _foot(path: Path, source: Source) -> SoleMesh:
    from sole.mesh.short_edges import mesh_foot
    from sole.shape import foot_of_urdf

    if source.link is None:
        raise ConfigError("--urdf needs --link: the name of the robot's foot link")
    thickness = 0.02 if source.thickness is None else source.thickness
    with captured(1), captured(2):  # what the parsers of URDF and meshes print
        foot = foot_of_urdf(path, source.link, thickness, source.packages, source.xacro_args)
    shape = _with_chamfer(_with_layers(foot.shape, source), source)
    mesh = mesh_foot(shape, source.size_tread, source.size_bond)
    return replace(mesh, link=foot.link, link_to_sole=foot.link_to_sole)
