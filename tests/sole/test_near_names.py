"""What a user may have meant by a misspelt name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sole.base.checks import check_one_of
from sole.base.errors import ConfigError, SoleError
from sole.base.files import require_file
from sole.base.near_names import did_you_mean, near_file


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gravl", "gravel"), ("PLANE", "plane"), ("stp", "step"), ("zzz", None), ("", None)],
)
def test_the_most_similar_name_is_meant(name, meant):
    told = did_you_mean(name, ["plane", "step", "gravel"])
    assert told == ("" if meant is None else f"; did you mean '{meant}'?")


def test_files_are_alike_by_their_stem_and_of_the_same_kind(tmp_path):
    for name in ("six_steps.toml", "six_step.nc", "st.toml"):
        (tmp_path / name).touch()
    assert near_file(tmp_path / "six_step.toml") == (
        f"; did you mean '{tmp_path / 'six_steps.toml'}'?"
    )
    assert near_file(tmp_path / "six_stps").endswith("six_steps.toml'?")
    assert near_file(tmp_path / "x.toml") == ""  # its suffix alone is like st.toml
    assert near_file(tmp_path / "nowhere" / "six_step.toml") == ""
    (tmp_path / "dangling.toml").symlink_to("gone")
    assert near_file(tmp_path / "dangling.toml") == ""


def test_a_missing_file_and_a_wrong_choice_tell_what_was_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pad.npz").touch()
    with pytest.raises(SoleError, match=r"^pat\.npz: no such file; did you mean 'pad\.npz'\?$"):
        require_file(Path("pat.npz"))
    with pytest.raises(ConfigError, match=r"got 'wlak'; did you mean 'walk'\?$"):
        check_one_of("kind", "wlak", ("walk", "stand"))
    for value in (None, 3):
        with pytest.raises(ConfigError, match=rf"^kind must be one of walk, stand, got '{value}'$"):
            check_one_of("kind", value, ("walk", "stand"))
