"""The elements by name, the default, and the Poisson's ratios that each can take.

`ccr` is the default: at the ratios of rubber `p2` is too stiff by some per cent and `p1` by a
quarter, and no element is exchanged for another because of a value of nu, which a sweep varies.
"""

from __future__ import annotations

from sole.base.errors import SoleError

ELEMENTS = ("p1", "p2", "ccr")
DEFAULT_ELEMENT = "ccr"
# Above this Poisson's ratio the element is too stiff, warn: p2 by more than about 2 % for a bonded
# pad of usual size and mesh, p1, for quick looks only, by a quarter (docs/theory.md, from
# `benchmarks/page_tables/stiffness_errors.py`).
LOCKING_LIMIT = {"p1": 0.45, "p2": 0.4, "ccr": 0.5}  # ccr: 1.4 % at 0.49999
# Above this the volumetric part exhausts the accuracy of the factorisation: refuse.
POISSON_LIMIT = {"p1": 0.4999, "p2": 0.4999, "ccr": 0.499999}


def check_element(name: str) -> str:
    """Return `name` if it is an element; raise SoleError with the valid names otherwise."""
    if name not in ELEMENTS:
        raise SoleError(f"unknown element '{name}', expected one of {', '.join(ELEMENTS)}")
    return name
