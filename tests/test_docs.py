"""The Python of the documentation's pages runs as it stands, one block after the other."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

# Pages that website/ makes; test_site.py follows the links to them.
MADE_FOR_THE_SITE = ("docs/commands.md", "docs/reference/index.md")


def python_of(page, blocks):
    """Run the page's Python blocks, of which there must be `blocks`; return the names they made."""
    text = page.read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(programs) == blocks
    names: dict[str, object] = {}
    for program in programs:
        exec(compile(program, page.name, "exec"), names)
    return names


def test_the_retiming_page_runs(root, monkeypatch):
    monkeypatch.chdir(root)
    names = python_of(root / "docs" / "retiming.md", 1)
    assert names["motion"].duration == pytest.approx(7.3, abs=0.1)
    assert names["plan"].end == pytest.approx(names["motion"].duration + 1.0, abs=2e-3)


def test_the_contact_page_runs(root, capsys):
    names = python_of(root / "docs" / "contact.md", 4)
    total = names["solution"].reactions.sum(axis=0)
    assert total[2] == pytest.approx(2 * 9.81)  # u_n = 0: the impulse of the weight
    assert names["warm"].solved
    assert not names["best"].solved
    *_, chain, skew = capsys.readouterr().out.split()
    assert max(float(chain), float(skew)) <= 1e-8


def test_the_foot_stiffness_page_runs(root):
    page = "foot_stiffness.md"
    names = python_of(root / "docs" / page, 5)
    assert names["on"].area < names["pads"].area
    assert names["lost"].controllable.tolist() == [True, True, False]
    on_edge = names["lost"].reachable([0, -62.5, 500.0])
    assert on_edge == pytest.approx([0, -62.5, 500.0], abs=1e-6)
    # E/d is too soft for this sole, as the page says, and the law on it stable.
    ratios = names["np"].diag(names["sole_U"](names["sole"]) / names["springs"].U)
    assert (ratios > 1.5).all()
    assert names["law"].mismatch(names["sole_U"](names["sole"])).max() < 40


def test_the_robots_page_runs(root):
    names = python_of(root / "docs" / "robots.md", 2)
    assert names["gap"] == pytest.approx([0, 0.19, 0], abs=1e-12)
    assert names["limits"] == pytest.approx((0.0, np.radians(150), 320.0), abs=1e-12)
    assert names["sole"].size == pytest.approx((0.24, 0.14, 0.02))
    assert names["feet"].edges[1, :, 0] == pytest.approx([-0.11, 0.05])


def test_the_haptics_page_runs(root):
    names = python_of(root / "docs" / "haptics.md", 1)
    # 0.5 mm behind a spring of 1000 N/m and a sole that is much stiffer
    assert 0.4 < -names["felt"][2] < 0.5


def test_the_run_page_runs(root, capsys):
    names = python_of(root / "docs" / "run.md", 3)
    weight = 21 * 9.81
    assert names["run"]["wrench_world"][-1, 0, 2] == pytest.approx(weight, rel=1e-3)
    assert names["table"]["fell"].value is False
    told = capsys.readouterr().out
    assert "impact impulse" in told
    assert "not converged" in told


def test_the_gait_page_runs(root, capsys):
    names = python_of(root / "docs" / "gait.md", 4)
    assert names["tick"].step == 0
    assert names["plan"].feet[-1, :, 2, 3] == pytest.approx(0.08)  # two rises and the sole
    assert names["squat"].com[:, 2].min() == pytest.approx(names["still"].com[0, 2] - 0.1)
    first, second, *_ = names["listed_plan"].schedule.footsteps.steps
    assert second.foothold.y - first.foothold.y == pytest.approx(2 * names["y"] + 0.03)
    assert "out of reach: step 1, joint left_knee at" in capsys.readouterr().out


def test_the_online_plan_page_runs(root, capsys):
    plan = python_of(root / "docs" / "online_plan.md", 1)["plan"]
    end, steps = capsys.readouterr().out.split()[:2]
    assert int(steps) >= 2 and float(end) > plan.timeline.end
    assert plan.timeline.over


def test_the_page_of_margins_runs(root, capsys):
    names = python_of(root / "docs" / "sole_margin.md", 5)
    first, _, yaw, cone, inner, slips, needs, standing = capsys.readouterr().out.splitlines()
    assert "yaw right" in cone and inner.split()[0].isdigit()
    assert first == str(names["margin"]) and first.endswith("% margin")
    pressed, rigid = (float(word) for word in yaw.split() if word[0].isdigit())
    assert 0.3 * rigid < pressed < 0.5 * rigid
    assert slips.startswith("first slip at ") and 0.4 < float(needs.split()[-1]) < 0.7
    assert standing.startswith("slide ")


