"""The scenario of each case of a study: a file, inline values, and the values of the axes.

Later ones override earlier ones. A value has a dotted key, as in a file: "gait.single",
"gait.turn_deg", "dt".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from robot.gait import GAITS, Gait, UsualStep, Walking, change_gait, class_of
from robot.walk import Scenario, load_scenario
from sole.base.angles import key_of, name_of, read_value
from sole.base.config import read_toml, structure
from sole.base.errors import ConfigError
from sole.studies import Setting

SHORT = {"friction": "sole.friction", "eta": "sole.eta", "controller": "control.kind"}
SPEED = "speed"
# Keys that define the sole, which a study sets by its own options, or the frames of the feet.
STUDYS_OWN = frozenset(
    f"sole.{name}"
    for name in (
        *("file", "right_file", "young", "poisson", "density", "thickness", "size", "element"),
    )
)
KINDS = {bool: "flag", int: "whole", float: "number", str: "text"}


def base_scenario(given: Mapping[str, Any], folder: Path) -> Scenario:
    """Return the scenario of a table of options: its file `scenario`, overridden by the other keys.

    Raises
    ------
    ConfigError
        It is no scenario, has an unknown key, or names a condensed sole.
    """
    inline = {key: value for key, value in given.items() if key != "scenario"}
    origin, data = "walk rows", dict[str, Any]()
    if "scenario" in given:
        file = given["scenario"]
        if not isinstance(file, str):
            raise ConfigError(f"walk rows: scenario must be the name of a file, got {file!r}")
        path = folder / file
        load_scenario(path)  # so that errors in the file name it
        data = read_toml(path)
        data.pop("schema")
        data["gait"] = _of_same_kind(data.get("gait", {}), inline.get("gait"))
    scenario: Scenario = structure(_over(data, inline), Scenario, origin)
    if scenario.sole.file is not None:
        raise ConfigError(
            "walk rows: [sole] file is a condensed sole, but a study condenses its own: leave it "
            "out and name the mesh or shape in the study (mesh)"
        )
    return scenario


def _of_same_kind(below: Mapping[str, Any], above: Any) -> Mapping[str, Any]:
    """Return a table [gait] without what only its own kind has, if `above` is of another kind."""
    kind = above.get("kind") if isinstance(above, Mapping) else None
    for cls in GAITS:
        if cls.kind == kind:
            known = [key_of(cls, f.name) for f in fields(cls)]
            return {key: value for key, value in below.items() if key in known}
    return below


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table `below`, overridden by `above`, recursively."""
    found = dict(below)
    for key, value in above.items():
        lower = found.get(key)
        both = isinstance(lower, Mapping) and isinstance(value, Mapping)
        found[key] = _over(lower, value) if both else value  # type: ignore[arg-type]
    return found


def keys(table: Any, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield (dotted key, kind) of every number, whole number, text and flag that axes may vary.

    Only for tables that the scenario has: "bush.height" only if it has a bush.
    """
    found = keys_of_class(type(table), above)
    for f in fields(table):
        key, value = f"{above}{key_of(type(table), f.name)}", getattr(table, f.name)
        if is_dataclass(value):
            yield from keys(value, f"{key}.")
        elif key in found and key not in STUDYS_OWN:
            if not (above == "urdf." and found[key] == "text"):
                yield key, found[key]


def keys_of_class(cls: type, above: str = "") -> dict[str, str]:
    """Return the kind of every number, whole number, text and flag of a dataclass by its key."""
    found, hints = {}, get_type_hints(cls)
    for f in fields(cls):
        hint = hints[f.name]
        optional = get_origin(hint) in (Union, UnionType)  # such as "float | None"
        plain = get_args(hint)[0] if optional else hint
        plain = str if get_origin(plain) is Literal else plain
        if plain in KINDS:
            found[f"{above}{key_of(cls, f.name)}"] = KINDS[plain]
    return found


def value_of(scenario: Scenario, key: str) -> Any:
    """Return the value or table of a scenario under a dotted key; "": the scenario itself."""
    found: Any = scenario
    for name in filter(None, key.split(".")):
        found = getattr(found, name)
    return found


def scenario_of(base: Scenario, settings: Mapping[str, Setting]) -> Scenario:
    """Return the scenario of one case from the values of its axes, without those of the sole.

    Values of one table are set at once, since they may not be valid one by one.

    Raises
    ------
    SoleError
        The values do not fit together.
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
            raise ConfigError("speed and gait.forward cannot both be axes: leave one of them out")
        timing = replace_tables(base.gait, gait)
        if not isinstance(timing, Walking):
            raise ConfigError(f'speed: of a gait of kind "walk", not of "{timing.kind}"')
        usual = UsualStep()
        for name in ("single", "double"):  # a study knows no robot: its time is that of long legs
            given = getattr(timing, name)
            gait[name] = getattr(usual, name) if given is None else given
        gait["forward"] = float(settings[SPEED]) * (gait["single"] + gait["double"])
    changed: Scenario = replace_tables(base, values)
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


def replace_tables(table: Any, values: Mapping[str, Any]) -> Any:
    """Return a dataclass with new values, named by their keys in a file; nested tables likewise."""
    cls, new = class_of(table, values) if isinstance(table, Gait) else type(table), {}
    for key, value in values.items():
        name = name_of(cls, key)
        new[name] = (
            replace_tables(getattr(table, name), value)
            if isinstance(value, dict)
            else read_value(cls, name, value)
        )
    return change_gait(table, new) if isinstance(table, Gait) else replace(table, **new)
