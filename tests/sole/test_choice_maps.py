"""What the pictures of a choice show: panels by word, lines, error bars, numbers of materials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from declared import declared
from matplotlib.collections import LineCollection
from matplotlib.contour import QuadContourSet

from sole.studies.choice import Cases, average_over, choose
from sole.studies.choice.drawings import numbered
from sole.studies.choice.elastic import Tread, elastic_constants
from sole.studies.choice.figures import draw_front
from sole.studies.choice.map_caption import caption_maps
from sole.studies.choice.maps import GAP, _apart, draw_maps
from sole.studies.choice.recommendation_text import recommendation
from sole.studies.choice.series import Series

E, NU, WORDS = np.geomspace(1e5, 1e8, 4), np.array([0.0, 0.3, 0.49]), ("pd", "stabiliser")


def study(*names):
    """A full grid over some of nu, controller, E and seed, in this order of axes."""
    values = {"poisson": NU, "controller": np.arange(2.0), "young": E, "seed": np.arange(3.0)}
    grids = np.meshgrid(*(values[n] for n in names), indexing="ij")
    axes = {n: Series(g.ravel(), quantity=n) for n, g in zip(names, grids, strict=True)}
    if "controller" in axes:
        axes["controller"] = Series(axes["controller"].values, labels=WORDS)
    size = grids[0].size
    seed = axes["seed"].values if "seed" in axes else np.zeros(size)
    e = np.log10(axes["young"].values) if "young" in axes else np.arange(size) + 1.0
    metrics = {"a": Series(e + 0.1 * seed, "m"), "b": Series(10 / e + 0.01 * seed, "rad")}
    shape = tuple(len(values[n]) for n in names)
    return Cases(axes, metrics, ("",) * size, shape, elastic=elastic_constants(axes))


def maps(figure):
    """The axes that have a title: those of maps and lines, not of colour bars."""
    return [a for a in figure.axes if a.get_title()]


def test_every_word_has_its_map_with_e_across():
    found = maps(draw_maps(choose(study("poisson", "controller", "young"))))
    assert [a.get_title() for a in found] == [
        "a, controller = pd",
        "b, controller = pd",
        "a, controller = stabiliser",
        "b, controller = stabiliser",
    ]
    for axes in found:
        assert (axes.get_xlabel(), axes.get_xscale()) == ("young", "log")
        assert (axes.get_ylabel(), axes.get_yscale()) == ("poisson", "linear")


def test_maps_name_the_materials_by_number():
    figure = draw_maps(choose(study("young", "poisson")))
    line = figure.get_supxlabel()
    assert "Shore A 40 rubber" in line
    number = line.split("natural rubber, 45 IRHD")[0].split("  ")[-1].strip().split(" ")[0]
    assert number in {t.get_text() for t in maps(figure)[0].texts}


@pytest.mark.parametrize(("young", "poisson"), [(2.512e6, 0.4), (1.3e6, 0.49), (8e6, 0.35)])
def test_the_label_of_the_recommended_row_names_the_material_of_the_text(young, poisson):
    """The text's nearest one, by the same distance: EVA foam for 2.5 MPa, not a rubber."""
    axes = {"young": Series(np.array([0.4, 1.0, 2.5]) * young, "Pa", quantity="young")}
    elastic = elastic_constants(axes, {"": Tread("sole", {"poisson_ratio": poisson})})
    metrics = {"a": Series(np.array([3.0, 1.0, 2.0])), "b": Series(np.array([2.0, 1.0, 3.0]))}
    choice = choose(Cases(axes, metrics, ("",) * 3, (3,), elastic=elastic))
    assert choice.row == 1
    name = choice.materials[0][0].name
    (label,) = [names for _, names, row in numbered(choice) if row == choice.row]
    assert label[0] == name
    assert f"Nearest: {name}" in " ".join(recommendation(choice))
    (front,) = draw_front(choice).axes
    assert any(t.get_text().partition(" ")[2].startswith(name) for t in front.texts)


