"""A material of a layer as text: the option --material.

LAYER=E,nu[,rho]
LAYER=neo-hooke,E,nu[,rho]
LAYER=ogden,kappa=K,mu=MU,alpha=A[,mu=MU,alpha=A ...][,rho=RHO]
LAYER=hyperfoam,mu=MU,alpha=A,nu=NU[,mu=MU,alpha=A,nu=NU ...][,rho=RHO]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sole.base.errors import ConfigError, MaterialError
from sole.base.units import read_quantity
from sole.laws.layer_material import (
    DENSITY,
    LAWS,
    AnyMaterial,
    HyperelasticMaterial,
    hyperelastic_material,
    material_header,
)
from sole.material import Material

OF_MATERIAL = (("young_modulus", "Pa"), ("poisson_ratio", ""), ("density", "kg/m^3"))
OF_LAW = {"mu": "Pa", "alpha": "", "nu": "", "kappa": "Pa", "rho": "kg/m^3"}
ALONE = ("kappa", "rho")  # the others have one value a term
FORMS = (
    "LAYER=E,nu[,rho], LAYER=neo-hooke,E,nu[,rho], LAYER=ogden,kappa=K,mu=MU,alpha=A or "
    "LAYER=hyperfoam,mu=MU,alpha=A,nu=NU"
)


def parse_material(text: str) -> tuple[str, AnyMaterial]:
    """Parse the text of a material, numbers in SI units or with one; return (layer, material).

    Raises
    ------
    ConfigError, MaterialError
        Another form, an unknown law, values out of range, an unstable law.
    """
    layer, equals, values = text.partition("=")
    parts = [part.strip() for part in values.split(",")]
    law = parts[0] if parts[0] in LAWS else ""
    try:
        if not (layer.strip() and equals):
            raise ConfigError(f"expected {FORMS}")
        return layer.strip(), _law(law, parts[1:]) if law else _linear(parts)
    except ConfigError as error:
        raise ConfigError(f"--material {text}: {error}") from error
    except MaterialError as error:
        raise MaterialError(f"--material {text}: {error}") from error


def _linear(parts: Sequence[str]) -> Material:
    return Material(**_constants(parts))


def _constants(parts: Sequence[str]) -> dict[str, float]:
    """Return E, nu and, if it is given, the density."""
    if len(parts) not in (2, 3):
        raise ConfigError(f"expected {FORMS}")
    return {
        name: read_quantity(part, unit)
        for (name, unit), part in zip(OF_MATERIAL, parts, strict=False)
    }


def _law(law: str, parts: Sequence[str]) -> AnyMaterial:
    constants: dict[str, Any] = {}
    if law == "neo-hooke":
        constants = dict(_constants(parts))
        return hyperelastic_material(law, constants, constants.pop("density", DENSITY))
    for part in parts:
        name, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals or name not in OF_LAW or (name in ALONE and name in constants):
            raise ConfigError(f"'{part}' does not belong to a law; expected {FORMS}")
        value = read_quantity(number, OF_LAW[name])
        if name in ALONE:
            constants[name] = value
        else:
            constants.setdefault(name, []).append(value)
    return hyperelastic_material(law, constants, constants.pop("rho", DENSITY))


def material_text(layer: str, material: HyperelasticMaterial) -> str:
    """Return the text of a material that `parse_material` reads, constants with six digits."""
    constants = material_header(material)
    law, rho = constants.pop("law"), f"{constants.pop('density'):.6g} kg/m^3"
    if law == "neo-hooke":
        E, nu = material.young_modulus, material.poisson_ratio
        return f"{layer}={law}, {E / 1e3:.6g} kPa, {nu:.6g}, {rho}"
    alone = [_told(name, constants.pop(name)) for name in ALONE if name in constants]
    terms = [
        _told(name, value)
        for term in zip(*constants.values(), strict=True)
        for name, value in zip(constants, term, strict=True)
    ]
    return f"{layer}={', '.join([law, *alone, *terms, f'rho={rho}'])}"


def _told(name: str, value: float) -> str:
    return f"{name}={value / 1e3:.6g} kPa" if OF_LAW[name] == "Pa" else f"{name}={value:.6g}"
