"""Claims: the verdict follows from numbers, experiments run once, names are helped with."""

from __future__ import annotations

import json
from importlib import import_module
from math import nan

import pytest
from command_line import in_this_process

from sole.base.errors import SoleError
from sole.claims import (
    FAILED,
    IN_TREND,
    NO_VERDICT,
    NOT_BUILT,
    REFUTED,
    REPRODUCED,
    UNDECIDED,
    Claim,
    Criterion,
    Effort,
    Experiment,
    Findings,
    Paper,
    find_claims,
    known_claims,
    markdown_rows,
    registry,
    reproduce_claims,
)
from sole.claims.claim import SOURCES
from sole.claims.picture_head import draw_under_head, head_of, write_head

PAPER = Paper(key="somebody", authors="S. Body", title="On pads", reference="SBody2020")
CALLS = []


def measure(effort):
    CALLS.append(effort.quick)
    effort.tell(0.5)
    return Findings(numbers={"depth": 2.0, "force": 5.0}, pictures={"fig1": draw})


def draw():
    from matplotlib.figure import Figure

    return Figure()


def break_down(effort):
    raise SoleError("no ground under it")


HERE = Experiment(at=f"{__name__}:measure", quick=1, full=2)
BROKEN = Experiment(at=f"{__name__}:break_down", quick=1, full=2)
PRINTED = "5 N"
DEPTH = Criterion(number="depth", low=1, high=3, trend=True)
FORCE = Criterion(number="force", low=4.9, high=5.1)


def claim(name="fig1", criteria=(DEPTH, FORCE), **more):
    more = {"experiment": HERE, "ours": "{depth:.1f} m", "printed": PRINTED, **more}
    return Claim(
        paper=PAPER, name=name, order=1, place="I", says="it sinks", criteria=criteria, **more
    )


@pytest.fixture(autouse=True)
def fresh():
    CALLS.clear()


@pytest.mark.parametrize(
    ("depth", "force", "verdict"),
    [
        (2.0, 5.0, REPRODUCED),
        (1.0, 5.1, REPRODUCED),  # bounds belong to it
        (2.0, 6.0, IN_TREND),
        (0.9, 5.0, REFUTED),
        (0.9, 6.0, REFUTED),
        (nan, 5.0, REFUTED),
    ],
)
def test_the_verdict_follows_from_the_criteria(depth, force, verdict):
    assert claim().verdict({"depth": depth, "force": force}) == verdict


def test_without_a_trend_a_wrong_figure_refutes():
    assert claim(criteria=(FORCE,)).verdict({"depth": 2.0, "force": 6.0}) == REFUTED


def test_too_few_samples_decide_nothing():
    two = claim(least=(("depth", 2),))
    assert two.verdict({"depth": 2.0, "force": 5.0}) == REPRODUCED
    few = {"depth": 1.5, "force": 6.0}
    assert two.verdict(few) == UNDECIDED
    assert two.told(few) == "1.5 m; depth: 1.5, a verdict needs 2"
    assert two.verdict({"depth": nan, "force": 5.0}) == UNDECIDED


def test_a_figure_without_samples_is_a_dash():
    bare = claim(ours="{depth:+.0f} % (nano {force:.1f})")
    assert bare.told({"depth": nan, "force": 5.0}) == "- % (nano 5.0)"


def test_what_cannot_come_out_otherwise_has_no_verdict():
    one = claim(criteria=(), given="it is arithmetic")
    assert one.verdict({"depth": 2.0, "force": 5.0}) == NO_VERDICT
    assert one.told({"depth": 2.0, "force": 5.0}) == "2.0 m; it is arithmetic"
    assert claim(criteria=(), experiment=None, given="a definition").verdict(None) == NO_VERDICT


@pytest.mark.parametrize(
    "wrong",
    [
        {"criteria": ()},
        {"missing": "a ground"},
        {"undecided": "no ranges", "criteria": (DEPTH,)},
        {"given": "arithmetic", "criteria": (DEPTH,)},
        {"given": "arithmetic", "criteria": (), "least": (("depth", 1),)},
        {"given": "arithmetic", "criteria": (), "undecided": "no ranges"},
        {"missing": "a ground", "criteria": (), "experiment": HERE},
        {"name": "Fig 1"},
        {"printed": ""},  # so no figure but a trend of it
    ],
)
def test_a_claim_without_a_way_to_its_verdict_is_refused(wrong):
    with pytest.raises(SoleError, match="claim somebody"):
        claim(**wrong)


