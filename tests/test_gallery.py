"""Every picture of the gallery belongs to its script, is small, and a few are made again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from example_scripts import EXAMPLES
from PIL import Image

LONGEST = 40  # lines of a script


@pytest.fixture(scope="module")
def gallery():
    """`examples/gallery` as a module."""
    import importlib.util

    path = EXAMPLES[0].parent / "gallery" / "__main__.py"
    spec = importlib.util.spec_from_file_location("examples_gallery", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_there_are_enough_short_scripts(gallery):
    scripts = gallery.scripts()
    assert len(scripts) >= 24
    for script in scripts.values():
        assert len(script.read_text(encoding="utf-8").splitlines()) <= LONGEST, script.name
    inside = {p.stem for p in gallery.HERE.glob("*") if p.suffix in {".py", ".sh"}}
    assert inside - {"__main__"} == set(scripts)


def test_every_picture_was_made_by_its_script_as_it_stands(gallery):
    made = json.loads(gallery.MADE.read_text(encoding="utf-8"))
    stale = [n for n, s in gallery.scripts().items() if made.get(n) != gallery.digest_of(s)]
    assert not stale, f"make gallery ARGS='{' '.join(stale)}'"
    assert set(made) == set(gallery.scripts())
    sizes = {name: (gallery.PAGES / f"{name}.png").stat().st_size for name in made}
    assert {n: s for n, s in sizes.items() if not 3000 < s < gallery.LARGEST} == {}


def test_the_page_is_the_one_that_is_written(gallery):
    page = (gallery.PAGES / "index.md").read_text(encoding="utf-8")
    assert page == gallery.page()
    assert page.count("](../../examples/gallery/") == len(gallery.scripts())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "wrench_cone",
        *(pytest.param(n, marks=pytest.mark.nightly) for n in ("cone_and_node", "four_pads")),
    ],
)
def test_a_picture_is_made_again(gallery, tmp_path, name):
    fresh = gallery.make(gallery.scripts()[name], tmp_path)
    there, here = (grey(path) for path in (gallery.PAGES / f"{name}.png", fresh))
    assert np.abs(there - here).mean() < 2  # of 255: fonts and antialiasing differ


def test_another_picture_is_told_apart(gallery):
    one, other = (grey(gallery.PAGES / f"{name}.png") for name in ("drop", "slide"))
    assert np.abs(one - other).mean() > 4


def grey(path: Path):
    with Image.open(path) as image:
        return np.asarray(image.convert("L").resize((160, 120)), dtype=float)
