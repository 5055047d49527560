from __future__ import annotations

import numpy as np
import pytest
from letters import faults_of

from sole.base.errors import SoleError
from sole.base.readable import name_in_words
from sole.pictures import ViewOptions, view_sweep
from sole.pictures.plot import draw_sweep
from sole.pictures.sweep_words import readable


@pytest.fixture(scope="module")
def table():
    """Return a table of two metrics over E, nu and friction; one case failed."""
    import xarray

    E, nu, mu = np.geomspace(1e5, 1e8, 7), np.linspace(0, 0.4, 5), np.array([0.3, 0.6])
    k = E[:, None, None] * (1 + nu[None, :, None]) * (1 + mu)
    area = 0.01 + 0.002 * np.log10(k / 1e5)
    area[2, 3, 1] = np.nan
    dims = ("young", "poisson", "friction")
    return xarray.Dataset(
        {
            "k_z_z": (dims, k, {"units": "N/m", "long_name": "stiffness", "highlight": 1}),
            "area": (dims, area, {"units": "m^2", "long_name": "contact area", "highlight": 1}),
            "one": (dims, np.ones_like(k), {"units": "1", "long_name": "one", "highlight": 0}),
            "status": (dims, np.full(k.shape, "ok", dtype=object)),
            "reason": (dims, np.full(k.shape, "", dtype=object)),
        },
        {
            "young": ("young", E, {"units": "Pa", "long_name": "Young's modulus"}),
            "poisson": ("poisson", nu, {"units": "1", "long_name": "Poisson's ratio"}),
            "friction": ("friction", mu, {"units": "1", "long_name": "friction coefficient"}),
        },
        {
            "schema": "sole.sweep/1",
            "title": "sweep of a pad",
            "rows": '{"stiffness": {}}',
            "condensations": 5,
            "compliance_error": 1e-9,
            "warnings": "[]",
        },
    )


def labels(axes):
    return axes.get_xlabel(), axes.get_ylabel()


def test_contours_have_units_log_axis_and_name_what_is_fixed(table):
    figure = draw_sweep(table, ["k_z_z", "area"])
    stiffness, area, bar, _ = figure.axes
    for axes in (stiffness, area):
        assert labels(axes) == ("Young's modulus [MPa]", "Poisson's ratio [-]")
        assert axes.get_xscale() == "log"
        assert axes.get_yscale() == "linear"
    assert bar.get_ylabel() == "Stiffness [MN/m]"
    shown = table["k_z_z"].values[:, :, 1] / 1e6
    assert bar.get_ylim() == pytest.approx((shown.min(), shown.max()))
    assert figure.get_suptitle() == "Sweep of a pad: 70 cases, at friction coefficient 0.6"
    (crosses,) = [line for line in area.lines if line.get_label() == "failed"]
    assert crosses.get_xdata() == pytest.approx([1e6])
    assert crosses.get_ydata() == pytest.approx([0.3])
    assert area.get_legend() is not None


def test_lines_over_one_axis(table):
    figure = draw_sweep(table.isel(poisson=[3], friction=[1]), ["k_z_z", "area"])
    stiffness, area = figure.axes
    assert labels(stiffness) == ("Young's modulus [MPa]", "Stiffness [MN/m]")
    assert stiffness.get_xscale() == stiffness.get_yscale() == "log"
    assert area.get_yscale() == "linear"
    np.testing.assert_allclose(stiffness.lines[0].get_ydata(), table["k_z_z"][:, 3, 1] / 1e6)
    assert figure.get_suptitle().endswith("at Poisson's ratio 0.3, friction coefficient 0.6")


def test_an_axis_that_changes_nothing_is_left_out(table):
    critical = 2e5 * (1 + table["poisson"] ** 2) * (table["one"] + 0.0)
    table = table.assign(critical=(critical.dims, critical.values, {"units": "Pa"}))
    (axes,) = draw_sweep(table, ["critical"]).axes
    assert labels(axes) == ("Poisson's ratio [-]", "Critical [kPa]")
    assert axes.get_title() == "Critical (the same for every Young's modulus)"
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 200 * (1 + table["poisson"] ** 2))


@pytest.mark.parametrize(
    ("largest", "unit", "factor", "label"),
    [
        (5e9, "N/m", 1e-9, "k [GN/m]"),
        (3e4, "N m", 1e-3, "k [kN m]"),
        (2e-2, "m^2", 1e4, "k [cm²]"),
        (0.1, "rad", 180 / np.pi, "k [deg]"),
        (0.2, "1", 1.0, "k [-]"),
        (0.0, "Pa", 1.0, "k [Pa]"),
    ],
)
def test_labels_have_units_that_read_well(largest, unit, factor, label):
    import xarray

    one = xarray.Dataset({"k": ("x", [0.0, -largest], {"units": unit})})
    assert readable(one, "k", one["k"].values) == (factor, label)


def test_a_failed_metric_does_not_break_the_picture(table, tmp_path):
    failed = table.assign(k_z_z=table["k_z_z"] * np.nan)
    failed["k_z_z"].attrs = table["k_z_z"].attrs
    texts = [t.get_text() for a in draw_sweep(failed, ["k_z_z"]).axes for t in a.texts]
    assert texts == ["no row has a value"]
    draw_sweep(failed.isel(poisson=[0], friction=[0]), ["k_z_z"]).savefig(tmp_path / "a.png")


def test_a_constant_metric_is_a_sentence_and_has_no_panel(table):
    told = table.assign(one=(table["one"].dims, table["one"].values, {"units": "rad",
                             "long_name": "a turn, to the left"}))  # fmt: skip
    figure = draw_sweep(told, ["k_z_z", "area", "one"])
    assert sum(axes.get_title() != "" for axes in figure.axes) == 2
    assert figure.get_suptitle().endswith("\nA turn, to the left: 57.3 deg in every case")
    (alone,) = draw_sweep(told, ["one"]).axes  # asked for by name
    assert alone.texts[0].get_text().startswith("57.296 everywhere")


