"""What a simulator process runs: a scene that obeys messages of pages, and its session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from robot.live.scene_frames import SceneBodies
from robot.live.scene_snapshot import SceneLayout
from sole.base.arrays import FloatArray

if TYPE_CHECKING:
    from robot.pictures.browser import LivePage


class HandsOn(Protocol):
    """A scene that runs and obeys."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    @property
    def over(self) -> bool:
        """Whether it cannot go on."""

    @property
    def layout(self) -> SceneLayout:
        """Sizes of a snapshot."""

    @property
    def bodies(self) -> SceneBodies:
        """The contact bodies."""

    @property
    def nap(self) -> float:
        """Real time [s] that it may run ahead of the clock."""

    def begin(self) -> None:
        """Begin anew."""

    def advance(self) -> None:
        """Make one step."""

    def idle(self) -> None:
        """Do what must be done instead of a step while paused or over."""

    def close(self) -> None:
        """Release what was opened."""

    def obey(self, message: Mapping[str, Any]) -> str:
        """Carry out a message of a page; return what to say."""

    def consequences(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what all pages must know after a message was obeyed."""

    def settings(self) -> dict[str, Any]:
        """Return what the controls of all pages must show, as the scene has it now."""

    def excess(self) -> str:
        """Return in words by how much its soles are beyond linear elasticity; "" if within."""

    def row(self, **numbers: Any) -> FloatArray:
        """Return the snapshot of now."""

    def curves(self) -> list[float]:
        """Return what the plots of a page show, of the last `row`: a number a line."""

    def check_speed(self, speed: float) -> None:
        """Refuse a speed (times real time) that it cannot have."""

    def page(self) -> LivePage:
        """Return the page."""

    def ended(self) -> str:
        """Return in words why it cannot go on."""

    def advice(self) -> str:
        """Return what makes it faster."""

    def save(self, output: Path) -> dict[str, Any] | None:
        """Write what there is; return what was written, None if there is nothing."""


class Session(Protocol):
    """What a simulator process is to do; it is pickled. `output` None: nothing is kept."""

    @property
    def output(self) -> Path | None:
        """File of what is kept."""

    def open(self, tell: Callable[[str], None]) -> HandsOn:
        """Return the scene."""
