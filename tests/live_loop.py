"""The loop of a live scene in this process, with messages given and what it says kept."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

from robot.live.ordered_end import OrderedEnd
from robot.live.simulator_process import SceneLoop


class Given:
    """A session of a scene that is there already; nothing is kept."""

    output = None

    def __init__(self, hands: Any) -> None:
        self.hands = hands

    def open(self, tell: Any) -> Any:
        """Return the scene."""
        return self.hands


class Said:
    """A pipe with `messages`, which keeps what is sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.sent: list[tuple[Any, ...]] = []
        self.loop: SceneLoop | None = None

    def poll(self) -> bool:
        return bool(self.messages)

    def recv(self) -> dict[str, Any]:
        return self.messages.pop(0)

    def send(self, message: tuple[Any, ...]) -> None:
        self.sent.append(message)

    def of(self, kind: str) -> list[Any]:
        return [said[0] for name, *said in self.sent if name == kind]


@contextmanager
def looped(hands: Any) -> Any:
    """Yield (do, said): `do(message, steps)` obeys and steps as the loop does."""
    said = Said()
    loop = said.loop = SceneLoop(Given(hands), said, OrderedEnd())

    def do(message: dict[str, Any], steps: int = 1) -> None:
        said.messages = [message]
        assert loop._listen()
        for _ in range(steps):
            hands.advance()
        loop._show()
        loop._say_beyond()

    try:
        yield do, said
    finally:
        loop.shared.close()


def shown(said: Said, first: dict[str, Any]) -> dict[str, Any]:
    """Return what the controls of a page show that was opened with `first` in its header."""
    found = dict(first)
    for told in said.of("tell"):
        found |= told.get("set", {})
    return found
