"""From what the command line of `sole sweep` says to a study and the mesh it is about."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sole.archive import schema_of
from sole.errors import ConfigError
from sole.material_choice import parse_material
from sole.mesh import SoleMesh
from sole.studies.axis import axes_from_options
from sole.studies.soles import read_sole
from sole.studies.study import LayerMaterial, Study, load_study


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of `sole sweep` as they were typed; None is "not given".

    Parameters
    ----------
    source : mesh, shape or study file.
    axes : texts by quantity.
    materials : ``LAYER=E,nu[,rho]``.
    rows : kinds of rows asked for.
    stiffness, press : options of these rows that have a command-line option of their own.
    extra : ``ROWS.NAME=VALUE``.
    study : density, element, tolerance, unit.
    """

    source: Path
    axes: Mapping[str, Sequence[str]]
    materials: Sequence[str] = ()
    rows: Sequence[str] = ()
    stiffness: Mapping[str, Any] = field(default_factory=dict)
    press: Mapping[str, Any] = field(default_factory=dict)
    extra: Sequence[str] = ()
    study: Mapping[str, Any] = field(default_factory=dict)


def resolve(request: Request) -> tuple[Study, SoleMesh | None, Path]:
    """Return the study, its mesh if it is one, and the folder of its files.

    Raises
    ------
    ConfigError
        Options together with a study file, or options that do not parse.
    """
    axes = axes_from_options(request.axes)
    options = _options(request)
    rows = tuple(request.rows) or _rows_implied(options)
    given = {k: v for k, v in request.study.items() if v is not None}
    if schema_of(request.source) == "sole.study/1":
        if axes or options or request.rows or request.materials or given:
            raise ConfigError(
                f"{request.source} is a study: its axes, rows and options stand in that file, "
                "give only -o, --restart and --keep-journal beside it"
            )
        study = load_study(request.source)
        mesh = read_sole(Path(study.mesh), study.unit) if study.mesh else None
        return study, mesh, request.source.parent
    layers = {}
    for text in request.materials:
        layer, m = parse_material(text)
        layers[layer] = LayerMaterial(
            young_modulus=m.young_modulus, poisson_ratio=m.poisson_ratio, density=m.density
        )
    study = Study(
        axis=axes, rows=rows, layers=layers, options=options, mesh=str(request.source), **given
    )
    return study, read_sole(request.source, study.unit), Path()


def _rows_implied(options: Mapping[str, Any]) -> tuple[str, ...]:
    return ("stiffness", *(kind for kind in options if kind != "stiffness"))


def _options(request: Request) -> dict[str, dict[str, Any]]:
    options: dict[str, dict[str, Any]] = {}
    for kind, values in (("stiffness", request.stiffness), ("press", request.press)):
        given = {
            k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v is not None
        }
        if given:
            options[kind] = given
    for text in request.extra:
        name, equals, value = text.partition("=")
        kind, dot, key = name.strip().partition(".")
        if not (equals and dot and kind and key):
            raise ConfigError(f"--set {text}: expected ROWS.NAME=VALUE")
        options.setdefault(kind, {})[key] = _toml_value(value.strip())
    return options


def _toml_value(text: str) -> Any:
    """Return a TOML value; what is none, such as a bare word, is a string."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text
