"""Ensembles of LOLA's walks and the tables of stored ones; nothing is walked here."""

from __future__ import annotations

from dataclasses import replace

import pytest
from page_tables import (
    lola_survival,
    lola_walks_done,
    online_robots,
    paper_claims,
)
from page_tables.lola_ensembles import (
    FEW,
    HEIGHTS,
    STRIDES,
    YOUNGS,
    anywhere,
    clean,
    in_order,
    on_soles,
    partial,
    way,
)

from robot.control.force_control import settled
from robot.model import load_robot
from robot.papers.experiments import edge_store
from robot.papers.experiments.edge_store import STORE, digest_of, store_walk, stored_walks
from robot.papers.experiments.lola_walks import EdgeWalk
from robot.papers.experiments.obstacle_and_drop import (
    FULL,
    SIMULATED,
    board,
    compare_contact_models,
    reproduce_board,
    reproduce_drop,
    step_down,
    without,
)
from robot.soles import on_soles as on_soles_of
from robot.walk import SoleChoice, material_of, pad_of
from sole.base.errors import SoleError
from sole.claims import Effort
from sole.condense import condense

WALK = EdgeWalk(
    fell=False, tilt=2.0, roll=1.0, pitch=2.0, mean_tilt=1.0, halved=0.5, com_torque_x=8.0,
    com_torque_y=16.0, alone=0.1, event=4.0, pressed=float("nan"), landing=1.5, speed=0.4,
    strain=0.1, again=1, gave_up=0, bits="0",
)  # fmt: skip


def keep(store, case, **numbers):
    """Store a walk of its own bits with these numbers."""
    store_walk(store, case, replace(WALK, bits=digest_of(case), **numbers))


def rows_of(table, store):
    return {row[0]: row[1:] for row in lola_survival.TABLES[table][1](stored_walks(store))}


def test_tables_ask_for_walks_that_are_made():
    everything = {digest_of(case) for case in in_order()}
    for _, cases, _ in lola_survival.grounds():
        assert {digest_of(case) for case in cases} <= everything
    for _, before, after in lola_survival.pairs():
        assert {digest_of(case) for case in (*before, *after)} <= everything
        assert len({digest_of(case) for case in (*before, *after)}) == 2 * FULL
    for E in YOUNGS:
        assert {digest_of(c) for h in HEIGHTS for c in on_soles(h, E, "stabiliser")} <= everything
    asked = set()
    for rows in (lola_survival.ways, lola_survival.rises, lola_survival.strides):
        assert all(cell for row in rows(Everything(asked)) for cell in row)
    assert asked <= everything
    assert len(partial(-0.04)) == FEW and len(partial(0.04)) == 2 * FEW
    assert len({case.noise for case in way(0.02, "noisy")}) == FEW


class Everything(dict):
    """Knows a walk for every key, and which keys it was asked for."""

    def __init__(self, asked):
        self.asked = asked

    def __contains__(self, key):
        return True

    def __getitem__(self, key):
        self.asked.add(key)
        return replace(WALK, bits=key)


@pytest.mark.parametrize(
    ("experiment", "count"),
    [
        pytest.param(reproduce_board, 2 * FULL, marks=pytest.mark.nightly),
        pytest.param(reproduce_drop, 2 * FULL, marks=pytest.mark.nightly),
        (step_down, 2 * FULL),
        (compare_contact_models, 4 * FULL),
    ],
)
def test_full_claims_find_all_their_walks_in_the_store(experiment, count, tmp_path, monkeypatch):
    for case in {digest_of(case): case for case in in_order()}.values():
        store_walk(tmp_path / STORE, case, WALK)
    asked = []
    monkeypatch.setattr(edge_store, "walk_over", asked.append)
    monkeypatch.setattr(edge_store, "measured", lambda case: WALK)
    told = []
    experiment(Effort(quick=False, folder=tmp_path, tell=told.append))
    assert not asked and len(told) == count and told[-1] == 1.0


def test_every_law_of_the_ensembles_is_stable_on_its_soles():
    """None is refused after an hour: the sampled vertical loop has a positive damping."""
    robot, stiffest = load_robot("lola-like"), {}
    for case in in_order():
        if case.kind == "force":
            stiffest[case.force] = max(case.young, stiffest.get(case.force, 0.0))
    assert len(stiffest) == 11
    for young in set(stiffest.values()):
        pad = SoleChoice(young=young, poisson=0.45, size=0.04, element="p1")
        on = on_soles_of(robot, condense(pad_of(pad, robot), material_of(pad), element="p1"))
        for law in (law for law, at in stiffest.items() if at == young):
            assert settled(law, on, 1e-3).kappa > 0


