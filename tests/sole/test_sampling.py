from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from box_mesh import box_mesh
from hypothesis import given
from hypothesis import strategies as st

from sole.base.errors import ConfigError
from sole.studies import Axis, AxisQuantity, Column, LayerMaterial, Sampling, Study, run_study
from sole.studies.study_plan import Plan

YOUNG = Axis(quantity="young", range=(1e5, 1e7))
POISSON = Axis(quantity="poisson", range=(0.1, 0.45))
RUBBER = LayerMaterial(young_modulus=1e6, poisson_ratio=0.3)


class Walks:
    """Rows that know a seed, a controller and a switch, and echo them."""

    quantities: ClassVar = {
        "seed": AxisQuantity("", "seed", kind="whole"),
        "gait.leg": AxisQuantity("", "leg", kind="text", known=("left", "right")),
        "sole.rigid": AxisQuantity("", "rigid", kind="flag"),
    }
    columns: ClassVar = {"tilt": Column("rad", "tilt")}
    needs_sole = False
    fingerprint = None


def sampled(scheme, number, *axes, seed=1):
    return Study(axis=axes, sampling=Sampling(scheme=scheme, number=number, seed=seed))


def table(study):
    return [tuple(study.named(k).values()) for k in range(study.size)]


@pytest.mark.parametrize("scheme", ["lhs", "sobol", "saltelli"])
def test_samples_fill_their_ranges_and_are_the_same_again(scheme):
    study = sampled(scheme, 16, YOUNG, POISSON)
    rows = np.array(table(study))
    assert len(rows) == (16 if scheme != "saltelli" else 16 * 4)
    assert study.shape == ()
    assert ((rows >= [1e5, 0.1]) & (rows <= [1e7, 0.45])).all()
    np.testing.assert_array_equal(rows, table(sampled(scheme, 16, YOUNG, POISSON)))
    assert (rows != np.array(table(sampled(scheme, 16, YOUNG, POISSON, seed=2)))).any()


@pytest.mark.parametrize("scheme", ["lhs", "sobol"])
def test_every_sixteenth_of_a_range_has_one_sample(scheme):
    rows = np.array(table(sampled(scheme, 16, YOUNG, POISSON)))
    decades = np.log10(rows[:, 0] / 1e5) / 2  # E is spread by its logarithm
    strata = np.floor(16 * np.column_stack([decades, (rows[:, 1] - 0.1) / 0.35])).astype(int)
    for column in strata.T:
        assert sorted(column) == list(range(16))


def test_saltelli_blocks_exchange_one_column_at_a_time():
    rows = np.array(table(sampled("saltelli", 4, YOUNG, POISSON))).reshape(4, 4, 2)
    A, AB0, AB1, B = rows.transpose(1, 0, 2)
    np.testing.assert_array_equal(AB0, np.column_stack([B[:, 0], A[:, 1]]))
    np.testing.assert_array_equal(AB1, np.column_stack([A[:, 0], B[:, 1]]))
    assert (A != B).all()


def test_a_list_runs_its_axes_together():
    study = Study(
        axis=(
            Axis(quantity="young", values=(3e6, 1e6, 3e6)),
            Axis(quantity="poisson", values=(0.3, 0.4, 0.3)),
        ),
        sampling=Sampling(scheme="list"),
    )
    assert table(study) == [(3e6, 0.3), (1e6, 0.4), (3e6, 0.3)]
    plan = Plan(study, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)))
    assert len({plan.row_key(case) for case in plan}) == 3  # equal lines are rows of their own


def test_samples_are_worked_out_at_every_member_of_an_ensemble():
    seeds = Axis(quantity="seed", values=(1, 2, 3), ensemble=True)
    study = sampled("lhs", 4, YOUNG, seeds)
    rows = table(study)
    assert study.size == 12 and study.ensemble == ("seed",)
    assert [s for _, s in rows] == [1.0, 2.0, 3.0] * 4
    designs = [E for E, _ in rows[::3]]
    assert len(set(designs)) == 4 and [E for E, _ in rows] == list(np.repeat(designs, 3))
    np.testing.assert_array_equal(designs, [E for (E,) in table(sampled("lhs", 4, YOUNG))])


