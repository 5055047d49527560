"""Rows of presses at finite strain: those of the press, for every E by F/E."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from box_mesh import box_mesh

from contact.finite_press import press_finite
from contact.finite_press.finite_rows import FinitePressRows
from contact.press import Wrench
from sole.base.errors import ConfigError
from sole.condense import condense
from sole.hyperelastic import FiniteSole
from sole.material import Material
from sole.mesh import write_mesh
from sole.studies import Case, Request, resolve_request

RUBBER = Material(young_modulus=1e6, poisson_ratio=0.45)


@pytest.fixture(scope="module")
def sole():
    return condense(box_mesh(0.24, 0.14, 0.02, (4, 3, 1)), RUBBER)


def case(sole, scale):
    materials = tuple(m.scaled(scale) for m in sole.materials)
    return Case(index=0, settings={"friction": 0.6}, materials=materials, scale=scale, young=scale)


def test_a_softer_case_is_a_press_of_its_own_laws(sole):
    """The row comes from the shared sole under F/s; this presses the laws of the case itself."""
    options = {"force": 600.0, "cop": [0.06, 0.01], "increments": 2}
    rows, shared = FinitePressRows(options), SimpleNamespace(sole=sole)
    for scale in (0.5, 1.0):
        own = case(sole, scale)
        row = rows.row(shared, own)
        law = FiniteSole(sole.mesh, own.materials, "ccr")
        load = Wrench.standing(600.0, (0.06, 0.01))
        done = press_finite(law, load, friction=0.6, increments=2)
        assert row["sink"] == pytest.approx(-done.motion[2], rel=1e-6)
        assert row["pitch"] == pytest.approx(done.motion[4], rel=1e-6)
        assert row["pressure_max"] == pytest.approx(done.pressure.max(), rel=1e-6)
        assert row["energy"] == pytest.approx(done.energy, rel=1e-6)
        assert row["strain"] == pytest.approx(done.field.strain, rel=1e-6)
        assert row["residual"] < 1e-8 and set(row) == set(rows.columns)


def test_sweep_finite_gives_the_options_of_presses_to_these_rows(sole, tmp_path):
    path = tmp_path / "pad.msh"
    write_mesh(path, sole.mesh)
    axes, press = {"young": ["1e6"], "poisson": ["0.45"]}, {"force": 600.0, "cop": None}
    for finite, kind in ((True, "finite_press"), (False, "press")):
        study, _, _ = resolve_request(Request(source=path, axes=axes, press=press, finite=finite))
        assert study.rows == ("stiffness", kind) and study.options == {kind: {"force": 600.0}}


def test_strains_are_always_given():
    with pytest.raises(ConfigError, match="finite_press rows have no option 'fields'"):
        FinitePressRows({"force": 600.0, "fields": False})
