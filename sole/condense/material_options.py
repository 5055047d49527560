"""Materials from the command line: `--young`, `--poisson`, `--density`, `--material LAYER=...`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sole.base.errors import ConfigError, MaterialError
from sole.base.units import read_quantity
from sole.material import Material
from sole.mesh import SoleMesh

OF_MATERIAL = ("Pa", "", "kg/m^3")  # units of E, nu, rho
SOFTEST = 1e4  # [Pa]; the softest sole foams have ten times as much


def choose_materials(
    mesh: SoleMesh,
    young: float | None = None,
    poisson: float | None = None,
    density: float | None = None,
    overrides: Sequence[str] = (),
) -> tuple[Material, ...]:
    """Return one material per layer of `mesh`.

    Parameters
    ----------
    young, poisson, density : E [Pa], nu and rho [kg/m^3] of all layers; None keeps the value of
        the mesh.
    overrides : ``LAYER=E,nu[,rho]``, each for one layer; they take precedence.

    Raises
    ------
    MaterialError
        A layer ends up without E or nu, or with values out of range.
    ConfigError
        An override of another form, or for an unknown layer.
    """
    chosen = {}
    for text in overrides:
        layer, material = parse_material(text)
        if layer not in mesh.layers:
            raise ConfigError(
                f"--material {text}: there is no layer '{layer}'; the layers are "
                + ", ".join(mesh.layers)
            )
        chosen[layer] = material
    materials = []
    for layer, own in zip(mesh.layers, mesh.materials, strict=True):
        if layer in chosen:
            materials.append(chosen[layer])
            continue
        E, nu, rho = young, poisson, density
        if own is not None:
            E = own.young_modulus if E is None else E
            nu = own.poisson_ratio if nu is None else nu
            rho = own.density if rho is None else rho
        if E is None or nu is None:
            lacking = "--young" if E is None else "--poisson"
            raise MaterialError(
                f"layer '{layer}' has no material in the mesh: give {lacking} for all layers or "
                f"--material {layer}=E,nu"
            )
        usual = Material(young_modulus=E, poisson_ratio=nu)
        materials.append(usual if rho is None else replace(usual, density=rho))
    return tuple(materials)


def doubtful_moduli(layers: Sequence[str], materials: Sequence[Material]) -> tuple[str, ...]:
    """Return a warning for each layer whose E is so small that it may be in MPa."""
    return tuple(
        f"layer '{layer}' has E = {m.young_modulus:g} Pa: Young's modulus is in Pa, "
        "rubber has 1e6 to 1e7"
        for layer, m in zip(layers, materials, strict=True)
        if m.young_modulus < SOFTEST
    )


def parse_material(text: str) -> tuple[str, Material]:
    """Parse ``LAYER=E,nu[,rho]`` in SI units; return (layer, material)."""
    layer, equals, values = text.partition("=")
    parts = values.split(",")
    if not (layer.strip() and equals and len(parts) in (2, 3)):
        raise ConfigError(f"--material {text}: expected LAYER=E,nu or LAYER=E,nu,rho")
    try:
        numbers = [read_quantity(v, unit) for v, unit in zip(parts, OF_MATERIAL, strict=False)]
    except ConfigError as error:
        raise ConfigError(f"--material {text}: {error}") from error
    names = ("young_modulus", "poisson_ratio", "density")
    try:
        return layer.strip(), Material(**dict(zip(names, numbers, strict=False)))
    except MaterialError as error:
        raise MaterialError(f"--material {text}: {error}") from error