def test_words_and_switches_are_values_and_settings():
    leg = Axis(quantity="gait.leg", values=("right", "left"))
    rigid = Axis(quantity="sole.rigid", values=(False, True), name="stiff")
    study = Study(axis=(Axis(quantity="young", values=(1e6,)), leg, rigid))
    assert study.named(1) == {"young": 1e6, "leg": "right", "stiff": True}
    assert study.settings(2) == {"young": 1e6, "gait.leg": "left", "sole.rigid": False}
    picked = {leg for (leg,) in table(sampled("lhs", 8, leg))}
    assert picked == {"left", "right"}


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.integers(1, 3),
    st.sampled_from(["grid", "lhs"]),
)
def test_every_place_has_its_own_settings(sizes, repeats, scheme):
    keys = ("young", "poisson", "thickness")
    values = [tuple(0.01 * (k + 1) for k in range(n)) for n in sizes]
    axes = [Axis(quantity=q, values=v) for q, v in zip(keys, values, strict=False)]
    seeds = Axis(quantity="seed", values=tuple(range(repeats)), ensemble=True)
    number = {"sampling": Sampling(scheme=scheme, number=None if scheme == "grid" else 5)}
    study = Study(axis=(*axes, seeds), **number)
    rows = table(study)
    assert len(rows) == study.size == repeats * (np.prod(sizes) if scheme == "grid" else 5)
    if scheme == "grid":
        assert len(set(rows)) == len(rows)
        assert rows == sorted(rows)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sampling(scheme="sobol", number=48), "power of two, got 48: take 32 or 64"),
        (lambda: Sampling(scheme="lhs"), "number >= 2, got None"),
        (lambda: Sampling(number=5), "grid has no number of samples"),
        (lambda: Sampling(scheme="random"), "unknown scheme 'random'; known are grid, list"),
        (lambda: Sampling(scheme="lhs", number=4, seed=-1), "must not be negative, got -1"),
        (lambda: Study(axis=(YOUNG,)), "axis young: a range needs 2 or more"),
        (
            lambda: sampled("lhs", 4, Axis(quantity="young", range=(1e5, 1e6), number=3)),
            "a sampled axis has no number",
        ),
        (
            lambda: Study(
                axis=(
                    Axis(quantity="young", values=(1e6, 2e6)),
                    Axis(quantity="poisson", values=(0.3,)),
                ),
                sampling=Sampling(scheme="list"),
            ),
            "equally many values, got young 2, poisson 1",
        ),
        (lambda: Study(axis=(Axis(quantity="young", values=(2e6, 1e6)),)), "must increase"),
        (lambda: Axis(quantity="shape", values=("a.toml", 1.0)), "all numbers, or texts"),
        (lambda: Axis(quantity="gait.leg", values=("a",), name="the leg"), "letters, digits"),
        (
            lambda: Study(axis=(Axis(quantity="shape", values=("a.toml",)),), mesh="b.toml"),
            "leave mesh out",
        ),
        (
            lambda: Study(axis=(Axis(quantity="shape", values=("a.toml", "a.toml")),)),
            "a value is given twice",
        ),
    ],
)
def test_what_does_not_fit_together_is_named(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        (Axis(quantity="seed", values=(1.5,)), "seed is a whole number, got 1.5"),
        (Axis(quantity="gait.leg", values=("both",)), "one of left, right, got both"),
        (Axis(quantity="gait.leg", values=(1.0,)), "leg is a text in quotes, got 1"),
        (Axis(quantity="sole.rigid", values=(1.0,)), "rigid is true or false, got 1"),
        (Axis(quantity="seed", values=(True,)), "seed is a number, got True"),
        (
            Axis(quantity="gait.log", values=("left",)),
            "no quantity 'gait.log'; did you mean gait.leg",
        ),
    ],
)
def test_values_are_what_the_rows_understand(axis, message):
    study = Study(axis=(axis,), layers={"layer0": RUBBER})
    with pytest.raises(ConfigError, match=message):
        Plan(study, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)), {"walk": Walks()})


@pytest.mark.parametrize("name", ["case", "reason", "tilt"])
def test_an_axis_is_not_named_like_a_column(name):
    study = Study(axis=(Axis(quantity="seed", values=(1,), name=name),))
    with pytest.raises(ConfigError, match=f"axis {name}: the table has a column of this name"):
        Plan(study, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)), {"walk": Walks()})


