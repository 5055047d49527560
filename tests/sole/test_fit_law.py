"""Fits of hyperelastic laws: exact data give the law back; refusals of data and of laws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sole.base.errors import ConfigError, MaterialError
from sole.laws import (
    HyperelasticMaterial,
    Hyperfoam,
    NeoHooke,
    Ogden,
    StressStrain,
    fit_law,
    material_text,
    parse_material,
    read_stress_strain,
    simple_shear,
    uniaxial,
)

SHEARS = np.linspace(0.1, 0.6, 6)
STRETCHES = np.concatenate([np.linspace(0.5, 0.95, 8), np.linspace(1.05, 1.6, 6)])


def data_of(law, tests=("uniaxial", "planar", "shear")) -> StressStrain:
    curves = {
        "uniaxial": (STRETCHES - 1, uniaxial(law, STRETCHES)[0]),
        "planar": (STRETCHES - 1, uniaxial(law, STRETCHES, planar=True)[0]),
        "shear": (SHEARS, simple_shear(law, SHEARS)),
    }
    return StressStrain(
        test=tuple(t for t in tests for _ in curves[t][0]),
        strain=np.concatenate([curves[t][0] for t in tests]),
        stress=np.concatenate([curves[t][1] for t in tests]),
    )


def test_simple_shear_of_closed_forms() -> None:
    """Neo-Hooke: mu gamma. Mooney-Rivlin (2, -2) in shear: the sum of both moduli times gamma."""
    np.testing.assert_allclose(simple_shear(NeoHooke.of(1e6, 0.4), SHEARS), 1e6 / 2.8 * SHEARS)
    law = Ogden(mu=(3e5, 1e5), alpha=(2.0, -2.0), kappa=1e7)
    np.testing.assert_allclose(simple_shear(law, SHEARS), 4e5 * SHEARS, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "law", "terms", "poisson"),
    [
        ("neo-hooke", NeoHooke.of(8e5, 0.45), 1, 0.45),
        ("ogden", Ogden.of(1e6, 0.49, (3.1,)), 1, None),
        ("hyperfoam", Hyperfoam.of(5e5, 0.0, (8.0,)), 1, None),
        ("hyperfoam", Hyperfoam(mu=(3e5, 5e4), alpha=(9.0, -3.0), nu=(0.1, 0.1)), 2, 0.1),
    ],
)
def test_exact_data_give_the_law_back(name, law, terms, poisson) -> None:
    data = data_of(law)
    found = fit_law(data, name, terms, poisson)
    assert found.rms < 1e-6 and found.largest < 1e-5
    for a, b in zip(*(np.sort(np.atleast_1d(one.mu)) for one in (found.law, law)), strict=True):
        assert a == pytest.approx(b, rel=1e-3)
    assert found.law.lame == pytest.approx(law.lame, rel=1e-4)
    assert found.stretches == (0.5, 1.6)


def test_the_file_of_the_page_gives_its_law() -> None:
    data = read_stress_strain(Path(__file__).parents[2] / "examples" / "bench" / "foam.csv")
    law = fit_law(data, "hyperfoam", 2).law
    assert data.test.count("shear") == 6
    assert np.sort(law.alpha) == pytest.approx([-3, 9], rel=0.03)  # noise of 1 %
    assert np.sort(law.mu) == pytest.approx([5e4, 3e5], rel=0.05)


def test_units_stretches_and_comments_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("# a rubber\nstretch, stress [MPa]\n0.9, -0.1\n\n1.2,0.2\n")
    data = read_stress_strain(file)
    np.testing.assert_allclose(data.strain, [-0.1, 0.2])
    np.testing.assert_allclose(data.stress, [-1e5, 2e5])
    assert data.stretches == pytest.approx((0.9, 1.2))
    file.write_text("test,strain [%],stress [kPa]\nshear,50,7\n")
    data = read_stress_strain(file)
    assert (data.strain[0], data.stress[0]) == (0.5, 7e3)
    # F = 1 + gamma e1 e2': the largest singular value
    largest = np.linalg.svd(np.array([[1, 0.5], [0, 1]]), compute_uv=False)[0]
    assert data.stretches == pytest.approx((1 / largest, largest))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("strain, stress [kPa]\n", r"'strain' needs a unit in brackets: strain \[%|-\]"),
        ("strain [%], force [N]\n", r"unknown column 'force \[N\]'; known are test, strain"),
        ("strain [%]\n1\n", "expected stress"),
        ("strain [%], stretch, stress [Pa]\n", "expected stress"),
        ("strain [%], stress [kPa]\n", "needs points"),
        ("strain [%], stress [kPa]\n1,x\n", "row 2: stress is 'x', expected a number"),
        ("strain [%], stress [kPa]\n1,2,3\n", "row 2 has 3 cells"),
        ("test, strain [%], stress [kPa]\nbiaxial,1,2\n", "row 2: unknown test 'biaxial'"),
        ("strain [%], stress [kPa]\n20,-3\n", "both are negative in compression"),
        ("strain [-], stress [kPa]\n-20,-3\n", "a stretch of -19 cannot be meant"),
        ("strain [%], stress [kPa]\n0,0\n", "all stresses are 0"),
        ("strain [%], stress [kPa]\n1,nan\n", "must be finite"),
        ("test, stretch, stress [kPa]\nshear,1.1,3\n", "a shear has a strain"),
    ],
)
def test_bad_files_are_refused(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(ConfigError, match=told) as error:
        read_stress_strain(file)
    assert "bad.csv: " in str(error.value)


def test_bad_fits_are_refused() -> None:
    data = data_of(NeoHooke.of(1e6, 0.4), tests=("shear",))
    with pytest.raises(ConfigError, match="there is no law 'mooney'"):
        fit_law(data, "mooney")
    with pytest.raises(ConfigError, match="neo-hooke has 1 to 1 terms, got 2"):
        fit_law(data, "neo-hooke", 2)
    few = StressStrain(test=("uniaxial",), strain=np.array([0.1]), stress=np.array([1e4]))
    with pytest.raises(ConfigError, match="1 points cannot give 2 constants"):
        fit_law(few, "ogden")
    with pytest.raises(MaterialError, match="no stable ogden law fits: Poisson's ratio"):
        fit_law(data, "ogden", poisson=0.6)


@pytest.mark.parametrize(
    "law",
    [
        NeoHooke.of(1.23456e6, 0.45),
        Ogden(mu=(3e5, 1e4), alpha=(1.3, 5.0), kappa=2e7),
        Hyperfoam(mu=(3e5, 5e4), alpha=(9.0, -3.0), nu=(0.1, 0.2)),
    ],
)
def test_the_printed_material_reads_back(law) -> None:
    material = HyperelasticMaterial(law=law, density=250.0)
    layer, again = parse_material(material_text("tread", material))
    assert (layer, again.density, type(again.law)) == ("tread", 250.0, type(law))
    for name in type(law).__dataclass_fields__:
        np.testing.assert_allclose(getattr(again.law, name), getattr(law, name), rtol=1e-5)


def test_the_command_prints_the_material(tmp_path: Path, capsys) -> None:
    from sole.commands.fit import fit

    (tmp_path / "a.csv").write_text("strain [%], stress [kPa]\n-10,-90\n-30,-300\n20,150\n")
    fit(tmp_path / "a.csv", law="neo-hooke", as_json=True)
    report = json.loads(capsys.readouterr().out)
    _, material = parse_material(report["material"])
    assert material.young_modulus == pytest.approx(report["young"], rel=1e-5)
    assert 5e5 < report["young"] < 1e6
