"""Pulls and changes of a running walk: their law, their limits, and that a file repeats them."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.gait import Standing
from robot.online import PlanChoice, WalkCommand
from robot.walk import (
    PullPlan,
    Scenario,
    SceneChange,
    SoleChoice,
    as_read,
    assemble_walk,
    load_scenario,
    pad_of,
    save_scenario,
)
from robot.walk.sole_family import SoleFamily
from sole.base.errors import ConfigError
from sole.base.toml_text import toml_text
from sole.condense import condense
from sole.material import Material

STAND = Scenario(
    robot="rengifo14",
    sole=SoleChoice(size=0.06, element="p1"),
    gait=Standing(initial=0.2, final=0.4),
    settle=0.2,
)


@given(
    place=st.tuples(*3 * [st.floats(-2, 2)]),
    velocity=st.tuples(*3 * [st.floats(-5, 5)]),
    k=st.floats(1, 5000),
    b=st.floats(0, 500),
)
def test_a_pull_is_a_spring_and_a_damper_within_its_limit(place, velocity, k, b):
    pull = PullPlan(path=((0.0, 0.1, 0.2, 0.3),), stiffness=k, damping=b, limit=40.0)
    x, v = np.array(place), np.array(velocity)
    f = pull.force(0.5, x, v)
    whole = k * (np.array([0.1, 0.2, 0.3]) - x) - b * v
    assert np.linalg.norm(f) <= 40.0 * (1 + 1e-15)
    np.testing.assert_allclose(np.cross(f, whole), 0.0, atol=1e-9 * (1 + abs(whole).max()))
    if np.linalg.norm(whole) <= 40.0:
        np.testing.assert_array_equal(f, whole)


def test_a_target_stays_or_moves_evenly_and_lets_go():
    path = ((1.0, 0.0, 0.0, 0.0), (2.0, 1.0, 0.0, 0.0))
    held, even = PullPlan(path=path, end=3.0), PullPlan(path=path, end=3.0, smooth=True)
    times = [1.0, 1.5, 2.0, 2.5]
    assert [held.target(t)[0] for t in times] == [0.0, 0.0, 1.0, 1.0]
    assert [even.target(t)[0] for t in times] == [0.0, 0.5, 1.0, 1.0]
    acting = [held.acts(t) for t in (0.999, 1.0, 2.999, 3.0, 3.5)]
    assert acting == [False, True, True, False, False]


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: PullPlan(path=()), "path is empty"),
        (lambda: PullPlan(path=((0.0, np.nan, 0.0, 0.0),)), "finite"),
        (lambda: PullPlan(path=((1.0, 0, 0, 0), (0.5, 0, 0, 0))), "in order"),
        (lambda: PullPlan(path=((1.0, 0, 0, 0),), stiffness=6000.0), "at most 5000"),
        (lambda: PullPlan(path=((1.0, 0, 0, 0),), end=1.0), "after its start"),
        (lambda: SceneChange(time=-1.0), "not be negative"),
        (lambda: SceneChange(time=0.0, poisson=0.5), "poisson"),
        (lambda: SceneChange(time=0.0, controller="none"), "controller"),
        (lambda: SceneChange(time=0.0, plate=(0.0, 0.0, 0.5, 0.0)), "height"),
        (lambda: WalkCommand(time=0.0, lower=0.1), "needs stop"),
        (
            lambda: Scenario(change=(SceneChange(time=0.1), SceneChange(time=0.0))),
            "in the order",
        ),
        (
            lambda: Scenario(
                sole=SoleChoice(file="pad.npz"), change=(SceneChange(time=0.0, young=1e6),)
            ),
            "come from pad.npz",
        ),
    ],
)
def test_what_is_refused(make, said):
    with pytest.raises(ConfigError, match=said):
        make()


PLAIN = st.recursive(
    st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False)
    | st.text(max_size=8).filter(lambda s: not any(0xD800 <= ord(c) < 0xE000 for c in s)),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["a", "b_deg", "c-d", "E"])


@settings(max_examples=15)
@given(
    st.dictionaries(
        NAMES,
        PLAIN
        | st.dictionaries(NAMES, PLAIN | st.dictionaries(NAMES, PLAIN, max_size=2), max_size=3)
        | st.lists(st.dictionaries(NAMES, PLAIN, max_size=3), min_size=1, max_size=3),
        max_size=4,
    )
)
def test_plain_data_as_toml_reads_back_to_the_same_values(data):
    import tomllib

    mixed = [v for v in data.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
    assert all(isinstance(row, dict) for rows in mixed for row in rows)
    assert tomllib.loads(toml_text(data)) == data


def test_a_scenario_reads_back_equal(tmp_path):
    first = replace(
        STAND,
        plan=PlanChoice(kind="online", command=(WalkCommand(time=0.1, turn=0.1234567),)),
        duration=1.0,
        pull=(PullPlan(path=((0.1, 0.1 / 3, 0.0, 1e-17),), end=0.2),),
        change=(SceneChange(time=0.1, friction=0.3),),
    )
    read = as_read(first)
    save_scenario(tmp_path / "s.toml", read)
    assert load_scenario(tmp_path / "s.toml") == read
    assert read.plan.command[0].turn == pytest.approx(0.1234567, rel=1e-15)


def test_soles_of_other_materials_are_those_that_are_condensed():
    mesh = pad_of(SoleChoice(size=0.06), assemble_walk(STAND).feet.robot)
    family = SoleFamily(condense(mesh, Material(young_modulus=3e6, poisson_ratio=0.4)))
    for young, nu, error in ((7e5, 0.4, 1e-13), (2e6, 0.23, 1e-3), (2e6, 0.44, 1e-3)):
        exact = condense(mesh, Material(young_modulus=young, poisson_ratio=nu)).compliance
        C = family.at(young, nu).compliance
        assert np.linalg.norm(C - exact) <= error * np.linalg.norm(exact)
    with pytest.raises(ConfigError, match="poisson must be"):
        family.at(1e6, 0.48)


def _last(scenario):
    *_, (step, _) = assemble_walk(scenario).steps()
    return step


def test_after_a_change_the_robot_stands_as_on_such_soles():
    after = _last(replace(STAND, change=(SceneChange(time=0.0, young=1e6, friction=0.4),)))
    soft = _last(replace(STAND, sole=replace(STAND.sole, young=1e6, friction=0.4)))
    # the deflection but for what servos still creep; sideways the nodes stuck on other ways
    U, V = (step.state.soles.displacement[:, 2] for step in (after, soft))
    assert np.abs(U - V).max() < 2e-2 * np.abs(V).max()
    stiff = _last(STAND).state.soles.displacement[:, 2]
    assert np.abs(U).max() > 2.5 * np.abs(stiff).max()  # three times as soft


def test_a_plate_carries_who_steps_on_it_and_not_who_stands_there():
    walk = assemble_walk(STAND)
    change = SceneChange(time=0.0, plate=(0.0, 0.0, 0.5, 0.01))
    with pytest.raises(ConfigError, match="would be inside left"):
        walk.changed_parts((change,), walk.start)
    free = replace(change, plate=(0.6, 0.0, 0.5, 0.01))
    (_, simulator, _), _ = walk.changed_parts((free,), walk.start)
    heights = simulator.ground.height(np.array([0.6, 0.0]), np.array([0.0, 0.0]))
    np.testing.assert_allclose(heights, [0.01, 0.0], atol=1e-12)


def test_a_pulled_robot_gets_the_force_and_its_work():
    path = ((0.1, 0.05, 0.0, 0.9),)
    pulled = replace(STAND, pull=(PullPlan(path=path, limit=20.0, end=0.2),))
    walk = assemble_walk(pulled)
    pushes = [walk._pushes(replace(walk.start, time=t), 1e-3) for t in (0.05, 0.15, 0.25)]
    assert [len(p) for p in pushes] == [0, 1, 0]
    f, x = pushes[1][0].wrench[:3], walk.start.q[:3]
    assert np.linalg.norm(f) == pytest.approx(20.0)
    first, moved = list(walk.steps()), list(assemble_walk(STAND).steps())
    assert any(step.work.pushes > 0 for step, _ in first)
    assert first[98][0].state.q.tobytes() == moved[98][0].state.q.tobytes()
    assert first[150][0].state.q[0] > moved[150][0].state.q[0] and x[0] < 0.05


def test_a_pull_on_an_unknown_link_says_which_there_are():
    walk = assemble_walk(replace(STAND, pull=(PullPlan(path=((0.001, 0, 0, 0),), link="wing"),)))
    with pytest.raises(ConfigError, match="no link 'wing'; known are waist"):
        list(islice(walk.steps(), 3))