def test_no_place_of_a_figure_stays_empty(table):
    """Of five metrics in six places, the sixth says what varies, and what is constant."""
    more = {f"k{n}": table["k_z_z"] * (n + 1) for n in range(4)}
    figure = draw_sweep(table.assign(more), ["k_z_z", *more, "one"])
    (words,) = [t.get_text() for t in figure.texts if t.get_text() != figure.get_suptitle()]
    assert words.splitlines() == [
        "Young's modulus: 7 values, 0.1 to 100 MPa",
        "Poisson's ratio: 5 values, 0 to 0.4",
        "Friction coefficient: 2 values, 0.3 to 0.6",
        "One: 1 in every case",
    ]
    for number in (1, 2, 3, 4, 6):
        names = ["k_z_z", "area", *more][:number]
        drawn = draw_sweep(table.assign(more), names)
        assert len(drawn.axes) == 2 * number  # each with its colour bar


def test_titles_and_axes_have_words_and_no_identifiers(table):
    figure = draw_sweep(table.isel(poisson=[0], friction=[0]), ["k_z_z", "area"])
    words = [figure.get_suptitle()]
    for axes in figure.axes:
        words += [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
    assert not [word for word in words if "_" in word or "^" in word]


@pytest.mark.parametrize(
    ("name", "sentence", "words"),
    [
        ("k_z_z", "foot stiffness: vertical", "foot stiffness: vertical"),
        ("waist_tilt", "largest angle between the waist's axis and the vertical", "waist tilt"),
        ("fell", "1: the robot fell", "fell"),
        ("foot_acceleration_100_hz", "largest |acceleration|", "foot acceleration below 100 Hz"),
        ("p99", "von Mises strain, 99th percentile of all by its volume", "von Mises strain"),
    ],
)  # fmt: skip
def test_a_column_has_a_short_name_in_words(name, sentence, words):
    assert name_in_words(name, sentence) == words


def test_view_draws_highlights_or_the_field_asked_for(table, tmp_path):
    path = tmp_path / "t.nc"
    table.to_netcdf(path, engine="h5netcdf")
    scene = view_sweep(path, ViewOptions())
    titles = [a.get_title() for a in scene.figure.axes]
    assert [t for t in titles if t] == ["Stiffness", "Contact area"]
    scene.write(tmp_path / "t.png")
    assert (tmp_path / "t.png").read_bytes()[:4] == b"\x89PNG"
    alone = view_sweep(path, ViewOptions(field="one", size=(600, 450)))
    assert alone.figure.get_size_inches() == pytest.approx([4.0, 3.0])
    with pytest.raises(SoleError, match="no metric 'two'; it has k_z_z, area, one"):
        view_sweep(path, ViewOptions(field="two"))
    with pytest.raises(SoleError, match="no axis of this sweep has two values"):
        draw_sweep(table.isel(young=[0], poisson=[0], friction=[0]), ["one"])


def words(table):
    """Return the table with texts in place of friction coefficients."""
    return table.assign_coords(friction=("friction", ["dry", "wet"], {"long_name": "ground"}))


def test_texts_are_lines_over_the_first_number(table):
    (axes,) = draw_sweep(words(table).isel(poisson=[3]), ["area"]).axes
    assert labels(axes) == ("Young's modulus [MPa]", "Contact area [cm²]")
    dry, wet, failed = axes.lines
    assert [line.get_label() for line in (dry, wet, failed)] == ["dry", "wet", "failed"]
    assert axes.get_legend().get_title().get_text() == "Ground"
    np.testing.assert_allclose(wet.get_ydata(), 1e4 * table["area"][:, 3, 1])
    (alone,) = draw_sweep(words(table).isel(young=[0], poisson=[0]), ["area"]).axes
    assert labels(alone) == ("Ground", "Contact area [cm²]")


def test_samples_are_points_coloured_and_marked(table):
    samples = words(table).stack(case=("young", "poisson", "friction")).reset_index("case")
    samples = samples.assign_coords(case=np.arange(samples.sizes["case"]))
    for name in ("young", "poisson", "friction"):
        samples[name].attrs = words(table)[name].attrs
    axes, bar = draw_sweep(samples, ["area"]).axes
    assert labels(axes) == ("Young's modulus [MPa]", "Contact area [cm²]")
    assert (axes.get_xscale(), bar.get_ylabel()) == ("log", "Poisson's ratio [-]")
    dry, wet = axes.collections[:2]
    assert [p.get_label() for p in (dry, wet)] == ["dry", "wet"]
    assert len(dry.get_offsets()) == len(wet.get_offsets()) == 35
    areas = 1e4 * table["area"][:, :, 0].values.ravel()
    np.testing.assert_allclose(dry.get_offsets()[:, 1], areas)
    assert axes.lines[0].get_xdata() == pytest.approx([1e6])
    samples.attrs["ensemble"] = '["poisson"]'
    assert len(draw_sweep(samples, ["area"]).axes) == 1  # repeats have no colour


@pytest.mark.parametrize(
    "size",
    [
        (400, 300),
        (3000, 2000),
        *(pytest.param(s, marks=pytest.mark.nightly) for s in ((800, 600), None)),
    ],
)
@pytest.mark.parametrize("kind", ["maps", "lines", "words"])
def test_letters_have_room(table, size, kind):
    chosen = {"maps": table, "lines": table.isel(poisson=[0], friction=[0]), "words": words(table)}
    assert not faults_of(draw_sweep(chosen[kind], ["k_z_z", "area", "one"], size=size))
