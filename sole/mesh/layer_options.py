"""Layers as text: the option --layer of a solid that has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sole.base.errors import ConfigError
from sole.base.units import read_quantity
from sole.shape import Layer

REST = "rest"  # a thickness: what the other layers leave
OF_LAYER = ("m", "Pa", "", "kg/m^3")  # units of thickness, E, nu, rho


def parse_layers(texts: Sequence[str], thickness: float) -> tuple[Layer, ...]:
    """Parse ``NAME=THICKNESS[,E,nu[,rho]]``, from the tread upwards.

    One thickness may be "rest": what the others leave of the sole's `thickness` [m].

    Raises
    ------
    ConfigError
        Another form, several rests, or nothing left for the rest.
    """
    read = [_parse_layer(text) for text in texts]
    known = sum(values[0] for _, values in read if values[0] is not None)
    rests = sum(values[0] is None for _, values in read)
    if rests > 1 or (rests and known >= thickness):
        raise ConfigError(
            f"--layer: one layer may have the thickness '{REST}', and the others must leave some "
            f"of the {1e3 * thickness:.5g} mm; got {', '.join(texts)}"
        )
    names = ("young_modulus", "poisson_ratio", "density")
    layers = []
    for name, (own, *rest) in read:
        constants: dict[str, Any] = dict(zip(names, rest, strict=False))
        layers.append(
            Layer(name=name, thickness=thickness - known if own is None else own, **constants)
        )
    return tuple(layers)


def _parse_layer(text: str) -> tuple[str, list[float | None]]:
    name, equals, values = text.partition("=")
    parts = [part.strip() for part in values.split(",")]
    if not (name.strip() and equals and len(parts) in (1, 3, 4)):
        raise ConfigError(
            f"--layer {text}: expected NAME=THICKNESS, NAME=THICKNESS,E,nu or one with rho"
        )
    try:
        read = [
            None if part == REST and unit == "m" else read_quantity(part, unit)
            for part, unit in zip(parts, OF_LAYER, strict=False)
        ]
    except ConfigError as error:
        raise ConfigError(f"--layer {text}: {error}") from error
    return name.strip(), read
