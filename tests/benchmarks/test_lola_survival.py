"""Ensembles of LOLA's walks and the tables of stored ones; nothing is walked here."""

from __future__ import annotations

from dataclasses import replace

import pytest
from page_tables import (
    lola_survival,
    lola_walks_done,
    online_robots,
    paper_claims,
    unknown_ground,
)
from page_tables.lola_ensembles import (
    HEIGHTS,
    WITHOUT,
    YOUNGS,
    boxes,
    clean,
    fixed,
    in_order,
    on_soles,
    partial,
)

from robot.control.force_control import settled
from robot.model import load_robot
from robot.papers.experiments import edge_store
from robot.papers.experiments.edge_store import STORE, digest_of, store_walk, stored_walks
from robot.papers.experiments.lola_walks import EdgeWalk
from robot.papers.experiments.obstacle_and_drop import (
    compare_contact_models,
    reproduce_board,
    reproduce_drop,
    walk_without_phase_logic,
)
from robot.soles import on_soles as on_soles_of
from robot.walk import SoleChoice, material_of, pad_of
from sole.base.errors import SoleError
from sole.claims import Effort
from sole.condense import condense

WALK = EdgeWalk(
    fell=False, tilt=2.0, roll=1.0, pitch=2.0, mean_tilt=1.0, torque_x=8.0, torque_y=16.0,
    event=4.0, moved=float("nan"), landing=1.5, speed=0.4, again=1, gave_up=0,
)  # fmt: skip


def rows_of(table, store):
    return {row[0]: row[1:] for row in lola_survival.TABLES[table][1](stored_walks(store))}


def test_ensembles_have_five_edges_three_rhythms_and_two_materials():
    for cases in (clean(-0.055), clean(0.09, WITHOUT), boxes(0.04), fixed(0.5)):
        assert len({digest_of(case) for case in cases}) == 30
        for name, count in (("edge", 5), ("rhythm", 3), ("young", 2)):
            assert len({getattr(case, name) for case in cases}) == count
            assert len({getattr(case, name) for case in cases[:5]}) == count
    assert len(partial(-0.04)) == 6 and len(partial(0.04)) == 12
    everything = {digest_of(case) for case in in_order()}
    for _, cases, _ in lola_survival.grounds():
        assert {digest_of(case) for case in cases} <= everything
    for _, before, after in lola_survival.pairs():
        assert {digest_of(case) for case in (*before, *after)} <= everything
    for E in YOUNGS:
        assert {digest_of(c) for h in HEIGHTS for c in on_soles(h, E, "stabiliser")} <= everything