def test_experiments_run_once_and_pictures_are_drawn(tmp_path):
    claims = [
        claim(),
        claim("waits", (), experiment=None, missing="a ground"),
        claim("open", (), undecided="no ranges are printed"),
        claim("again", picture="fig1"),
    ]
    first, waits, left_open, again = reproduce_claims(claims, quick=False, folder=tmp_path / "out")
    assert CALLS == [False]
    assert (first.verdict, first.ours, first.shared) == (REPRODUCED, "2.0 m", "")
    assert (waits.verdict, waits.ours, waits.seconds) == (NOT_BUILT, "a ground", 0.0)
    assert (left_open.verdict, left_open.ours) == (UNDECIDED, "2.0 m; no ranges are printed")
    assert again.shared == "fig1" and again.picture == first.picture
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["somebody_fig1.png"]
    assert [row[:2] for row in markdown_rows([first])] == [("`fig1`", "I")]


def test_an_experiment_fails_alone():
    bad, good = reproduce_claims([claim("bad", experiment=BROKEN), claim()])
    assert (bad.verdict, bad.ours, good.verdict) == (FAILED, "no ground under it", REPRODUCED)


def test_a_folder_without_pictures_is_not_left(tmp_path):
    (tmp_path / "mine").mkdir()
    for name in ("new", "mine"):
        reproduce_claims([claim("bad", experiment=BROKEN)], folder=tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


class Point:
    def __init__(self, *claims):
        self.claims = claims

    def load(self):
        return self.claims


@pytest.fixture
def registered(monkeypatch):
    def register(*claims):
        half = len(claims) // 2
        points = {"a": Point(*claims[:half]), "b": Point(*claims[half:])}
        monkeypatch.setattr(registry, "plugins", lambda group: points)

    return register


def test_two_claims_of_one_name_are_refused(registered):
    registered(claim(), claim())
    with pytest.raises(SoleError, match="two claims are named somebody fig1"):
        known_claims()


def test_names_are_found_and_the_nearest_is_named(registered):
    other = Paper(key="another", authors="A. N.", title="Off pads", reference="AN2020")
    far = Claim(paper=other, name="weight", order=2, place="I", says="it is", missing="it")
    registered(claim(), claim("fig2"), far)
    assert [c.key for c in find_claims("")] == ["another weight", "somebody fig1", "somebody fig2"]
    assert [c.name for c in find_claims("somebody", ["fig2", "fig2"])] == ["fig2"]
    for words, told in (
        (("sombody", ()), "there are another, somebody; did you mean somebody"),
        (("fig2", ()), "did you mean somebody fig2"),
        (("somebody", ["fig3"]), "did you mean fig"),
        (("somebody", ["weight"]), "did you mean another weight"),
    ):
        with pytest.raises(SoleError, match=told):
            find_claims(*words)


@pytest.fixture
def reproduce(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys, "reproduce")


def test_a_failed_experiment_ends_with_exit_2(reproduce, registered):
    registered(claim("bad", experiment=BROKEN), claim())
    code, out, err = reproduce("somebody")
    assert code == 2 and "reproduced" in out
    assert err == ("error: 1 experiments failed (somebody bad): no ground under it\n")


def test_bad_calls_are_one_line(reproduce, tmp_path):
    (tmp_path / "file").write_text("")
    for words, told in (
        ((), "give a paper, or --all"),
        (("--all", "rengifo"), "leave out one"),
        (("rengfo",), "did you mean rengifo"),
        (("rengifo", "figure4"), "did you mean fig4"),
        (("rengifo", "foot_states", "-o", tmp_path / "file"), "-o is a folder"),
        (("rengifo", "foot_states", "-o", tmp_path / "new.png"), "-o is a folder"),
        (("rengifo", "foot_states", "-o", tmp_path / "file" / "a"), "cannot make the folder"),
    ):
        code, out, err = reproduce(*words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert told in err


def test_json_holds_verdicts_criteria_and_numbers(reproduce, registered):
    registered(claim(criteria=(DEPTH, Criterion(number="force", low=6))))
    code, out, _ = reproduce("--all", "--quick", "--json")
    told = json.loads(out)
    assert code == 0 and told["quick"] and told["verdicts"] == {IN_TREND: 1}
    (one,) = told["claims"]
    assert (one["paper"], one["claim"], one["verdict"]) == ("somebody", "fig1", IN_TREND)
    assert one["numbers"] == {"depth": 2.0, "force": 5.0}
    assert [c["holds"] for c in one["criteria"]] == [True, False]
    assert one["criteria"][1]["high"] is None


def test_json_judges_no_criterion_on_too_few_samples(reproduce, registered):
    registered(claim(least=(("depth", 3),)), claim("fig2", least=(("depth", 2),)))
    few, enough = json.loads(reproduce("--all", "--json")[1])["claims"]
    assert few["verdict"] == UNDECIDED and few["numbers"] == {"depth": 2.0, "force": 5.0}
    assert [c["holds"] for c in few["criteria"]] == [None, None]
    assert [c["holds"] for c in enough["criteria"]] == [True, True]


def test_the_list_runs_nothing(reproduce, registered):
    registered(claim(), claim("waits", (), experiment=None, missing="a ground"))
    code, out, _ = reproduce("--list")
    assert code == 0 and "fig1" in out and "not built yet" in out
    assert CALLS == []
    told = json.loads(reproduce("--list", "--json")[1])
    assert [c["claim"] for c in told["claims"]] == ["fig1", "waits"]


def test_every_registered_claim_is_whole():
    """Experiments exist, templates name what is found, references are in the list."""
    claims = known_claims()
    assert {c.paper.key for c in claims} == {"caron", "chardonnet", "rengifo", "sygulla"}
    assert len(claims) > 40
    for c in claims:
        assert c.says and c.place, c.key
        if c.experiment is not None:
            module, _, name = c.experiment.at.partition(":")
            assert name in import_module(module).__all__, c.key


def test_every_bound_says_whose_it_is():
    """A bound is the paper's, or ours with a reason."""
    for claim in known_claims():
        for criterion in claim.criteria:
            named = f"{claim.key} {criterion.number}: {criterion.reason!r}"
            assert criterion.reason.startswith(SOURCES), named
            assert len(criterion.reason) > len("ours: xx"), named


def test_an_experiment_hands_out_findings():
    with pytest.raises(TypeError, match="expected Findings"):
        Experiment(at="builtins:repr", quick=1, full=1).run(Effort())


def test_a_picture_has_a_head_with_the_papers_figure_and_ours(tmp_path):
    from PIL import Image

    lines = head_of(
        [claim(), claim("again", (FORCE,), picture="fig1", ours="{force:.0f} N", printed="")]
    )
    assert lines == [
        "S. Body: I", "It sinks.", "Paper: 5 N", "Here: {depth:.1f} m", "It sinks.",
        "Here: {force:.0f} N",
    ]  # fmt: skip
    told = write_head(lines, {"depth": 2.0, "force": nan})
    assert told[3] == "Here: 2.0 m" and told[5] == "Here: - N"
    plain = draw()
    headed = draw_under_head(plain, told, 100)
    letters = [text.get_text() for text in headed.texts]
    assert letters == told
    assert headed.get_size_inches()[1] > plain.get_size_inches()[1] + 0.5
    reproduce_claims([claim()], quick=False, folder=tmp_path)
    with Image.open(tmp_path / "somebody_fig1.png") as image:
        assert image.height > 120 * plain.get_size_inches()[1] + 60


def test_letters_of_a_head_stay_on_the_picture():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    long = claim(ours="; ".join(["{depth:.1f} m after a long while of waiting"] * 9))
    told = write_head(head_of([long]), {"depth": 2.0, "force": 5.0})
    for width in (4.0, 6.0, 12.0):
        headed = draw_under_head(Figure(figsize=(width, 3.0)), told, 100)
        canvas = FigureCanvasAgg(headed)
        canvas.draw()
        boxes = [text.get_window_extent(canvas.get_renderer()) for text in headed.texts]
        assert min(box.y0 for box in boxes) >= 300  # above the picture
        assert max(box.x1 for box in boxes) <= headed.bbox.x1
        assert max(box.y1 for box in boxes) <= headed.bbox.y1
