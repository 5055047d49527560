"""Hyperelastic materials in shapes, options, meshes and their files; refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh

from sole.base.errors import ConfigError, MaterialError, ShapeError
from sole.condense import Condenser, choose_materials, condense
from sole.laws import (
    HyperelasticMaterial,
    Hyperfoam,
    NeoHooke,
    Ogden,
    hyperelastic_material,
    material_from,
    material_header,
    parse_material,
    uniaxial,
)
from sole.mesh import read_mesh, write_mesh
from sole.shape import load_shape

LAWS = {
    "neo-hooke": NeoHooke.of(1e6, 0.45),
    "ogden": Ogden(mu=(3e5, 1e4), alpha=(1.3, 5.0), kappa=2e7),
    "hyperfoam": Hyperfoam(mu=(4e5,), alpha=(8.0,), nu=(0.1,)),
}
TEXTS = {
    "neo-hooke": "a=neo-hooke,1MPa,0.45,900",
    "ogden": "a=ogden,kappa=20MPa,mu=0.3MPa,alpha=1.3,mu=10kPa,alpha=5,rho=900",
    "hyperfoam": "a=hyperfoam,mu=0.4MPa,alpha=8,nu=0.1,rho=0.9g/cm3",
}
TABLES = {
    "neo-hooke": 'law = "neo-hooke"\nyoung_modulus = "1MPa"\npoisson_ratio = 0.45',
    "ogden": 'law = "ogden"\nmu = ["0.3MPa", 1e4]\nalpha = [1.3, 5]\nkappa = 2e7',
    "hyperfoam": 'law = "hyperfoam"\nmu = ["400kPa"]\nalpha = [8.0]\nnu = [0.1]',
}
each = pytest.mark.parametrize("name", LAWS)


def shape_file(folder: Path, law: str) -> Path:
    path = folder / "pad.toml"
    path.write_text(
        'schema = "sole.shape/1"\nname = "pad"\n[rectangle]\nlength = 0.1\nwidth = 0.06\n'
        f'[[layers]]\nname = "tread"\nthickness = "10mm"\n{law}\n'
    )
    return path


def one_layer(material: HyperelasticMaterial):
    return replace(box_mesh(0.1, 0.06, 0.01, (2, 2, 1)), materials=(material,))


def close(a, b) -> None:
    assert type(a) is type(b)
    for name in type(a).__dataclass_fields__:
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-14)


@each
def test_a_text_a_table_and_python_mean_the_same_law(name: str, tmp_path: Path) -> None:
    layer, material = parse_material(TEXTS[name])
    assert (layer, material.density, material.name) == ("a", 900.0, name)
    close(material.law, LAWS[name])
    (own,) = load_shape(shape_file(tmp_path, TABLES[name])).layers
    close(own.material.law, LAWS[name])


@each
def test_a_mesh_carries_its_laws_in_its_file(name: str, tmp_path: Path) -> None:
    material = HyperelasticMaterial(law=LAWS[name], density=900.0)
    mesh = one_layer(material)
    write_mesh(tmp_path / "pad.msh", mesh)
    assert read_mesh(tmp_path / "pad.msh").materials == (material,)
    assert material_from(material_header(material)) == material


@each
def test_constants_at_rest_are_those_of_small_strain(name: str) -> None:
    material, h = HyperelasticMaterial(law=LAWS[name]), 1e-6
    stress, side = uniaxial(material.law, np.array([1 - h, 1 + h]))
    # central differences: errors of O(h^2), round-off 1e-16/h
    assert (stress[1] - stress[0]) / (2 * h) == pytest.approx(material.young_modulus, rel=1e-8)
    assert (side[0] - side[1]) / (2 * h) == pytest.approx(material.poisson_ratio, abs=1e-8)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a=hyperfoam,mu=1e5,alpha=8", "expected mu, alpha, nu; got mu, alpha"),
        ("a=hyperfoam,mu=1e5,alpha=8,nu=0.6", r"must lie inside \(-1, 0.5\), got 0.6"),
        ("a=ogden,mu=1e5,alpha=8", "expected mu, alpha, kappa"),
        ("a=ogden,mu=-1e5,alpha=8,kappa=1e6", "unstable at small strain"),
        ("a=ogden,mu=1e5,alpha=2,mu=-9e4,alpha=9,kappa=1e6", "unstable law: it softens at"),
        ("a=neo-hooke,1e6,0.5", "Poisson's ratio must lie inside"),
        ("a=neo-hooke,1e6", "LAYER=neo-hooke,E,nu"),
        ("a=ogden,mu=1e5,beta=2", "'beta=2' does not belong to a law"),
        ("a=ogden,kappa=1,kappa=2", "'kappa=2' does not belong to a law"),
        ("a=ogdan,1e6,0.4", "'ogdan' is not a number in Pa"),
    ],
)
def test_a_wrong_law_is_refused_with_its_reason(text: str, told: str) -> None:
    with pytest.raises((ConfigError, MaterialError), match=told) as error:
        parse_material(text)
    assert str(error.value).startswith(f"--material {text}: ")


def test_a_law_that_nobody_knows_is_refused() -> None:
    with pytest.raises(MaterialError, match="did you mean 'ogden'"):
        hyperelastic_material("ogdne", {})


def test_terms_need_a_law_and_a_layer_is_named(tmp_path: Path) -> None:
    with pytest.raises((ConfigError, ShapeError), match="terms of a law"):
        load_shape(shape_file(tmp_path, "mu = [1e5]"))
    with pytest.raises((ConfigError, MaterialError), match="'tread': law ogden: expected"):
        load_shape(shape_file(tmp_path, 'law = "ogden"\nmu = [1e5]'))


def test_linear_commands_refuse_hyperelastic_layers_and_say_what_to_do() -> None:
    material = HyperelasticMaterial(law=LAWS["hyperfoam"])
    mesh = one_layer(material)
    told = (
        r"'layer0' is hyperelastic \(hyperfoam\).*`sole press MESH --finite`.*layer0=8.8e\+05,0.1"
    )
    with pytest.raises(MaterialError, match=told):
        condense(mesh)
    with pytest.raises(MaterialError, match=told):
        Condenser(mesh, "p1").condense(choose_materials(mesh))
    assert choose_materials(mesh, density=1.0) == (replace(material, density=1.0),)
    (linear,) = choose_materials(mesh, 1e6, 0.3)
    assert condense(mesh, linear, "p1").materials == (linear,)
