"""What a simulator process is asked to run: a walk, or a press."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from robot.walk import Scenario

if TYPE_CHECKING:
    from robot.live.hands_on_press import HandsOnPress
    from robot.live.hands_on_walk import HandsOnWalk


@dataclass(frozen=True, kw_only=True)
class WalkSession:
    """A walk in real time: its scenario, the folder of its paths, what is kept, a device."""

    scenario: Scenario
    folder: Path
    output: Path | None
    every: int
    nodes: int
    device: str | None = None

    def open(self, tell: Callable[[str], None]) -> HandsOnWalk:
        """Return the scene."""
        from robot.live.hands_on_walk import HandsOnWalk
        from sole.base.compiled import prepare

        terrain = () if self.scenario.ground == "plane" else ("terrain",)
        prepare(("walk", "online", *terrain))
        with ExitStack() as opened:
            if self.device is not None:  # first: what is missing is said before anything is made
                from robot.haptics import open_device

                device = open_device(self.device)
                opened.callback(device.close)
            hands = HandsOnWalk(
                self.scenario, self.folder, every=self.every, nodes=self.nodes, tell=tell
            )
            if self.device is not None:
                from robot.live.device_pull import DevicePull

                hands.device = DevicePull(hands, device, tell=tell)
            opened.pop_all()
        return hands


@dataclass(frozen=True, kw_only=True)
class PressSession:
    """A sole that is moved over a ground: its file, the first ground and friction."""

    sole: Path
    ground: str
    friction: float
    output: Path | None

    def open(self, tell: Callable[[str], None]) -> HandsOnPress:
        """Return the scene."""
        from robot.live.hands_on_press import HandsOnPress
        from sole.base.compiled import prepare
        from sole.base.damage import refuse_damage
        from sole.condense import load_condensed

        with refuse_damage(self.sole):
            sole = load_condensed(self.sole)
        prepare(("press", "walk"))
        return HandsOnPress(sole, self.ground, self.friction, tell=tell)