def test_whole_numbers_are_picked_from_values():
    study = sampled("lhs", 4, Axis(quantity="seed", range=(1.0, 9.0)))
    with pytest.raises(ConfigError, match="seed is a whole number: give values instead"):
        Plan(study, box_mesh(0.2, 0.1, 0.02, (2, 2, 1)), {"walk": Walks()})


def test_what_decides_rows_decides_the_digest():
    mesh = box_mesh(0.2, 0.1, 0.02, (2, 2, 2), layers=(1.0, 1.0))
    lower, upper = mesh.layers
    layers = {lower: RUBBER, upper: RUBBER}
    soft = Axis(quantity="young", layer=lower, values=(1e5, 1e6))

    def digest(axis=soft, mesh=mesh, sampling=None, **more):
        more = more if sampling is None else {"sampling": sampling}
        return Plan(Study(axis=(axis,), layers=layers, **more), mesh).digest

    renamed = Axis(quantity="young", layer=lower, values=(1e5, 1e6), name="E")
    assert digest(renamed) == digest()
    swapped = replace(mesh, layers=(upper, lower))
    assert digest(mesh=swapped) != digest()
    assert digest(element="p2") != digest(element="ccr") == digest()
    drawn = [digest(YOUNG, sampling=Sampling(scheme="lhs", number=8, seed=s)) for s in (1, 2)]
    assert len(set(drawn)) == 2


def test_a_layer_of_any_name_has_an_axis():
    axis = Axis(quantity="young", layer="mid-sole", values=(1e6,))
    assert (axis.name, axis.key) == ("young_mid_sole", "young_mid-sole")


def test_as_many_samples_as_said_are_refused_before_they_are_drawn():
    with pytest.raises(ConfigError, match="more than 50000000 cases"):
        sampled("saltelli", 1 << 24, YOUNG, POISSON)


def test_one_layer_grows_and_the_others_stay(tmp_path):
    mesh = box_mesh(0.2, 0.1, 0.02, (2, 2, 2), layers=(1.0, 1.0))
    lower, upper = mesh.layers
    thick = mesh.with_layer_thicknesses({lower: 0.03})
    assert thick.layer_thicknesses == pytest.approx({lower: 0.03, upper: 0.01})
    assert thick.thickness == pytest.approx(0.04)
    np.testing.assert_allclose(thick.points[np.unique(thick.bond), 2], 0, atol=1e-15)
    study = Study(
        axis=(Axis(quantity="thickness", layer=lower, values=(0.01, 0.02)),),
        element="p1",
        layers={lower: RUBBER, upper: RUBBER},
    )
    run_study(study, mesh, tmp_path / "t.nc")
    run_study(
        Study(axis=(Axis(quantity="thickness", values=(0.02, 0.03)),), element="p1",
              layers={lower: RUBBER, upper: RUBBER}),
        mesh, tmp_path / "whole.nc",
    )  # fmt: skip
    from sole.studies import read_table

    k = read_table(tmp_path / "t.nc")["k_z_z"].values
    whole = read_table(tmp_path / "whole.nc")["k_z_z"].values
    assert k[0] == whole[0]  # as meshed
    assert k[1] == pytest.approx(whole[1], rel=0.05)  # equal materials, vertices elsewhere


def test_layers_that_are_no_slabs_are_refused():
    from sole.base.errors import MeshError

    mesh = box_mesh(0.2, 0.1, 0.02, (2, 2, 2), layers=(1.0, 1.0))
    points = mesh.points.copy()
    middle = np.flatnonzero(np.isclose(points[:, 2], -0.01))[0]
    points[middle, 2] += 0.002
    with pytest.raises(MeshError, match="not flat slabs"):
        replace(mesh, points=points).with_layer_thicknesses({mesh.layers[0]: 0.02})
    with pytest.raises(MeshError, match="no layer 'sock'"):
        mesh.with_layer_thicknesses({"sock": 0.02})
    with pytest.raises(MeshError, match="must be positive, got 0"):
        mesh.with_layer_thicknesses({mesh.layers[0]: 0.0})
