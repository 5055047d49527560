"""Materials from the command line: `--young`, `--poisson`, `--density`, `--material LAYER=...`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sole.base.errors import ConfigError, MaterialError
from sole.laws import AnyMaterial, HyperelasticMaterial, parse_material
from sole.material import Material
from sole.mesh import SoleMesh

SOFTEST = 1e4  # [Pa]; the softest sole foams have ten times as much


def choose_materials(
    mesh: SoleMesh,
    young: float | None = None,
    poisson: float | None = None,
    density: float | None = None,
    overrides: Sequence[str] = (),
) -> tuple[AnyMaterial, ...]:
    """Return one material per layer of `mesh`.

    Parameters
    ----------
    young, poisson, density : E [Pa], nu and rho [kg/m^3] of all layers; None keeps the value of
        the mesh.
    overrides : ``LAYER=E,nu[,rho]`` or ``LAYER=LAW,...``, each for one layer; they take
        precedence. A hyperelastic layer becomes linear if both E and nu are given.

    Raises
    ------
    MaterialError
        A layer ends up without E or nu, or with values out of range.
    ConfigError
        An override of another form, or for an unknown layer.
    """
    chosen = _overrides(mesh, overrides)
    materials: list[AnyMaterial] = []
    for layer, own in zip(mesh.layers, mesh.materials, strict=True):
        if layer in chosen:
            materials.append(chosen[layer])
            continue
        if isinstance(own, HyperelasticMaterial) and (young is None or poisson is None):
            materials.append(own if density is None else replace(own, density=density))
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


def override_materials(mesh: SoleMesh, overrides: Sequence[str]) -> SoleMesh:
    """Return the mesh with the materials of ``LAYER=...`` texts; raises as `choose_materials`."""
    chosen = _overrides(mesh, overrides)
    named = zip(mesh.layers, mesh.materials, strict=True)
    return replace(mesh, materials=tuple(chosen.get(layer, own) for layer, own in named))


def _overrides(mesh: SoleMesh, overrides: Sequence[str]) -> dict[str, AnyMaterial]:
    chosen: dict[str, AnyMaterial] = {}
    for text in overrides:
        layer, material = parse_material(text)
        if layer not in mesh.layers:
            raise ConfigError(
                f"--material {text}: there is no layer '{layer}'; the layers are "
                + ", ".join(mesh.layers)
            )
        chosen[layer] = material
    return chosen


def doubtful_moduli(layers: Sequence[str], materials: Sequence[Material]) -> tuple[str, ...]:
    """Return a warning for each layer whose E is so small that it may be in MPa."""
    return tuple(
        f"layer '{layer}' has E = {m.young_modulus:g} Pa: Young's modulus is in Pa, "
        "rubber has 1e6 to 1e7"
        for layer, m in zip(layers, materials, strict=True)
        if m.young_modulus < SOFTEST
    )
