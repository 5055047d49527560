"""The robots and grounds named in a study, loaded early so that errors appear early.

Rows depend on their contents: a continued study must find them unchanged.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from robot.model import RobotModel, robot_of, srdf_beside
from robot.walk import Scenario, ground_of


class Files:
    """The files named by the scenarios in a folder.

    Parameters
    ----------
    folder : folder of the files.
    read : hashes of the contents read so far, by kind and name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read: dict[str, str] = {}

    def robot(self, scenario: Scenario) -> RobotModel:
        """Return the robot of a scenario.

        Raises
        ------
        SoleError
            The robot is unknown or cannot be loaded.
        """
        robot = robot_of(scenario.robot, scenario.urdf, self.folder)
        path = self.folder / scenario.robot
        given = scenario.urdf.srdf
        srdf = srdf_beside(path) if given is None else self.folder / given
        found = [file.read_bytes() for file in (path, srdf) if file.is_file()]
        self.read[f"robot {scenario.robot}"] = _hash(*found)
        return robot

    def ground(self, scenario: Scenario) -> None:
        """Read the ground of a scenario.

        Raises
        ------
        SoleError
            The ground cannot be read.
        """
        ground = ground_of(scenario, self.folder).compiled
        self.read[f"ground {scenario.ground}"] = _hash(
            ground.table.tobytes(), ground.heights.tobytes()
        )


def _hash(*found: bytes) -> str:
    return hashlib.sha256(b"".join(found)).hexdigest()[:16]