@pytest.mark.parametrize("names", [("young", "controller"), ("controller",)])
def test_fewer_axes_of_numbers_make_lines_or_dots(names):
    found = maps(draw_maps(choose(study(*names))))
    assert [a.get_title() for a in found] == ["a", "b"]
    told = {t.get_text() for t in found[0].get_legend().get_texts()}
    if names == ("controller",):
        assert [t.get_text() for t in found[0].get_xticklabels()] == list(WORDS)
    else:
        assert {"controller = pd", "controller = stabiliser"} <= told


def test_a_further_axis_of_numbers_is_cut_at_the_recommended_value():
    choice = choose(study("young", "poisson", "seed"), ["a,max:b"])  # seed 0 is best in a
    assert maps(draw_maps(choice))[0].get_title().startswith("a, seed = ")


def bars(axes):
    return [c for c in axes.collections if isinstance(c, LineCollection)]


def test_means_over_repeats_have_error_bars():
    with_bars = choose(average_over(study("young", "seed"), ["seed"]))
    (front,) = draw_front(with_bars).axes
    (across, up) = bars(front)
    # x = e, e + 0.1, e + 0.2: s = 0.1; y likewise with 0.01 rad
    half = 4.302653 * 0.1 / np.sqrt(3)
    widths = sorted(np.ptp(np.array(p)[:, 0]) for p in across.get_segments())
    assert widths == pytest.approx([2 * half] * 4)
    heights = [np.ptp(np.array(p)[:, 1]) for p in up.get_segments()]
    assert heights == pytest.approx([np.degrees(0.2 * half)] * 4)
    assert len(bars(maps(draw_maps(with_bars))[0])) == 1
    assert not bars(draw_front(choose(study("young"))).axes[0])


def test_numbers_keep_apart_and_inside():
    assert _apart([0.2, 0.5]) == [0.2, 0.5]
    found = np.array(_apart([0.0, 0.5, 0.5, 0.51, 1.0, 1.0]))
    assert np.diff(found).min() >= GAP - 1e-12
    assert GAP / 2 <= found.min()
    assert found.max() <= 1 - GAP / 2


def test_an_axis_is_known_by_what_it_varies_not_by_its_name():
    cases = study("poisson", "young")
    axes = {"nu": cases.axes["poisson"], "E": cases.axes["young"]}
    figure = draw_maps(choose(replace(cases, axes=axes, elastic=elastic_constants(axes))))
    found = maps(figure)[0]
    assert (found.get_xlabel(), found.get_ylabel()) == ("E", "nu")
    assert "Shore A 40 rubber" in figure.get_supxlabel()


def test_the_colours_are_not_those_of_falls():
    cases = study("young", "poisson")
    fell = np.arange(cases.size) == 0
    metrics = {"a": replace(cases.metrics["a"], values=cases.metrics["a"].values + 100 * fell)}
    metrics |= {"b": cases.metrics["b"], "fell": declared("fell", fell.astype(float))}
    axes = maps(draw_maps(choose(replace(cases, metrics=metrics), ["a,b"])))[0]
    (filled,) = (c for c in axes.collections if isinstance(c, QuadContourSet) and c.filled
                 and c.get_array() is not None and len(c.levels) > 3)  # fmt: skip
    assert filled.norm.vmax == pytest.approx(8)


def test_the_caption_explains_what_is_drawn_and_nothing_else():
    with_bars = choose(study("young", "poisson"))
    assert "Numbered bars" in caption_maps(with_bars)
    assert "infeasible" not in caption_maps(with_bars) and "Red" not in caption_maps(with_bars)
    some = choose(study("young", "poisson"), constraints=["a <= 7"])
    assert "Hatched: infeasible" in caption_maps(some)
    one = study("young")
    rubber = {"": Tread("sole", {"young_modulus": 1e6, "poisson_ratio": 0.45})}
    one = replace(one, elastic=elastic_constants(one.axes, rubber))
    lines = caption_maps(choose(one, constraints=["a <= 7"]))
    assert "Crosses: infeasible" in lines and "Numbers: real materials" in lines
    other = study("young", "seed")
    choice = choose(replace(other, elastic=elastic_constants(other.axes, rubber)))
    told = caption_maps(choice)
    nobody = replace(with_bars, places=())  # no row is near any material
    assert "aterials" not in caption_maps(nobody)
    assert choice.places and "not drawn" in told and "Numbered bars" not in told
