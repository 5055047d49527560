from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.base.errors import ConfigError, MaterialError
from sole.studies import Axis, LayerMaterial, Study, load_study, parse_axis
from sole.studies.study_plan import REFERENCE_YOUNG, Plan

TOML = """
schema = "sole.study/2"
mesh = "pad.msh"
element = "ccr"
rows = ["stiffness"]

[[axis]]
quantity = "young"
range = [1e5, 1e7]
number = 3

[[axis]]
quantity = "poisson"
layer = "layer0"
values = [0.3, 0.45]

[layers.layer1]
young_modulus = 2e6
poisson_ratio = 0.2

[options.stiffness]
mass = 50.0
com_height = 0.8
"""


@pytest.fixture(scope="module")
def two_layers():
    return box_mesh(0.2, 0.1, 0.02, (4, 2, 2), layers=(1.0, 1.0))


def study(*texts, **more):
    axes = tuple(parse_axis(*t.split(" ")) for t in texts)
    return Study(axis=axes, **more)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1e5:1e7:3", [1e5, 1e6, 1e7]),  # two decades: logarithmic
        ("1e6:2e6:3", [1e6, 1.5e6, 2e6]),  # less than one: linear
        ("1e5:1e7:3:lin", [1e5, 5.05e6, 1e7]),
        ("1e6:4e6:3:log", [1e6, 2e6, 4e6]),
        ("3e6,1e6", [1e6, 3e6]),
        ("2e6", [2e6]),
    ],
)
def test_axis_texts(text, values):
    axis = parse_axis("young", text)
    np.testing.assert_allclose(axis.values, values, rtol=1e-12)
    assert axis.values[0] == min(values)
    assert axis.values[-1] == max(values)  # ends to the last bit
    assert parse_axis("young", f"tread={text}").name == "young_tread"


@pytest.mark.parametrize(
    ("quantity", "text", "message"),
    [
        ("young", "1e5:1e7", r"--young 1e5:1e7: expected LO:HI:N"),
        ("young", "a:b:3", "expected LO:HI:N"),
        ("young", "1e5:1e7:3:cubic", "'lin' or 'log', got 'cubic'"),
        ("young", "=1e5:1e7:3", "expected LO:HI:N"),
        ("young", "1e7:1e5:3", "LO < HI"),
        ("young", "-1e5:1e5:3", r"must lie in \[0\.001, 1e\+13\], got -100000"),
        ("young", "1e5:1e7:1", "number >= 2, got 1"),
        ("young", "nan", "got nan"),
        ("poisson", "0:0.5:3", r"Poisson's ratio must lie in \(-1, 0\.5\), got 0\.5"),
        ("poisson", "0:0.4:3:log", "needs LO > 0"),
        ("friction", "tread=0.1,0.5", "not to layer 'tread'"),
        ("shape", "1,2", "shape of the sole is a text"),
    ],
)
def test_bad_axes_are_named(quantity, text, message):
    with pytest.raises(ConfigError, match=message):
        parse_axis(quantity, text)


def test_study_file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(TOML)
    s = load_study(path)
    assert s.mesh == str(tmp_path / "pad.msh")
    assert s.shape == (3, 2)
    assert s.layers["layer1"] == LayerMaterial(young_modulus=2e6, poisson_ratio=0.2)
    assert s.options["stiffness"]["mass"] == 50.0
    assert s.settings(3) == {"young": 1e6, "poisson_layer0": 0.45}  # last axis fastest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("number = 3", "nunber = 3", "nunber"),
        ("number = 3", 'number = "3"', r"axis\.0\.number"),
        ("[1e5, 1e7]", "[-1.0, 1e7]", "must lie in"),
        ("[0.3, 0.45]", "[0.3, nan]", r"axis\.1\.values\.1: Input should be a finite number"),
        ("[options.stiffness]", "[options.press]", "options for 'press'"),
        ("poisson_ratio", "poison_ratio", r"layers\.layer1\.poison_ratio"),
        ('"sole.study/2"', '"sole.study/9"', "sole.study/9"),
    ],
)
def test_bad_study_files_are_named(tmp_path, old, new, message):
    path = tmp_path / "study.toml"
    path.write_text(TOML.replace(old, new, 1))
    with pytest.raises(ConfigError, match=message) as caught:
        load_study(path)
    assert str(path) in str(caught.value)


def test_contradictions_are_refused():
    with pytest.raises(ConfigError, match="axis young is given twice"):
        study("young 1e6", "young 2e6")
    with pytest.raises(ConfigError, match="varied for all layers and for 'a'"):
        study("young 1e6", "young a=2e6")
    with pytest.raises(ConfigError, match="at least one axis"):
        Study(axis=())
    with pytest.raises(ConfigError, match="tolerance"):
        study("young 1e6", tolerance=0.0)
    with pytest.raises(ConfigError, match="either values, or range"):
        Axis(quantity="young")