def test_tables_say_of_how_many_walks_they_know(tmp_path, capsys):
    store = tmp_path / "walks.jsonl"
    before, after = board(without(SIMULATED)), board(SIMULATED)
    for k in range(4):
        keep(store, before[k], fell=k == 3)
        keep(store, after[k], tilt=1.0, com_torque_y=20.0)
        keep(store, clean(0.09)[k], tilt=1.0, speed=0.5)
    kept = stored_walks(store)[digest_of(after[0])]
    assert kept.tilt == 1.0 and kept.pressed != kept.pressed  # no number is none
    rows = rows_of("survival", store)
    assert f"rise of 9 cm: 4 of {FULL} walks\n" in capsys.readouterr().err
    assert rows["rise of 9 cm"][:2] == ["4 of 4", "90 %"]
    assert rows["rise of 9 cm"][-2:] == ["50 (50)", "0.10 (0.10)"]
    assert rows["drop of 1 cm"] == ["", "95 %", *[""] * 5]
    told = rows_of("experiments", store)["figure 6: board of 9 cm, g_a 0 and 1"]
    assert told[:4] == [f"4 of {FULL}", "3, 4", "3", "-50"]  # three values fill no interval
    assert told[-2:] == ["+25", "+0"]
    for case, roll, pitch, landing in zip(
        clean(-0.02), (1.0, 2.0, 3.0), (3.0, 5.0, 4.0), (2.0, 6.0, 3.0), strict=False
    ):
        keep(store, case, roll=roll, pitch=pitch, landing=landing)
    keep(store, clean(-0.02)[9], fell=True, roll=40.0, pitch=40.0)
    for k, case in enumerate((*partial(-0.04), *partial(0.09)[:3])):
        keep(store, case, fell=k > 6)
    rows = rows_of("survival", store)
    assert rows["drop of 4 cm, partial footholds"][:2] == ["6 of 6", ""]
    assert rows["all partial footholds"][:2] == ["7 of 9", "80 %"]
    assert rows["drop of 2 cm"][:-1] == [
        "3 of 4", "95 %", "2.00 (3.00)", "4.00 (5.00)", "3.00 (6.00)",
        "40 (40)",
    ]  # fmt: skip


def test_copies_are_counted_once(tmp_path):
    store = tmp_path / "walks.jsonl"
    for k, case in enumerate(clean(-0.01)[:6]):
        store_walk(store, case, replace(WALK, bits=str(k % 4)))
    assert rows_of("survival", store)["drop of 1 cm"][0] == "4 of 4"


def test_the_map_counts_and_is_drawn(tmp_path):
    store, out = tmp_path / "walks.jsonl", tmp_path / "map.png"
    for case, fell in zip(on_soles(-0.055, 1e6, "force")[:2], (True, False), strict=True):
        keep(store, case, fell=fell)
    known = stored_walks(store)
    assert lola_survival.counted(known, "force")[1e6, -0.055] == (1, 2)
    assert lola_survival.counted(known, "stabiliser")[1e6, -0.055] == (0, 0)
    [row] = [r for r in lola_survival.soles(known) if r[:2] == ["1 MPa", "force"]]
    assert row[2:] == ["1 of 2", *[""] * 3, "1 of 2", "2.0 (2.0)", "1.5 (1.5)", "0.10 (0.10)"]
    assert lola_survival.main(["soles", "--store", str(store), "-o", str(out)]) == 0
    assert out.stat().st_size > 10_000
    with pytest.raises(SystemExit):
        lola_survival.main(["sole"])


def test_limits_are_told_by_length_and_place(tmp_path):
    store = tmp_path / "walks.jsonl"
    for k, case in enumerate(anywhere(STRIDES[0])):
        keep(store, case, fell=k < 4)
    rows = rows_of("strides", store)
    assert rows[f"{STRIDES[0]:g}"] == ["", "6 of 10"]
    assert rows_of("places", store)["1.75"] == [""]


def test_what_is_missing_is_walked_and_kept(tmp_path, monkeypatch):
    store, done = tmp_path / "walks.jsonl", []

    def walk(case):
        done.append(case)
        return case

    cases = clean(-0.01)[:3]
    monkeypatch.setattr(lola_walks_done, "walk_over", walk)
    monkeypatch.setattr(lola_walks_done, "measured", lambda case: WALK)
    monkeypatch.setattr(lola_walks_done, "in_order", lambda: iter(cases))
    store_walk(store, cases[1], WALK)
    assert lola_walks_done.main(["--store", str(store)]) == 0
    assert done == [cases[0], cases[2]]
    assert lola_walks_done.main(["--store", str(store)]) == 0 and len(done) == 2


def test_full_claims_of_the_page_begin_with_the_stored_walks(monkeypatch, capsys):
    asked = []

    def reproduce(claims, *, quick, folder):
        asked.append((quick, (folder / STORE).read_bytes(), {claim.paper.key for claim in claims}))
        return []

    monkeypatch.setattr(paper_claims, "reproduce_claims", reproduce)
    assert paper_claims.main(["sygulla", "--full"]) == 0
    stored = next(store for store in paper_claims.STORES if store.name == STORE)
    assert asked == [(False, stored.read_bytes(), {"sygulla"})]
    assert capsys.readouterr().out.strip().startswith("| claim | place |")


@pytest.mark.nightly
def test_a_robot_of_the_table_meets_the_rise_and_walks_on(monkeypatch):
    monkeypatch.setattr(online_robots, "LAWS", ("force",))
    [[name, law, how, contact, tilt]] = online_robots.rows(["rengifo14"], ["true"])
    assert [name, law, how, contact] == ["rengifo14", "force", "walks", "early"]
    assert 0 < float(tilt) < 3.0


def test_a_walk_that_cannot_be_made_does_not_stop_the_others(tmp_path, monkeypatch, capsys):
    store, cases = tmp_path / "walks.jsonl", clean(-0.01)[:3]

    def walk(case):
        if case is cases[1]:
            raise SoleError("the loop is unstable")

    monkeypatch.setattr(lola_walks_done, "walk_over", walk)
    monkeypatch.setattr(lola_walks_done, "measured", lambda case: WALK)
    monkeypatch.setattr(lola_walks_done, "in_order", lambda: iter(cases))
    assert lola_walks_done.main(["--store", str(store)]) == 2
    assert set(stored_walks(store)) == {digest_of(cases[0]), digest_of(cases[2])}
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "2 of 3" and "the loop is unstable" in err