@pytest.mark.parametrize(
    ("experiment", "count"),
    [
        (reproduce_board, 60),
        (reproduce_drop, 60),
        (walk_without_phase_logic, 60),
        (compare_contact_models, 72),
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
    assert len(stiffest) == 5
    for young in set(stiffest.values()):
        pad = SoleChoice(young=young, poisson=0.45, size=0.04, element="p1")
        on = on_soles_of(robot, condense(pad_of(pad, robot), material_of(pad), element="p1"))
        for law in (law for law, at in stiffest.items() if at == young):
            assert settled(law, on, 1e-3).kappa > 0


def test_tables_say_of_how_many_walks_they_know(tmp_path):
    store = tmp_path / "walks.jsonl"
    before, after = clean(0.09, WITHOUT), clean(0.09)
    for k in range(4):
        store_walk(store, before[k], replace(WALK, fell=k == 3))
        store_walk(store, after[k], replace(WALK, tilt=1.0, torque_y=20.0, speed=0.5))
    kept = stored_walks(store)[digest_of(after[0])]
    assert kept.tilt == 1.0 and kept.moved != kept.moved  # no number is none
    rows = rows_of("survival", store)
    assert rows["rise of 9 cm"][:2] == ["4 of 30", "100 %"]
    assert rows["rise of 9 cm"][-1] == "50 (50)"
    assert rows["rise of 9 cm"][2] == "90 %, met"
    assert rows["drop of 1 cm"] == ["0 of 30", "", "95 %", *[""] * 4]
    told = rows_of("experiments", store)["figure 6: board of 9 cm, g_a 0 and 0.5"]
    assert told[:3] == ["4 of 30", "3, 4", "-50 (-50 to -50)"]
    assert told[-1] == "+25 (+25 to +25)"
    store_walk(store, clean(-0.02)[0], replace(WALK, roll=1.0, pitch=3.0, landing=2.0))
    store_walk(store, clean(-0.02)[7], replace(WALK, roll=2.0, pitch=5.0, landing=6.0))
    store_walk(store, clean(-0.02)[8], replace(WALK, roll=3.0, pitch=4.0, landing=3.0))
    store_walk(store, clean(-0.02)[9], replace(WALK, fell=True, roll=40.0, pitch=40.0))
    for k, case in enumerate((*partial(-0.04), *partial(0.09)[:3])):
        store_walk(store, case, replace(WALK, fell=k > 6))
    rows = rows_of("survival", store)
    assert rows["drop of 4 cm, partial footholds"][:3] == ["6 of 6", "100 %", ""]
    assert rows["all partial footholds"][:3] == ["9 of 72", "78 %", "80 %, missed"]
    assert rows["drop of 2 cm"] == [
        "4 of 30", "75 %", "95 %, missed", "2.00 (3.00)", "4.00 (5.00)", "3.00 (6.00)", "40 (40)",
    ]  # fmt: skip


def test_the_map_counts_and_is_drawn(tmp_path):
    store, out = tmp_path / "walks.jsonl", tmp_path / "map.png"
    for case, fell in zip(on_soles(-0.04, 1e6, "force"), (True, False), strict=True):
        store_walk(store, case, replace(WALK, fell=fell))
    known = stored_walks(store)
    assert lola_survival.counted(known, "force")[1e6, -0.04] == (1, 2)
    assert lola_survival.counted(known, "stabiliser")[1e6, -0.04] == (0, 0)
    [row] = [r for r in lola_survival.soles(known) if r[:2] == ["1 MPa", "force"]]
    assert row[2:] == ["", "1 of 2", *[""] * 4, "1 of 2", "2.0 (2.0)", "1.5 (1.5)"]
    assert lola_survival.main(["soles", "--store", str(store), "-o", str(out)]) == 0
    assert out.stat().st_size > 10_000
    with pytest.raises(SystemExit):
        lola_survival.main(["sole"])


def test_what_is_missing_is_walked_and_kept(tmp_path, monkeypatch):
    store, done = tmp_path / "walks.jsonl", []

    def walk(case):
        done.append(case)
        return case

    cases = clean(-0.01)[:3]
    for module in (lola_walks_done, unknown_ground):
        monkeypatch.setattr(module, "walk_over", walk)
        monkeypatch.setattr(module, "measured", lambda case: WALK)
    monkeypatch.setattr(lola_walks_done, "in_order", lambda: iter(cases))
    store_walk(store, cases[1], WALK)
    assert lola_walks_done.main(["--store", str(store)]) == 0
    assert done == [cases[0], cases[2]]
    assert lola_walks_done.main(["--store", str(store)]) == 0 and len(done) == 2
    monkeypatch.setattr(unknown_ground, "STORE", store)
    first = list(unknown_ground.rows("force"))
    assert len(first) == 8 and first[3][2] == "3 of 3" and first[4][5] == "2 of 2"
    count = len(done)
    assert list(unknown_ground.rows("force")) == first and len(done) == count
    list(unknown_ground.rows("force", again=True))
    assert len(done) == count + 32


def test_full_claims_of_the_page_begin_with_the_stored_walks(monkeypatch, capsys):
    asked = []

    def reproduce(claims, *, quick, folder):
        asked.append((quick, (folder / STORE).read_bytes(), {claim.paper.key for claim in claims}))
        return []

    monkeypatch.setattr(paper_claims, "reproduce_claims", reproduce)
    assert paper_claims.main(["sygulla", "--full"]) == 0
    assert asked == [(False, paper_claims.STORE.read_bytes(), {"sygulla"})]
    assert capsys.readouterr().out.strip().startswith("| claim | place |")


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
