"""Which law every layer of a mesh has, and the element that suits them."""

from __future__ import annotations

from collections.abc import Sequence

from sole.base.errors import MaterialError
from sole.elasticity import DEFAULT_ELEMENT, POISSON_LIMIT, check_element
from sole.laws import AnyMaterial, HyperelasticLaw, HyperelasticMaterial, Hyperfoam, NeoHooke
from sole.material import Material
from sole.mesh import SoleMesh

LayerLaw = HyperelasticLaw | AnyMaterial


def laws_of_layers(
    mesh: SoleMesh, given: LayerLaw | Sequence[LayerLaw] | None
) -> tuple[HyperelasticLaw, ...]:
    """Return one law a layer; a linear material becomes the neo-Hooke law of its E and nu.

    Raises
    ------
    MaterialError
        Wrong number of them, or a layer of the mesh without a material.
    """
    laws: list[LayerLaw | None]
    if given is None:
        laws = list(mesh.materials)
    else:
        laws = [*given] if isinstance(given, Sequence) else [given] * len(mesh.layers)
    if len(laws) != len(mesh.layers):
        raise MaterialError(
            f"got {len(laws)} laws for {len(mesh.layers)} layers "
            f"({', '.join(mesh.layers)}): give one for each"
        )
    return tuple(_law(name, law) for name, law in zip(mesh.layers, laws, strict=True))


def _law(layer: str, law: LayerLaw | None) -> HyperelasticLaw:
    if law is None:
        raise MaterialError(
            f"layer '{layer}' has no material in the mesh: give one, --material {layer}=E,nu or "
            f"--material {layer}=LAW,..."
        )
    if isinstance(law, Material):
        return NeoHooke.of(law.young_modulus, law.poisson_ratio)
    return law.law if isinstance(law, HyperelasticMaterial) else law


def element_of(mesh: SoleMesh, laws: Sequence[HyperelasticLaw], element: str | None) -> str:
    """Return the element, by default "p2" for foams alone and "ccr" for the rest.

    Raises
    ------
    MaterialError
        Poisson's ratio at rest is too close to 0.5 for it.
    """
    if element is None:
        foams = all(isinstance(law, Hyperfoam) for law in laws)
        element = "p2" if foams else DEFAULT_ELEMENT
    check_element(element)
    for layer, law in zip(mesh.layers, laws, strict=True):
        nu = HyperelasticMaterial(law=law).poisson_ratio
        if nu > POISSON_LIMIT[element]:
            raise MaterialError(
                f"layer '{layer}': Poisson's ratio at rest {nu:.6g} is too close to 0.5 for "
                f"element '{element}' (at most {POISSON_LIMIT[element]!r})"
            )
    return element
