"""A material of a layer: linear, or with a hyperelastic law; as plain data in files.

{"young_modulus": E, "poisson_ratio": nu, "density": rho}                  linear
{"law": "neo-hooke", "mu": mu, "lam": lam, "density": rho}
{"law": "ogden", "mu": [mu_k], "alpha": [a_k], "kappa": kappa, "density": rho}
{"law": "hyperfoam", "mu": [mu_k], "alpha": [a_k], "nu": [nu_k], "density": rho}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sole.base.errors import MaterialError
from sole.base.near_names import did_you_mean
from sole.laws.laws import HyperelasticLaw, Hyperfoam, NeoHooke, Ogden
from sole.laws.stability import check_stability
from sole.material import Material

LAWS: Mapping[str, type[HyperelasticLaw]] = {
    "neo-hooke": NeoHooke,
    "ogden": Ogden,
    "hyperfoam": Hyperfoam,
}
NAMES = {law: name for name, law in LAWS.items()}
IN_PASCALS = ("mu", "lam", "kappa")
DENSITY = 1100.0  # [kg/m^3], as of `sole.material.Material`


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperelasticMaterial:
    """One homogeneous hyperelastic material.

    Parameters
    ----------
    law : `NeoHooke`, `Ogden` or `Hyperfoam`.
    density : rho [kg/m^3], from 1e-3 to 1e6.

    Raises
    ------
    MaterialError
        Out of range.
    """

    law: HyperelasticLaw
    density: float = DENSITY

    def __post_init__(self) -> None:
        _ = self.at_rest

    @property
    def name(self) -> str:
        """Name of the law in files: "neo-hooke", "ogden" or "hyperfoam"."""
        return NAMES[type(self.law)]

    def __str__(self) -> str:
        """Return name and constants: "ogden: mu 0.3, 0.01 MPa; alpha 1.3, 5; kappa 20 MPa"."""
        words = []
        for name, value in asdict(self.law).items():
            values = value if isinstance(value, tuple) else (value,)
            pascals = name in IN_PASCALS
            told = ", ".join(f"{v * (1e-6 if pascals else 1):.5g}" for v in values)
            words.append(f"{name} {told}{' MPa' if pascals else ''}")
        return f"{self.name}: {'; '.join(words)}"

    @property
    def at_rest(self) -> Material:
        """The linear material of small strain."""
        lam, mu = self.law.lame
        return Material(
            young_modulus=mu * (3 * lam + 2 * mu) / (lam + mu),
            poisson_ratio=lam / (2 * (lam + mu)),
            density=self.density,
        )

    @property
    def young_modulus(self) -> float:
        """E at rest [Pa]."""
        return self.at_rest.young_modulus

    @property
    def poisson_ratio(self) -> float:
        """Poisson's ratio at rest."""
        return self.at_rest.poisson_ratio


AnyMaterial = Material | HyperelasticMaterial


def hyperelastic_material(
    law: str, constants: Mapping[str, Any], density: float = DENSITY
) -> HyperelasticMaterial:
    """Return the material of a law by name, stable at stretches from 0.5 to 1.5.

    `constants` are those of the law's class; for "neo-hooke" also young_modulus [Pa] and
    poisson_ratio. None counts as missing.

    Raises
    ------
    MaterialError
        No such law, a constant that is missing or of another law, values out of range, unstable.
    """
    made = _law(law, constants)
    check_stability(made)
    return HyperelasticMaterial(law=made, density=density)


def _law(law: str, constants: Mapping[str, Any]) -> HyperelasticLaw:
    if law not in LAWS:
        raise MaterialError(
            f"there is no law '{law}'{did_you_mean(law, LAWS)}; the laws are {', '.join(LAWS)}"
        )
    kind = LAWS[law]
    given = {name: value for name, value in constants.items() if value is not None}
    elastic = {"young_modulus", "poisson_ratio"}
    if kind is NeoHooke and set(given) == elastic:
        return NeoHooke.of(**given)
    wanted = list(kind.__dataclass_fields__)
    if set(given) != set(wanted):
        either = "young_modulus and poisson_ratio, or " if kind is NeoHooke else ""
        raise MaterialError(
            f"law {law}: expected {either}{', '.join(wanted)}; got {', '.join(given) or 'nothing'}"
        )
    return kind(**{name: _plain(value) for name, value in given.items()})


def _plain(value: Any) -> Any:
    return tuple(float(v) for v in value) if isinstance(value, list | tuple) else float(value)


def material_header(material: AnyMaterial) -> dict[str, Any]:
    """Return the plain data of a material, JSON-serialisable."""
    if isinstance(material, Material):
        return asdict(material)
    return {"law": material.name, **asdict(material.law), "density": material.density}


def material_from(data: Mapping[str, Any]) -> AnyMaterial:
    """Rebuild a material from `material_header`."""
    if "law" not in data:
        return Material(**data)
    values = dict(data)
    law, density = str(values.pop("law")), float(values.pop("density"))
    return HyperelasticMaterial(law=_law(law, values), density=density)


def linear_materials(
    layers: Sequence[str], materials: Sequence[AnyMaterial | None]
) -> tuple[Material, ...]:
    """Return the materials of the layers if all are linear.

    Raises
    ------
    MaterialError
        One is missing, or hyperelastic; the message says what to do.
    """
    found = []
    for layer, material in zip(layers, materials, strict=True):
        if material is None:
            raise MaterialError(
                f"layer '{layer}' has no material in the mesh: give --young and --poisson, "
                f"or --material {layer}=E,nu"
            )
        if not isinstance(material, Material):
            E, nu = material.young_modulus, material.poisson_ratio
            raise MaterialError(
                f"layer '{layer}' is hyperelastic ({material.name}), but this is linear: press "
                "its mesh at finite strain, `sole press MESH --finite`, or give constants at "
                f"small strain, --material {layer}={E:.4g},{nu:.4g}"
            )
        found.append(material)
    return tuple(found)
