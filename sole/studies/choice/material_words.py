"""Real materials in words: their constants, and how far the E and nu of a row are from them."""

from __future__ import annotations

from sole.studies.choice.elastic import Elastic
from sole.studies.choice.materials import SoleMaterial
from sole.studies.choice.recommended_row import Choice
from sole.studies.choice.values import readable

INSIDE = "within its range"


def material_words(material: SoleMaterial) -> str:
    """Return a material's constants, as ranges, and their origin."""
    E = " to ".join(dict.fromkeys(readable(e, "Pa") for e in material.young_range))
    nu = " to ".join(dict.fromkeys(f"{nu:.4g}" for nu in material.poisson_range))
    return f"{material.name} (E {E}, nu {nu}, {material.origin})"


def apart_words(material: SoleMaterial, young: float, poisson: float) -> str:
    """Return how far E [Pa] and nu are from the ranges of a material, each by itself.

    For example "E in its range, nu 0.067 above it", or `INSIDE`.
    """
    factor, off = material.apart(young, poisson)
    if factor == 1 and off == 0:
        return INSIDE
    E = _beyond(factor > 1, f"a factor of {max(factor, 1 / factor):.3g}") if factor != 1 else "in"
    nu = _beyond(off > 0, f"{abs(off):.2g}") if off else "in"
    return f"E {E} its range, nu {nu} its range"


def constants_of(choice: Choice, layer: str = "") -> tuple[float, float]:
    """Return (E [Pa], nu) of a layer of the recommended sole; '' is the layer at its tread."""
    elastic = choice.cases.elastic
    assert elastic is not None and choice.row is not None
    of: Elastic = elastic.others.get(layer, elastic)
    return float(of.young[choice.row]), float(of.poisson[choice.row])


def _beyond(above: bool, far: str) -> str:
    return f"{far} {'above' if above else 'below'}"
