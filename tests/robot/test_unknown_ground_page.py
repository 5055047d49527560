"""docs/results/unknown_ground.md as a reader follows it: rises of 9 cm, with and without a key."""

from __future__ import annotations

import re

import pytest

from robot.run import load_run

KEY = "step_over = true\n"
RISE = 0.09  # m
SINKS = 5e-3  # m: soles of 2 MPa yield by less


@pytest.fixture(scope="module")
def rise(root):
    """Return the page's scenario, which its command walks."""
    page = (root / "docs" / "results" / "unknown_ground.md").read_text(encoding="utf-8")
    found = re.findall(
        r"^    sole walk rise\.toml -o rise\.nc\n\n```toml\n(.*?)^```$", page, re.M | re.S
    )
    assert len(found) == 1
    assert f'ground = "step:{RISE:g},' in found[0]
    return found[0]


@pytest.mark.nightly
@pytest.mark.slow
def test_the_page_s_scenario_walks_up_9_cm(rise, walk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rise.toml").write_text(rise, encoding="utf-8")
    code, told, _ = walk("rise.toml", "-o", "rise.nc")
    assert code == 0 and "and stands" in told and "swing foot met" not in told
    run = load_run(tmp_path / "rise.nc")
    assert not run.header["fall"]["fell"]
    up = run["foot_position"][-1, :, 2] - run["foot_position"][0, :, 2]
    assert up == pytest.approx([RISE, RISE], abs=SINKS)  # both feet are on it
    met = [e for e in run.header["events"] if e["kind"] == "met"]
    assert len(met) >= 1 and met[0]["place"][2] < RISE  # below its edge


@pytest.mark.nightly
@pytest.mark.slow
def test_without_its_key_it_falls_and_names_those_that_help(rise, walk, tmp_path):
    assert KEY in rise
    (tmp_path / "plain.toml").write_text(rise.replace(KEY, ""), encoding="utf-8")
    code, told, _ = walk(tmp_path / "plain.toml")
    assert code == 0 and "fell at" in told
    (warned,) = (line for line in told.splitlines() if "swing foot met" in line)
    for part in ("step_over = true", "[gait] lift (--lift, here 0.06 m)", "arrive (here 0.9)"):
        assert part in warned
