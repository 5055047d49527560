"""The robots and grounds that the cases of a study name: loaded early, so that errors come early.

What was read is part of what rows depend on: a study that is continued must find it unchanged.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from robot.model import RobotModel, robot_of
from robot.running.assembly import ground_of
from robot.scenario import Scenario


class Files:
    """What scenarios in a folder name.

    Parameters
    ----------
    folder : where files are looked for.
    read : hash of what was read, by what it is and its name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read: dict[str, str] = {}

    def robot(self, scenario: Scenario) -> RobotModel:
        """Return the robot of a scenario.

        Raises
        ------
        SoleError
            There is none of this name, or it cannot be loaded.
        """
        robot = robot_of(scenario.robot, scenario.urdf, self.folder)
        path = self.folder / scenario.robot
        given = scenario.urdf.srdf
        srdf = path.with_suffix(".srdf") if given is None else self.folder / given
        found = [file.read_bytes() for file in (path, srdf) if file.is_file()]
        self.read[f"robot {scenario.robot}"] = _hash(*found)
        return robot

    def ground(self, scenario: Scenario) -> None:
        """Read the ground of a scenario.

        Raises
        ------
        SoleError
            It describes none.
        """
        ground = ground_of(scenario, self.folder).compiled
        self.read[f"ground {scenario.ground}"] = _hash(
            ground.table.tobytes(), ground.heights.tobytes()
        )


def _hash(*found: bytes) -> str:
    return hashlib.sha256(b"".join(found)).hexdigest()[:16]
