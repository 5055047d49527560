"""A scene of nothing, for tests of how `sole live` ends: python fake_scene.py OUTPUT.

Messages: {"do": "sleep", "seconds": s} as a slow one does, {"do": "hang"} as compiled code does
that no signal reaches.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

if __name__ == "__mp_main__" and Path(sys.argv[1]).stem == "importing":
    Path(sys.argv[1]).touch()  # in the simulator's process
    time.sleep(60.0)

import numpy as np

from robot.live import run_and_tell
from robot.live.scene_frames import SceneBodies
from robot.live.scene_snapshot import SceneLayout
from robot.pictures.browser import LivePage
from sole.base.archive import replacing
from sole.base.errors import SoleError


class Scene:
    """Counts its steps; saves their number."""

    layout, bodies = SceneLayout(7, 1, 1), SceneBodies((0,), (-0.01,))
    time, over, nap = 0.0, False, 0.0

    def begin(self):
        self.time = 0.0

    def advance(self):
        self.time += 1e-3

    def idle(self):
        pass

    def close(self):
        pass

    def obey(self, message):
        if message["do"] == "sleep":
            time.sleep(message["seconds"])
        if message["do"] == "hang":
            Path(f"{sys.argv[1]}.hangs").touch()
        while message["do"] == "hang":
            try:
                time.sleep(1.0)
            except BaseException:
                pass
        return "done"

    def consequences(self, message):
        return []

    def settings(self):
        return {}

    def excess(self):
        return ""

    def curves(self):
        return [0.0]

    def row(self, **numbers):
        return np.zeros(self.layout.size)

    def page(self):
        return LivePage("x" * 3_000_000, "a scene of nothing")

    def ended(self):
        return ""

    def advice(self):
        return ""

    def save(self, output):
        with replacing(output) as temporary:
            if output.stem == "slowly":
                time.sleep(60.0)
            temporary.write_text(f"{self.time}")
        return {"output": str(output)}


class Session(NamedTuple):
    """Opens it."""

    output: Path

    def open(self, tell):
        return Scene()


if __name__ == "__main__":
    session = Session(Path(sys.argv[1]))
    try:
        print(
            run_and_tell(session, host="127.0.0.1", port=0, browser=False, as_json=True, quiet=True)
        )
    except SoleError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
