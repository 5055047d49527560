"""Quantities with units in options and TOML: exact powers of ten, errors that name it."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contact.ground import parse_ground
from contact.press import parse_motion
from robot.walk import Scenario
from sole.base.config import structure
from sole.base.errors import ConfigError
from sole.base.units import WRITTEN, any_quantity, read_quantity
from sole.condense import parse_material
from sole.shape import Shape
from sole.studies import Axis, load_study
from sole.studies.axis import parse_axis
from tests.command_line import in_this_process

PAD = Path(__file__).parents[2] / "examples" / "two_layer_pad.toml"


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("3MPa", "Pa", 3e6),
        ("3 MPa", "Pa", 3e6),
        ("3e6", "Pa", 3e6),
        ("2.1 N/mm^2", "Pa", 2.1e6),
        ("5mm", "m", 0.005),
        ("-1e1 mm", "m", -0.01),
        ("20 ms", "s", 0.02),
        ("0.3kN", "N", 300.0),
        ("1.1 g/cm3", "kg/m^3", 1100.0),
        ("12 N m", "N m", 12.0),
        ("20 deg", "deg", 20.0),
        ("0.4", "", 0.4),
    ],
)
def test_texts_become_numbers_in_si(text, unit, value):
    assert read_quantity(text, unit) == value


@given(st.decimals(-999, 999, places=3), st.sampled_from(sorted(WRITTEN)))
def test_every_unit_is_an_exact_power_of_ten(number: Decimal, unit: str):
    for name, power in WRITTEN[unit].items():
        assert read_quantity(f"{number} {name}", unit) == float(f"{number}e{power}")


@pytest.mark.parametrize("text", ["3 mm", "3mPa", "MPa", "", "3 3 MPa Pa", "nan mPa", "0x3Pa"])
def test_what_is_no_pressure_is_refused_with_the_units_of_one(text):
    with pytest.raises(ConfigError, match="not a number in Pa; write it in Pa, kPa, MPa, GPa"):
        read_quantity(text, "Pa")


def test_a_unit_belongs_to_one_quantity():
    names = [name for units in WRITTEN.values() for name in units]
    assert len(names) == len(set(names)) > 20
    assert any_quantity("300 kPa") == (3e5, "Pa")
    assert any_quantity("300") is None and any_quantity("step:5mm") is None


def test_scenarios_take_units_and_refuse_others_with_the_key():
    table = {
        "dt": "0.5 ms",
        "sole": {"young": "3 MPa", "thickness": "25 mm", "place": ["1 cm", 0.0]},
        "gait": {"forward": "15cm", "turn_deg": "20 deg", "footstep": []},
        "push": [{"force": ["0.1 kN", 0.0, 0.0], "start": "500 ms"}],
    }
    found = structure(table, Scenario, "walk.toml")
    assert (found.dt, found.sole.young, found.sole.thickness) == (5e-4, 3e6, 0.025)
    assert found.sole.place == (0.01, 0.0) and found.gait.forward == 0.15
    assert found.gait.turn == math.radians(20) and found.push[0].force == (100.0, 0.0, 0.0)
    with pytest.raises(ConfigError, match=r"walk.toml: sole.young: '3 mm' is not a number in Pa"):
        structure({"sole": {"young": "3 mm"}}, Scenario, "walk.toml")
    with pytest.raises(ConfigError, match=r"push.0.start: '1 m' is not a number in s"):
        structure({"push": [{"force": [1.0, 0.0, 0.0], "start": "1 m"}]}, Scenario, "walk.toml")


def test_a_number_without_a_unit_stays_a_text():
    with pytest.raises(ConfigError, match="is a text: write"):
        structure({"gait": {"forward": "0.01"}}, Scenario, "walk.toml")
    with pytest.raises(ConfigError, match="poisson"):  # nu has no unit: a text is no number
        structure({"sole": {"poisson": "0.3"}}, Scenario, "walk.toml")


def test_shapes_grounds_poses_and_materials_take_units():
    layer = {"name": "pad", "thickness": "25 mm", "young_modulus": "3 MPa", "poisson_ratio": 0.4}
    table = {"rectangle": {"length": "240 mm", "width": "12 cm"}, "layers": [layer]}
    shape = structure({"name": "pad", **table}, Shape, "pad.toml")
    assert shape.layers[0].thickness == 0.025 and shape.layers[0].young_modulus == 3e6
    assert parse_ground("step:5mm,x=1cm") == parse_ground("step:0.005,x=0.01")
    assert parse_ground("slope:angle_deg=10 deg") == parse_ground("slope:angle_deg=10")
    assert parse_motion("sink=1mm,roll_deg=0.5") == parse_motion("sink=0.001,roll_deg=0.5")
    assert parse_material("top=3MPa,0.4,1.1g/cm3") == parse_material("top=3e6,0.4,1100")
    with pytest.raises(ConfigError, match="rise: '5kg' is not a number in m"):
        parse_ground("step:5kg")
    with pytest.raises(ConfigError, match="'1kN' is not a number in m"):
        parse_motion("sink=1kN")
    with pytest.raises(ConfigError, match="'3mm' is not a number in Pa"):
        parse_material("top=3mm,0.4")


def test_axes_of_studies_take_units_of_their_quantity(tmp_path: Path):
    assert parse_axis("young", "300kPa:30MPa:3:log") == parse_axis("young", "3e5:3e7:3:log")
    assert parse_axis("thickness", "10mm,20mm").values == (0.01, 0.02)
    with pytest.raises(ConfigError, match="'30mm' is not a number in Pa"):
        parse_axis("young", "3e5:30mm:3")
    study = tmp_path / "study.toml"
    head = f'schema = "sole.study/1"\nmesh = "{PAD}"\n[[axis]]\nquantity = "young"\nlayer = "top"\n'
    study.write_text(head + 'range = ["300 kPa", "30 MPa"]\nnumber = 3\n')
    assert load_study(study).axis[0].range == (3e5, 3e7)
    study.write_text(head + 'values = ["3 mm", "4 mm"]\n')
    with pytest.raises(ConfigError, match="Young's modulus is in Pa, not m"):
        load_study(study)
    study.write_text(head + 'values = ["3 mm", "4 MPa"]\n')
    with pytest.raises(ConfigError, match="units of different things, Pa, m"):
        load_study(study)
    assert Axis(quantity="dt", values=(0.1, 0.2)).unit == ""


def test_options_take_units_in_one_word(tmp_path: Path, monkeypatch, capsys):
    sole, mesh = in_this_process(monkeypatch, capsys), tmp_path / "pad.msh"
    box = ("mesh", "--box", "100mm", "5cm", "0.02", "--size-tread", "30mm")
    code, out, _ = sole(*box, "-o", mesh, "--json")
    assert code == 0 and json.loads(out)["length"] == pytest.approx(0.1, abs=1e-12)
    for words, told in {
        "mesh --box 0.1 12kg 0.02": "'12kg' is not a number in m; write it in m, cm, mm, um",
        "walk --dt 20 ms": "write 20ms, without a space",
        "walk --young 3mm": "write it in Pa, kPa, MPa, GPa",
        "mesh --box 240mm 120mm": "--box needs 3 numbers",
    }.items():
        code, out, err = sole(*words.split())
        assert (code, out) == (2, "") and told in err and err.count("\n") == 1
