"""What a scenario names: its ground, and whether all that it names or needs is there.

A misspelt name or a missing package is refused here before anything is prepared, planned or
condensed for the walk.
"""

from __future__ import annotations

from pathlib import Path

from contact.ground import Ground, parse_ground
from robot.model import require_robot
from robot.walk.scenario import Scenario
from sole.base.extras import require_extra
from sole.base.files import require_file


def require_names(scenario: Scenario, folder: Path | None) -> None:
    """Refuse a robot, ground or sole that does not exist; paths are relative to `folder`.

    Raises
    ------
    SoleError
        The message has the name that is most like the unknown one, if any is; or the line that
        installs the package that control or retiming needs.
    """
    folder = Path() if folder is None else folder
    require_robot(scenario.robot, folder)
    ground_of(scenario, folder)
    for file in (scenario.sole.file, scenario.sole.right_file):
        if file is not None:
            require_file(folder / file)
    if scenario.control.kind == "sole-aware":
        require_extra("control", "sole-aware control")
    if scenario.retime is not None:
        require_extra("retime", "retiming")


def ground_of(scenario: Scenario, folder: Path) -> Ground:
    """Return the ground; a path is relative to `folder`."""
    text = scenario.ground
    return parse_ground(str(folder / text) if text.endswith(".toml") else text)
