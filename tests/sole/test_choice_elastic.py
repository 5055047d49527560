"""Which E and nu a row stands for: soles, layers, names of axes, tables of earlier days."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sole.studies.choice import Cases, as_json, choose, describe_choice, nearest_materials
from sole.studies.choice.elastic import Tread, elastic_constants, read_quantity, read_treads
from sole.studies.choice.recommendation_text import recommendation
from sole.studies.choice.series import Series

SOFT = {"young_modulus": 3e5, "poisson_ratio": 0.3}
HARD = {"young_modulus": 3e7, "poisson_ratio": 0.4}


def axis(quantity, *values, layer=""):
    return Series(np.array(values), quantity=quantity, layer=layer)


def test_every_row_has_the_constants_of_its_own_sole():
    shape = Series(np.array([0.0, 1.0, 0.0]), labels=("soft.msh", "hard.msh"), quantity="shape")
    treads = {"soft.msh": Tread("sole", SOFT), "hard.msh": Tread("tread", HARD)}
    found = elastic_constants({"friction": axis("friction", 1, 2, 3), "shape": shape}, treads)
    assert found.young.tolist() == [3e5, 3e7, 3e5]
    assert found.poisson.tolist() == [0.3, 0.4, 0.3]


def test_the_name_of_an_axis_is_free():
    axes = {"E": axis("young", 1e6, 1e8), "young_ones": axis("friction", 1, 2)}
    found = elastic_constants(axes, {"": Tread("sole", SOFT)})
    assert (found.young.tolist(), found.axes) == ([1e6, 1e8], ("E",))
    assert found.poisson.tolist() == [0.3, 0.3]


def test_another_layer_is_another_material():
    axes = {"young_foam": axis("young", 1e4, 1e5, layer="foam")}
    axes["poisson_tread"] = axis("poisson", 0.45, 0.49, layer="tread")
    found = elastic_constants(axes, {"": Tread("tread", HARD, {"foam": SOFT})})
    assert found.young.tolist() == [3e7, 3e7]
    assert found.poisson.tolist() == [0.45, 0.49]
    assert (found.axes, found.layer) == (("poisson_tread",), "tread")


def test_the_layer_at_the_tread_has_the_axis_of_its_own_or_of_all():
    treads = {"": Tread("tread", HARD, {"foam": SOFT})}
    axes = {"young": axis("young", 1e6, 2e6)}
    assert elastic_constants(axes, treads).young.tolist() == [1e6, 2e6]
    axes["young_tread"] = axis("young", 5e6, 6e6, layer="tread")
    assert elastic_constants(axes, treads).young.tolist() == [5e6, 6e6]


def test_without_a_material_there_are_none():
    assert elastic_constants({"young": axis("young", 1e6, 2e6)}) is None
    both = {"young": axis("young", 1e6), "poisson": axis("poisson", 0.3)}
    assert elastic_constants(both).young.tolist() == [1e6]


def test_means_over_soles_have_none():
    found = elastic_constants(
        {"shape": Series(np.array([0.0, 1.0]), labels=("a", "b"))},
        {"a": Tread("sole", SOFT), "b": Tread("sole", HARD | {"poisson_ratio": 0.3})},
    )
    one = found.common(np.array([0]), np.array([0, 0]))
    assert np.isnan(one.young).all()
    assert one.poisson.tolist() == [0.3]


def test_tables_of_earlier_days_are_understood():
    old = {"base_materials": json.dumps([SOFT, HARD]), "layers": '["foam", "tread"]'}
    old |= {"reference_layer": "tread", "mesh": '{"": "ab"}'}
    assert read_treads(old) == {"": Tread("tread", HARD, {"foam": SOFT})}
    assert read_treads(old | {"mesh": '{"a": "ab", "b": "cd"}'}) == {}  # the first one of them only
    assert read_treads({}) == {}
    assert read_quantity("young_foam", {}) == ("young", "foam")
    assert read_quantity("friction", {}) == ("friction", "")
    assert read_quantity("young_foam", {"quantity": "friction", "layer": ""}) == ("friction", "")


@pytest.mark.parametrize("label", ["", "pad.msh"])
def test_what_a_table_says_of_its_soles(label):
    told = {"base_materials": json.dumps({label: {"foam": SOFT, "tread": HARD}})}
    told["reference_layer"] = json.dumps({label: "tread"})
    assert read_treads(told) == {label: Tread("tread", HARD, {"foam": SOFT})}


def test_a_factor_multiplies_the_own_modulus_of_every_layer():
    treads = {"": Tread("tread", HARD, {"foam": SOFT})}
    found = elastic_constants({"f": axis("stiffness_factor", 0.5, 2)}, treads)
    assert found.young.tolist() == [1.5e7, 6e7]
    assert found.others["foam"].young.tolist() == [1.5e5, 6e5]
    assert found.others["foam"].poisson.tolist() == [SOFT["poisson_ratio"]] * 2


def test_other_layers_have_their_own_axis_or_that_of_all():
    treads = {"": Tread("tread", HARD, {"foam": SOFT, "cap": SOFT})}
    axes = {"young": axis("young", 3e7, 6e7), "poisson": axis("poisson", 0.1, 0.2)}
    axes["E"] = axis("young", 7e5, 8e5, layer="cap")
    others = elastic_constants(axes, treads).others
    assert others["foam"].young.tolist() == [3e7, 6e7]
    assert others["cap"].young.tolist() == [7e5, 8e5]
    assert others["foam"].poisson.tolist() == others["cap"].poisson.tolist() == [0.1, 0.2]
    shape = Series(np.array([0.0, 1.0]), labels=("a", "b"), quantity="shape")
    one = {"a": Tread("tread", HARD, {"foam": SOFT}), "b": Tread("sole", SOFT)}
    foam = elastic_constants({"shape": shape}, one).others["foam"]
    assert foam.young[0] == 3e5 and np.isnan(foam.young[1])


def test_a_report_names_materials_for_every_layer():
    treads = {"": Tread("tread", {"young_modulus": 2e6, "poisson_ratio": 0.499},
                        {"foam": {"young_modulus": 1e6, "poisson_ratio": 0.3}})}  # fmt: skip
    axes = {"friction": axis("friction", 0.2, 0.5, 0.8)}
    metrics = {"a": Series(np.array([1.0, 2.0, 4.0])), "b": Series(np.array([4.0, 2.0, 1.0]))}
    choice = choose(Cases(axes, metrics, ("",) * 3, (3,), elastic=elastic_constants(axes, treads)))
    told = " ".join(recommendation(choice))
    tread, foam = (nearest_materials(*pair, 1)[0][0].name for pair in ((2e6, 0.499), (1e6, 0.3)))
    assert tread != foam
    assert f"layer tread is within the range of {tread}" in told or f"tread: {tread}" in told
    assert f"layer foam is within the range of {foam}" in told or f"layer foam: {foam}" in told
    assert as_json(choice, "")["other_materials"]["foam"][0]["name"] == foam
    assert any(name.startswith(f"foam: {foam}") for name in describe_choice(choice, "").quantities)
