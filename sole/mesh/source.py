"""The source of a sole: exactly one of seven, with only the options that it supports."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sole.base.errors import ConfigError
from sole.base.quiet import captured
from sole.base.units import read_quantity
from sole.mesh.sole_mesh import SoleMesh
from sole.shape import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source and its options, as in `sole mesh --help`, but angles in rad."""

    file: Path | None = None
    preset: str | None = None
    box: tuple[float, float, float] | None = None
    step: Path | None = None
    stl: Path | None = None
    urdf: Path | None = None
    link: str | None = None
    packages: tuple[Path, ...] = ()
    unit: str | None = None
    thickness: float | None = None
    size_tread: float | None = None
    size_bond: float | None = None
    bond_angle: float | None = None
    tread_angle: float | None = None
    layers: tuple[str, ...] = ()
    chamfer: str | None = None


_SIZES = {"size_tread", "size_bond"}
_ANGLES = {"bond_angle", "tread_angle"}
_OPTIONS = {
    "shape": _SIZES | {"thickness", "chamfer"},
    "preset": _SIZES | {"thickness", "chamfer"},
    "box": _SIZES | {"chamfer"},
    "step": _SIZES | _ANGLES | {"layers"},
    "stl": _SIZES | _ANGLES | {"unit", "layers"},
    "urdf": _SIZES | {"link", "packages", "thickness", "chamfer"},
    "mesh": _ANGLES | {"unit"},
}
_REPEATED = {"packages": "package", "layers": "layer"}
_SUFFIXES = {".toml": "shape", ".step": "step", ".stp": "step", ".stl": "stl", ".urdf": "urdf"}


def mesh_from(source: Source) -> SoleMesh:
    """Make the mesh of the one source given.

    Raises
    ------
    ConfigError
        No source, two sources, or an option that the source does not support.
    SoleError
        The source itself is invalid.
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
    if kind in ("shape", "preset", "box"):
        return _meshed(_shape(kind, value), source)
    if kind in ("step", "stl"):
        return _solid(kind, value, source)
    if kind == "urdf":
        return _foot(value, source)
    from sole.mesh.mesh_file import read_mesh

    return read_mesh(
        value, source.unit, bond_angle=source.bond_angle, tread_angle=source.tread_angle
    )


_SOURCES = ("file", "preset", "box", "step", "stl", "urdf")


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
    shape = _with_chamfer(shape, source)
    return mesh_shape(shape, source.size_tread, source.size_bond)


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


def _solid(kind: str, path: Path, source: Source) -> SoleMesh:
    from sole.mesh.solid import Options, mesh_step, mesh_stl
    from sole.mesh.surface import BOND_ANGLE, TREAD_ANGLE

    options = Options(
        size_tread=source.size_tread,
        size_bond=source.size_bond,
        bond_angle=BOND_ANGLE if source.bond_angle is None else source.bond_angle,
        tread_angle=TREAD_ANGLE if source.tread_angle is None else source.tread_angle,
    )
    mesh = mesh_step(path, options) if kind == "step" else mesh_stl(path, source.unit, options)
    if not source.layers:
        return mesh
    from sole.mesh.layer_options import parse_layers
    from sole.mesh.layering import with_layers

    layers = parse_layers(source.layers, mesh.thickness)
    sizes = options.size_tread, options.size_bond
    return with_layers(mesh, layers, sizes, options.bond_angle, options.tread_angle)


def _foot(path: Path, source: Source) -> SoleMesh:
    from sole.mesh.short_edges import mesh_foot
    from sole.shape import foot_of_urdf

    if source.link is None:
        raise ConfigError("--urdf needs --link: the name of the robot's foot link")
    thickness = 0.02 if source.thickness is None else source.thickness
    with captured(1), captured(2):  # what the parsers of URDF and meshes print
        foot = foot_of_urdf(path, source.link, thickness, source.packages)
    mesh = mesh_foot(_with_chamfer(foot.shape, source), source.size_tread, source.size_bond)
    return replace(mesh, link=foot.link, link_to_sole=foot.link_to_sole)