def test_a_factor_keeps_the_ratio_of_layers(two_layers):
    """Both layers get softer; the upper one stays three times as stiff."""
    layers = {
        "layer0": LayerMaterial(young_modulus=2e6, poisson_ratio=0.3),
        "layer1": LayerMaterial(young_modulus=6e6, poisson_ratio=0.3, density=900.0),
    }
    axes = "stiffness_factor 0.05:5:3:log", "poisson 0.2,0.4"
    plan = Plan(study(*axes, layers=layers), two_layers)
    case = plan.case(3)
    E = [m.young_modulus for m in case.materials]
    assert E == pytest.approx([1e6, 3e6], rel=1e-14)
    assert [m.poisson_ratio for m in case.materials] == [0.4, 0.4]
    assert [m.density for m in case.materials] == [1100.0, 900.0]
    assert case.young == pytest.approx(1e6)
    # All six cases are two soles, one per nu, of one family.
    ((family, groups),) = plan.groups.items()
    assert family.ratios == (1.0, 3.0)
    assert [len(places) for places in groups.values()] == [3, 3]
    shared = plan.shared_materials(next(iter(groups)))
    assert shared[1].young_modulus == 3 * REFERENCE_YOUNG
    assert case.scale * REFERENCE_YOUNG == pytest.approx(1e6)


def test_young_without_a_layer_is_that_of_every_layer(two_layers):
    """As `sole condense --young`: what a table says of E, a sole can be made of."""
    layers = {"layer1": LayerMaterial(young_modulus=6e6, density=900.0)}
    plan = Plan(study("young 1e6,2e6", "poisson 0.3", layers=layers), two_layers)
    assert [m.young_modulus for m in plan.case(1).materials] == [2e6, 2e6]
    assert [m.density for m in plan.case(1).materials] == [1100.0, 900.0]


def test_a_study_of_the_former_schema_must_not_change_its_meaning(two_layers, tmp_path):
    text = 'schema = "sole.study/1"\n[[axis]]\nquantity = "young"\nvalues = [1e6]\n'
    nu = "[layers.layer{}]\nyoung_modulus = {}\npoisson_ratio = 0.3\n"
    (tmp_path / "old.toml").write_text(text + nu.format(0, 1e6) + nu.format(1, 3e6))
    (tmp_path / "one.toml").write_text(text + nu.format(0, 2e6) + nu.format(1, 2e6))
    with pytest.raises(ConfigError, match=r'sole\.study/2" and quantity = "stiffness_factor"'):
        Plan(load_study(tmp_path / "old.toml"), two_layers)
    plan = Plan(load_study(tmp_path / "one.toml"), two_layers)
    assert [m.young_modulus for m in plan.case(0).materials] == [1e6, 1e6]


def test_young_and_its_factor_are_not_given_together():
    with pytest.raises(ConfigError, match="young and stiffness_factor both set E"):
        study("young tread=1e6", "stiffness_factor 1,2")


def test_without_materials_all_layers_are_equal(two_layers):
    plan = Plan(study("young 1e6,2e6", "poisson 0.3"), two_layers)
    assert [m.young_modulus for m in plan.case(1).materials] == [2e6, 2e6]


def test_a_prefix_varies_one_layer(two_layers):
    layers = {"layer1": LayerMaterial(young_modulus=1e6, poisson_ratio=0.2)}
    plan = Plan(study("young layer0=1e5:1e7:3", "poisson layer0=0.45", layers=layers), two_layers)
    E = [[m.young_modulus for m in case.materials] for case in plan]
    assert E == [[1e5, 1e6], [1e6, 1e6], [1e7, 1e6]]
    assert [m.poisson_ratio for m in plan.case(0).materials] == [0.45, 0.2]
    assert len(plan.groups) == 3  # another ratio is another family


def test_equal_ratios_of_a_grid_share_a_sole(two_layers):
    axes = ("young layer0=1e5:1e7:5", "young layer1=1e5:1e7:5", "poisson 0.3")
    plan = Plan(study(*axes), two_layers)
    assert len(plan.groups) == 9  # 25 cases, 9 ratios


def test_the_digest_knows_everything_that_matters(two_layers):
    base = study("young 1e6,2e6", "poisson 0.3")
    same = study("young 1e6,2e6", "poisson 0.3")
    assert Plan(base, two_layers).digest == Plan(same, two_layers).digest
    others = [
        Plan(study("young 1e6,3e6", "poisson 0.3"), two_layers),
        Plan(study("young 1e6,2e6", "poisson 0.3", element="p1"), two_layers),
        Plan(study("young 1e6,2e6", "poisson 0.3", density=900.0), two_layers),
        Plan(study("young 1e6,2e6", "poisson 0.3", tolerance=1e-6), two_layers),
        Plan(base, two_layers.with_thickness(0.03)),
    ]
    digests = {p.digest for p in others} | {Plan(base, two_layers).digest}
    assert len(digests) == 6


def test_layers_and_limits_are_checked(two_layers):
    with pytest.raises(ConfigError, match="no layer 'top'; the layers are layer0, layer1"):
        Plan(study("young top=1e6", "poisson 0.3"), two_layers)
    with pytest.raises(MaterialError, match=r"no nu: give --poisson"):
        Plan(study("young 1e6"), two_layers)
    with pytest.raises(MaterialError, match=r"0\.49995 is too close to 0.5 for element 'p2'.*ccr"):
        Plan(study("young 1e6", "poisson 0.3,0.49995"), two_layers)
    assert (
        "locks beyond nu = 0.4:" in Plan(study("young 1e6", "poisson 0.49"), two_layers).warnings[0]
    )
    assert Plan(study("young 1e6", "poisson 0.49", element="ccr"), two_layers).warnings == ()