def test_the_page_of_finite_strain_runs(root, capsys):
    names = python_of(root / "docs" / "finite_strain.md", 1)
    assert names["pressed"].wrench[2] == pytest.approx(600)
    assert 0.05 < float(capsys.readouterr().out.split()[-1]) < 0.5


def test_the_wrench_cone_page_runs(root, capsys):
    names = python_of(root / "docs" / "wrench_cone.md", 4)
    assert (f"{names['margin']:.4f}", names["foot"].word(names["facet"])) == (
        "0.6811",
        "yaw right about front left corner",
    )
    yaw = names["yaw"]
    said = [yaw.lowest, yaw.safe, yaw.highest, yaw.half_width]
    assert said == pytest.approx([-23.95, -0.83, 22.29, 23.12])
    assert names["low"] < names["exact"].value < names["high"]
    assert names["both"].contains(names["weight"])


def test_the_penalty_page_runs(root):
    names = python_of(root / "docs" / "penalty.md", 2)
    assert names["total"] == pytest.approx([-30, 0, 58 * 9.81], abs=1e-9)
    assert names["rest"].rank == 6
    assert names["rest"].forces[:, 2].sum() == pytest.approx(40 * 9.81)


def test_the_page_of_gymnasium_runs(root, capsys):
    names = python_of(root / "docs" / "gym.md", 1)
    assert not names["fell"] and set(names["info"]["reward"]) >= {"tilt", "impact", "margin"}
    assert "young=" in capsys.readouterr().out


def test_the_recipe_of_a_claim_runs(root, capsys):
    python_of(root / "CONTRIBUTING.md", 1)
    assert capsys.readouterr().out == "reproduced at 1.16 s\n"


def test_the_choice_page_runs(root, capsys):
    names = python_of(root / "docs" / "choice.md", 1)
    (first, away), *_ = names["near"]
    assert (first.name, away) == ("Shore A 50 rubber", 0)
    assert capsys.readouterr().out.endswith("1.69 MPa\n")


def test_the_imports_of_the_page_of_the_tree_exist(root):
    names = python_of(root / "docs" / "architecture.md", 1)
    assert all(callable(names[name]) for name in ("Wrench", "press", "load_condensed"))


def test_the_landing_page_runs(root, capsys):
    names = python_of(root / "docs" / "index.md", 1)
    assert 0.5 * 0.216 * 0.140 < names["result"].contact_area < 0.216 * 0.140
    assert "0.03" in capsys.readouterr().out


def test_the_lines_of_the_landing_page_make_its_picture(root):
    """They are those of a gallery's script, whose picture has a test of its own."""
    page = (root / "docs" / "index.md").read_text(encoding="utf-8")
    lines = re.search(r"^```sh\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)[1].splitlines()
    assert len(lines) == 3 and lines[0].startswith("make install")
    (picture,) = re.findall(r"\]\((gallery/\w+)\.png\)", page)
    script = (root / "examples" / f"{picture}.sh").read_text(encoding="utf-8").splitlines()
    own = [line.replace(Path(picture).name, "walk") for line in script if line.startswith("sole ")]
    assert lines[1:] == own


def test_the_landing_page_cites_the_version_of_the_package(root):
    import yaml

    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    page = (root / "docs" / "index.md").read_text(encoding="utf-8")
    assert f"Version {cited['version']} " in page
    assert f"version = {{{cited['version']}}}" in page
    assert f"year = {{{str(cited['date-released'])[:4]}}}" in page


def test_every_page_with_python_is_run_here(root):
    here = Path(__file__).read_text(encoding="utf-8")
    here += '"own_simulator.md"'  # by robot/test_own_simulator_page.py: it needs a scene
    here += '"export.md"'  # by contact/test_bushing_mujoco.py: it needs MuJoCo and a robot
    for page in [*(root / "docs").glob("*.md"), *(root / "docs" / "results").glob("*.md")]:
        if "```python" in page.read_text(encoding="utf-8"):
            assert f'"{page.name}"' in here, page.name


def test_links_between_pages_lead_somewhere(root):
    own = (root / name for name in ("README.md", "CONTRIBUTING.md"))
    for page in [*(root / "docs").rglob("*.md"), *own]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#\s]*)", text):
            file = Path(os.path.normpath(page.parent / target))
            made = file.relative_to(root).as_posix() in MADE_FOR_THE_SITE
            assert made or file.exists(), f"{page.name}: {target}"
