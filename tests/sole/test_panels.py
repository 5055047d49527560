"""Sheets of panels at many sizes: letters lie on no others, objects fill their panels.

Letters are found where VTK puts them: texts by their place and size, labels of rulers and bars by
the same measure of their letters.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.ground import Step
from contact.pictures import press_scene
from contact.pictures.ground_view import ground_scene
from contact.press import Wrench, press
from sole.condense import condense
from sole.material import Material
from sole.pictures import PyVistaScene, ViewOptions, condensed_scene, off_screen_rendering, rulers
from sole.pictures.drawing import lettering, text_size
from sole.pictures.view import mesh_scene

SIZES = [None, (600, 420), (1000, 700), (1280, 720), (2000, 1400)]
KINDS = ("press", "mesh", "condensed", "ground")
SLACK = 1.0  # pixel


@pytest.fixture(scope="module")
def scenes() -> dict[str, PyVistaScene]:
    mesh = box_mesh(0.216, 0.140, 0.020, (6, 4, 2), layers=(1.0, 1.0))
    materials = [Material(young_modulus=E, poisson_ratio=0.45) for E in (1e6, 3e6)]
    sole = condense(mesh, materials, "p1")
    ground = Step(rise=0.004, x=0.0)
    load = Wrench.standing(570.0, cop=(0.02, 0.01), shear=(50.0, 0.0))
    options = ViewOptions()
    return {
        "press": press_scene(press(sole, load, ground), options),
        "mesh": mesh_scene(sole.mesh, options),
        "condensed": condensed_scene(sole, options),
        "ground": ground_scene(ground, options),
    }


def rectangle(corner, size, across=0.0, down=0.0):
    """Return (left, bottom, right, top) of a text with its corner and share of justification."""
    x, y = corner[0] - across * size[0], corner[1] - down * size[1]
    return x, y, x + size[0], y + size[1]


def texts_of(plotter):
    """Return {renderer: [(text, rectangle in pixels of the window)]} of titles, notes, legends."""
    import pyvista

    found = []
    for k, renderer in enumerate(plotter.renderers):
        x0, y0, x1, y1 = renderer.GetViewport()
        w, h = plotter.window_size
        for actor in renderer.actors.values():
            if not isinstance(actor, pyvista.Text):
                continue
            at = np.array(actor.position)
            corner = (w * (x0 + (x1 - x0) * at[0]), h * (y0 + (y1 - y0) * at[1]))
            prop = actor.prop
            across = {"left": 0.0, "center": 0.5, "right": 1.0}[prop.justification_horizontal]
            down = {"bottom": 0.0, "center": 0.5, "top": 1.0}[prop.justification_vertical]
            found.append((k, actor.input, rectangle(corner, text_size(actor), across, down)))
    return found


def bars_of(plotter):
    """Return the rectangles of the colour bars with their numbers and titles."""
    from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor

    found = []
    for k, renderer in enumerate(plotter.renderers):
        x0, y0, x1, y1 = renderer.GetViewport()
        w, h = plotter.window_size
        for actor in renderer.actors.values():
            if isinstance(actor, vtkScalarBarActor):
                a, b = actor.GetPosition(), actor.GetPosition2()
                left, low = w * (x0 + (x1 - x0) * a[0]), h * (y0 + (y1 - y0) * a[1])
                found.append(
                    (k, "bar", (left, low, left + w * (x1 - x0) * b[0], low + h * (y1 - y0) * b[1]))
                )
    return found


def labels_of(plotter, noted):
    """Return the rectangles of the rulers' letters, noted while they were drawn."""
    import pyvista

    found = []
    for k, points, words, size in noted:
        renderer = plotter.renderers[k]
        probe = pyvista.Text("x")
        probe.prop.font_size = size
        for point, word in zip(points, words, strict=True):
            renderer.SetWorldPoint(*point, 1.0)
            renderer.WorldToDisplay()
            at = renderer.GetDisplayPoint()[:2]
            found.append((k, word, rectangle(at, text_size(probe, word), 0.5, 0.5)))
    return found


def meet(one, other):
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width > SLACK and height > SLACK


@pytest.mark.parametrize(
    "size",
    [pytest.param(s, marks=() if s in (None, (600, 420)) else pytest.mark.nightly) for s in SIZES],
)
@pytest.mark.parametrize("kind", KINDS)
def test_no_letters_lie_on_others_or_leave_the_sheet(scenes, kind, size, monkeypatch):
    noted, draw = [], rulers._labels

    def note(plotter, points, texts, size, *rest, **options):
        place = plotter.renderers.active_index
        noted.append((place, np.atleast_2d(points), texts, size))
        draw(plotter, points, texts, size, *rest, **options)

    monkeypatch.setattr(rulers, "_labels", note)
    with off_screen_rendering():
        plotter = replace(scenes[kind], size=size).plotter()
        try:
            plotter.render()
            found = texts_of(plotter) + bars_of(plotter) + labels_of(plotter, noted)
            across, down = plotter.window_size
        finally:
            plotter.close()
    assert len(found) > 8
    faults = [
        (one[1], other[1])
        for i, one in enumerate(found)
        for other in found[:i]
        if meet(one[2], other[2])
    ]
    faults += [
        (word, "edge")
        for _, word, box in found
        if min(box[0], box[1], across - box[2], down - box[3]) < -SLACK
    ]
    assert faults == []


@pytest.mark.parametrize("kind", KINDS)
def test_objects_fill_seven_tenths_of_their_panels(scenes, kind):
    """In width or in height, without rulers: the rest is for letters and bars."""
    import pyvista

    with off_screen_rendering():
        plotter = scenes[kind].plotter()
        try:
            for renderer in list(plotter.renderers)[: len(scenes[kind].panels)]:
                x0, y0, x1, y1 = renderer.GetViewport()
                w, h = plotter.window_size
                matrix = renderer.camera.GetCompositeProjectionTransformMatrix(
                    (x1 - x0) * w / ((y1 - y0) * h), -1, 1
                )
                M = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
                points = np.concatenate(
                    [
                        np.asarray(actor.mapper.dataset.points)
                        for name, actor in renderer.actors.items()
                        if isinstance(actor, pyvista.Actor) and not name.startswith("ruler")
                    ]
                )
                seen = (M @ np.column_stack([points, np.ones(len(points))]).T)[:2]
                assert np.ptp(seen, axis=1).max() / 2 >= 0.7
                assert np.abs(seen).max() < 1.0
        finally:
            plotter.close()


def test_no_sheet_shows_a_scale_twice(scenes):
    from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor

    with off_screen_rendering():
        for scene in scenes.values():
            plotter = scene.plotter()
            scales = [
                (actor.GetTitle().strip(), actor.GetLookupTable().GetTableRange())
                for renderer in plotter.renderers
                for actor in renderer.actors.values()
                if isinstance(actor, vtkScalarBarActor)
            ]
            plotter.close()
            assert len(scales) == len(set(scales))


def test_letters_of_a_sheet_have_one_size(scenes):
    with off_screen_rendering():
        plotter = scenes["press"].plotter()
        sizes = set()
        for k in range(len(scenes["press"].panels)):
            plotter.subplot(0, k)
            sizes.add(lettering(plotter, 11))
        plotter.close()
    assert len(sizes) == 1
