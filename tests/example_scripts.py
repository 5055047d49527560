"""Load the scripts of `examples/` as modules, so that tests can call their `main`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


def load(name: str) -> ModuleType:
    """Return the example `name` as a module."""
    path = next(p for p in EXAMPLES if p.stem == name)
    spec = importlib.util.spec_from_file_location(f"examples_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
