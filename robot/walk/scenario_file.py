"""Scenarios as files that read back to the same values, so that a run can be repeated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from robot.walk.scenario import SCHEMA, Scenario
from sole.base.archive import replacing
from sole.base.config import structure, written
from sole.base.toml_text import toml_text
from sole.shape import relative_to


def save_scenario(path: Path, scenario: Scenario) -> None:
    """Write a scenario, atomically; `load_scenario` returns an equal one of `as_read`."""
    with replacing(Path(path)) as temporary:
        text = f'schema = "{SCHEMA}"\n' + toml_text(written(scenario))
        temporary.write_text(text, encoding="utf-8")


def as_read(scenario: Scenario) -> Scenario:
    """Return the scenario as it is read from its file: degrees round angles in the last bit."""
    for _ in range(4):
        read = structure(_present(written(scenario)), Scenario, "scenario")
        if read == scenario:
            break
        scenario = read
    return scenario


def anchored(scenario: Scenario, folder: Path) -> Scenario:
    """Return the scenario with absolute paths instead of those relative to `folder`."""

    def full(text: str | None) -> str | None:
        if text is None or not (folder / text).is_file():
            return text
        return str((folder / text).absolute())

    sole = replace(
        scenario.sole, file=full(scenario.sole.file), right_file=full(scenario.sole.right_file)
    )
    packages = tuple(relative_to(folder.absolute(), text) for text in scenario.urdf.packages)
    urdf = replace(scenario.urdf, srdf=full(scenario.urdf.srdf), packages=packages)
    robot, ground = full(scenario.robot), full(scenario.ground)
    return replace(scenario, sole=sole, urdf=urdf, robot=robot or "", ground=ground or "plane")


def _present(data: Any) -> Any:
    """Return plain data without keys whose value is None, as a file has none."""
    if isinstance(data, dict):
        return {key: _present(value) for key, value in data.items() if value is not None}
    return [_present(item) for item in data] if isinstance(data, list) else data
