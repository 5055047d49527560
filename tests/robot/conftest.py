"""What tests of the command `sole walk` share: itself, in this process, and a short scenario."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Call, in_this_process

TOML = (
    'schema = "robot.scenario/1"\nsettle = 0.02\n[sole]\nsize = 0.06\nelement = "p1"\n'
    '[gait]\nkind = "stand"\ninitial = 0.02\nfinal = 0.02\n'
)


@pytest.fixture
def walk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return in_this_process(monkeypatch, capsys, "walk")


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "stand.toml"
    path.write_text(TOML)
    return path
