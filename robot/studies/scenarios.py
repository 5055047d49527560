"""The scenario of every case of a study: a file, what is said inline, the values of the axes.

Later ones win. A value is reached by its dotted key, as in a file: "gait.single", "sole.eta", "dt".
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

from robot.scenario import Scenario, load_scenario
from sole.config import structure
from sole.errors import ConfigError
from sole.studies.axis import Setting

SHORT = {"friction": "sole.friction", "eta": "sole.eta", "controller": "control.kind"}
SPEED = "speed"
# What decides the sole, which a study has its own words for, or which frames are the feet.
STUDYS_OWN = frozenset(
    f"sole.{name}"
    for name in (
        *("file", "right_file", "young", "poisson", "density", "thickness", "size", "element"),
    )
)
KINDS = {bool: "flag", int: "whole", float: "number", str: "text"}


def base_scenario(given: Mapping[str, Any], folder: Path) -> Scenario:
    """Return the scenario of a table of options: its file `scenario`, and what stands beside it.

    Raises
    ------
    ConfigError
        Not a scenario; a key that it does not have; a condensed sole of its own.
    """
    inline = {key: value for key, value in given.items() if key != "scenario"}
    origin, data = "walk rows", dict[str, Any]()
    if "scenario" in given:
        file = given["scenario"]
        if not isinstance(file, str):
            raise ConfigError(f"walk rows: scenario must be the name of a file, got {file!r}")
        path = folder / file
        load_scenario(path)  # so that its own errors name the file
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        data.pop("schema")
    scenario: Scenario = structure(_over(data, inline), Scenario, origin)
    if scenario.sole.file is not None:
        raise ConfigError(
            "walk rows: [sole] file is a condensed sole, a study condenses its own: leave it out "
            "and name the mesh or shape in the study (mesh)"
        )
    return scenario


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return tables laid over each other."""
    found = dict(below)
    for key, value in above.items():
        lower = found.get(key)
        both = isinstance(lower, Mapping) and isinstance(value, Mapping)
        found[key] = _over(lower, value) if both else value  # type: ignore[arg-type]
    return found


def keys(table: Any, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield (dotted key, kind) of every number, whole number, text and flag that axes may vary.

    Of the tables that a scenario has: "bush.height" only where it has a bush.
    """
    hints = get_type_hints(type(table))
    for f in fields(table):
        key, value = f"{above}{f.name}", getattr(table, f.name)
        hint = hints[f.name]
        plain = get_args(hint)[0] if isinstance(hint, UnionType) else hint  # of "float | None"
        if is_dataclass(value):
            yield from keys(value, f"{key}.")
        elif plain in KINDS and key not in STUDYS_OWN:
            if not (above == "urdf." and plain is str):
                yield key, KINDS[plain]


def value_of(scenario: Scenario, key: str) -> Any:
    """Return the value or the table that a scenario has under a dotted key; "": itself."""
    found: Any = scenario
    for name in filter(None, key.split(".")):
        found = getattr(found, name)
    return found


def scenario_of(base: Scenario, settings: Mapping[str, Setting]) -> Scenario:
    """Return the scenario of one case from the values of its axes; those of the sole are left out.

    Values of one table go in at once: one by one they may not fit each other.

    Raises
    ------
    SoleError
        Values that do not fit together.
    """
    known = dict(keys(base))
    values: dict[str, Any] = {}
    for quantity, value in settings.items():
        key = SHORT.get(quantity, quantity)
        if key in known:
            _put(values, key, _whole(quantity, float(value)) if known[key] == "whole" else value)
    if SPEED in settings:
        gait = values.setdefault("gait", {})
        if "forward" in gait:
            raise ConfigError("speed and gait.forward are both axes: leave one of them out")
        timing = replace(base.gait, **gait)
        gait["forward"] = float(settings[SPEED]) * (timing.single + timing.double)
    changed: Scenario = laid(base, values)
    return changed


def _whole(quantity: str, value: float) -> int:
    if value != int(value):
        raise ConfigError(
            f"{quantity} must be a whole number, got {value:g}: give values instead of a range"
        )
    return int(value)


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    *tables, name = key.split(".")
    for table in tables:
        values = values.setdefault(table, {})
    values[name] = value


def laid(table: Any, values: Mapping[str, Any]) -> Any:
    """Return a dataclass with new values, tables in it likewise."""
    return replace(
        table,
        **{k: laid(getattr(table, k), v) if isinstance(v, dict) else v for k, v in values.items()},
    )
