"""Experiments in processes of their own: the longest first, the same numbers, failures alone."""

from __future__ import annotations

import os
import time
from functools import partial

import pytest

from sole.base.errors import SoleError
from sole.claims import (
    Claim,
    Criterion,
    Effort,
    Experiment,
    Findings,
    Paper,
    reproduce_claims,
    side_by_side,
)
from sole.claims.side_by_side import Order, measure_all

PAPER = Paper(key="somebody", authors="S. Body", title="On pads", reference="SBody2020")
FAILED = "experiment failed"


def weigh(effort: Effort, size: float = 1.0) -> Findings:
    print("weighing")  # to stdout, where the answers go
    effort.tell(0.25)
    return Findings(numbers={"size": size, "process": os.getpid()}, pictures={"scales": draw})


weigh_more = partial(weigh, size=2.0)


def draw():
    from matplotlib.figure import Figure

    return Figure()


def refuse(effort: Effort) -> Findings:
    raise SoleError("no scales")


def linger(effort: Effort) -> Findings:
    effort.tell(0.5)
    time.sleep(60)
    raise AssertionError


def die(effort: Effort) -> Findings:
    os._exit(3)


def order(name, seconds=1.0, **pictures):
    experiment = Experiment(at=f"{__name__}:{name}", quick=seconds, full=seconds)
    return Order(experiment=experiment, quick=True, folder=None, pictures=pictures)


def claim(name, experiment):
    return Claim(
        paper=PAPER, name=name, order=1, place="I", says="it weighs", ours="{size:g}",
        experiment=order(experiment).experiment, criteria=(Criterion(number="size", high=1.5),),
        picture="scales",
    )  # fmt: skip


@pytest.mark.nightly
def test_the_longest_goes_first_and_pictures_are_drawn(tmp_path):
    told: list[tuple[int, float]] = []
    picture = tmp_path / "scales.png"
    orders = [order("weigh"), order("weigh_more", 3.0, scales=picture, other=tmp_path / "no")]
    light, heavy = measure_all(orders, 1, lambda k, share: told.append((k, share)))
    assert [k for k, share in told if share == 1.0] == [1, 0]
    assert (1, 0.25) in told
    assert (light.numbers["size"], heavy.numbers["size"]) == (1.0, 2.0)
    assert light.numbers["process"] == heavy.numbers["process"] != os.getpid()
    assert (light.pictures, heavy.pictures) == ((), ("scales",))
    assert [p.name for p in tmp_path.iterdir()] == ["scales.png"]


def test_a_dead_process_fails_its_experiment_alone():
    claims = [
        claim("gone", "die"),
        claim("bad", "refuse"),
        claim("good", "weigh"),
        claim("heavy", "weigh_more"),
    ]
    gone, bad, good, heavy = reproduce_claims(claims, workers=2)
    assert gone.verdict == bad.verdict == FAILED
    assert gone.error == (
        "its process ended (exit code 3); run this claim alone, with --workers 1, to see why"
    )
    assert bad.error == "no scales"
    assert (good.verdict, good.ours, heavy.verdict) == ("reproduced", "1", "refuted")


@pytest.mark.nightly
def test_an_interrupt_ends_the_processes(monkeypatch):
    started, start = [], side_by_side._start_worker
    monkeypatch.setattr(
        side_by_side, "_start_worker", lambda scratch: started.append(start(scratch)) or started[-1]
    )

    def interrupt(k, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_all([order("linger"), order("linger"), order("weigh")], 2, interrupt)
    assert len(started) == 2 and all(worker.poll() is not None for worker in started)


def test_shares_go_by_the_expected_time():
    experiments = {name: order(name, s) for name, s in (("weigh", 1.0), ("weigh_more", 3.0))}
    claims = [
        Claim(
            paper=PAPER, name=name, order=1, place="I", says="it weighs", ours="",
            experiment=one.experiment, criteria=(Criterion(number="size"),),
        )
        for name, one in experiments.items()
    ]  # fmt: skip
    told: list[tuple[float, list[str]]] = []
    reproduce_claims(claims, watch=lambda s, now: told.append((s, [c.name for c in now])))
    assert [(pytest.approx(s, abs=1e-6), now) for s, now in told] == [
        (0.0, ["weigh"]), (0.0625, ["weigh"]), (0.25, []),
        (0.25, ["weigh_more"]), (0.4375, ["weigh_more"]), (1.0, []),
    ]  # fmt: skip


def test_no_process_is_no_number_of_workers():
    with pytest.raises(SoleError, match="workers must be 1 or more, got 0"):
        reproduce_claims([], workers=0)
