"""Pages on a phone: nothing is wider than the screen, and nothing is asked of another site."""

from __future__ import annotations

import time

import numpy as np
import pytest
from box_mesh import box_mesh
from browser import Browser, needs_browser
from declared import declared
from small_robot import drop, simulator

from contact.ground import Bump
from contact.pictures.press_view import press_scene
from contact.press import Wrench, press
from robot.pictures.browser import run_page
from sole.condense import condense
from sole.material import Material
from sole.pictures import ViewOptions
from sole.studies.choice import Cases, choose, report_page
from sole.studies.choice.elastic import elastic_constants
from sole.studies.choice.series import Series

WIDTH, HEIGHT = 400, 800
WIDER = (
    "[...document.querySelectorAll('body *')].filter(e => !e.closest('.wide') && "
    "e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName).join()"
)


def write_report(path):
    E, nu = (g.ravel() for g in np.meshgrid(np.geomspace(1e5, 1e7, 4), [0.3, 0.45]))
    axes = {"young": Series(E, "Pa", quantity="young"), "poisson": Series(nu, quantity="poisson")}
    metrics = {"sink": declared("sink", 1e3 / E, "m"), "load": declared("load", E, "Pa")}
    cases = Cases(axes, metrics, ("",) * 8, (2, 4), elastic=elastic_constants(axes))
    path.write_text(report_page(choose(cases), "pad.nc"), encoding="utf-8")


def write_press(path):
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    sole = condense(box_mesh(0.20, 0.10, 0.02, (6, 4, 2)), rubber, "p1")
    result = press(sole, Wrench.standing(300.0), Bump(rise=0.003, radius=0.05))
    press_scene(result, ViewOptions()).write(path)


def write_run(path):
    run_page([drop(simulator(), 60, nodes=5).recorder.run()], ["drop"]).write(path)


@needs_browser
@pytest.mark.parametrize(
    "write",
    [write_run, *(pytest.param(w, marks=pytest.mark.nightly) for w in (write_report, write_press))],
)
def test_a_page_fits_a_phone(write, tmp_path):
    path = tmp_path / "page.html"
    write(path)
    with Browser(1280, 800) as browser:
        browser.send(
            "Emulation.setDeviceMetricsOverride",
            width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=True,
        )  # fmt: skip
        browser.open(path.as_uri(), "document.readyState == 'complete'")
        time.sleep(0.5)
        assert browser.run("document.documentElement.scrollWidth") <= WIDTH
        assert browser.run(WIDER) == ""
        assert not [r for r in browser.requests if not r.startswith(("file:", "data:", "blob:"))]
