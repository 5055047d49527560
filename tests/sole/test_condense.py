"""The condensed sole: dense Schur complement, bounds, known pads, mirror, scaling, file."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.base.errors import MaterialError, ResourceError, SchemaError
from sole.condense import (
    CondensedSole,
    Condenser,
    Recovery,
    condense,
    load_condensed,
    recover,
    save_condensed,
)
from sole.elasticity import assemble_stiffness
from sole.elimination import check_memory
from sole.material import Material

E, A, t = 1e6, 0.23 * 0.13, 0.02


def material(nu: float) -> Material:
    return Material(young_modulus=E, poisson_ratio=nu)


def confined(nu: float) -> float:
    """Oedometric modulus over E: (1 - nu) / ((1 + nu) (1 - 2 nu))."""
    return (1 - nu) / ((1 + nu) * (1 - 2 * nu))


@pytest.fixture(scope="module")
def pad() -> CondensedSole:
    return condense(box_mesh(0.23, 0.13, t, (8, 5, 2)), material(0.4))


@pytest.mark.parametrize("element", ["p1", "p2", "ccr"])
def test_schur_complement_equals_a_dense_one(element: str) -> None:
    mesh = box_mesh(0.2, 0.1, 0.03, (4, 3, 2), (1, 1))
    materials = [material(0.4), material(0.2).scaled(3)]
    sole = condense(mesh, materials, element)
    parts = assemble_stiffness(mesh, element)
    K = parts.stiffness(materials).to_csr().toarray()
    c = (3 * parts.contact[:, None] + np.arange(3)).ravel()
    n = np.setdiff1d(np.arange(len(K)), c)
    K_c = K[np.ix_(c, c)] - K[np.ix_(c, n)] @ np.linalg.solve(K[np.ix_(n, n)], K[np.ix_(n, c)])
    C = np.linalg.inv(K)[np.ix_(c, c)]
    assert np.abs(sole.stiffness - K_c).max() <= 1e-12 * np.abs(K_c).max()
    assert np.abs(sole.compliance - C).max() <= 1e-12 * np.abs(C).max()
    assert np.array_equal(sole.stiffness, sole.stiffness.T)
    assert np.array_equal(sole.compliance, sole.compliance.T)
    assert np.linalg.eigvalsh(sole.compliance)[0] > 0


@pytest.mark.parametrize("element", ["p1", "p2", "ccr"])
@settings(max_examples=8, deadline=None)
@given(nu=st.floats(-0.3, 0.4))
def test_bonded_stiffness_lies_between_the_rigorous_bounds(element: str, nu: float) -> None:
    """E A/t <= k_z <= E (1-nu) A/((1+nu)(1-2nu) t): the P1 trace keeps both bounds."""
    sole = condense(box_mesh(0.1, 0.06, 0.02, (3, 2, 1)), material(nu), element)
    k = sole.foot_stiffness[2, 2] / (E * 0.1 * 0.06 / 0.02)
    assert 1 - 1e-12 <= k <= confined(nu) * (1 + 1e-12)


def test_pad_without_poisson_effect_is_exact() -> None:
    """nu = 0: k_z = E A/t to round-off; shear of a thin pad tends to G A/t from below."""
    K6 = condense(box_mesh(0.23, 0.13, t, (8, 5, 2)), material(0)).foot_stiffness
    assert K6[2, 2] == pytest.approx(E * A / t, rel=1e-12)
    shear = []
    for thickness in (0.02, 0.005):
        K6 = condense(box_mesh(0.23, 0.13, thickness, (16, 8, 2)), material(0.3)).foot_stiffness
        shear.append(K6[0, 0] / (E / 2.6 * A / thickness))
    assert shear[0] < shear[1] < 1.0
    assert shear[1] > 0.97


def test_thin_bonded_pad_tends_to_the_confined_modulus() -> None:
    """k_z t/(E A) rises to (1-nu)/((1+nu)(1-2nu)) as t/L falls, and stays below it."""
    nu = 0.3
    ratio = [
        condense(box_mesh(0.2, 0.2, thickness, (12, 12, 1)), material(nu)).foot_stiffness[2, 2]
        * thickness / (E * 0.04)
        for thickness in (0.02, 0.004, 0.001)
    ]  # fmt: skip
    assert ratio[0] < ratio[1] < ratio[2] < confined(nu)
    assert ratio[2] > 0.98 * confined(nu)


def test_bonded_pad_against_the_refined_continuum_value() -> None:
    """1.838 E A/t at nu = 0.4; P2 with about 136 tread vertices within 3 %."""
    sole = condense(box_mesh(0.23, 0.13, t, (15, 8, 2)), material(0.4))
    assert len(sole.points) == 144
    assert sole.foot_stiffness[2, 2] / (E * A / t) == pytest.approx(1.838, rel=0.03)
    assert sole.foot_stiffness[2, 2] / (E * A / t) > 1.838  # displacement FEM: from above


def test_uniform_indentation_presses_on_every_vertex(pad: CondensedSole) -> None:
    """Contact on all P2 nodes would make vertices pull; under the P1 trace none does."""
    indentation = np.zeros((len(pad.points), 3))
    indentation[:, 2] = 1.0
    assert (pad.stiffness @ indentation.ravel()).reshape(-1, 3)[:, 2].min() > 0


def test_ccr_does_not_lock() -> None:
    """nu = 0.499: Taylor-Hood gives 14.2 MN/m; CCR within 4 %, P2 far above."""
    mesh = box_mesh(0.23, 0.13, t, (12, 7, 2))
    ccr = condense(mesh, material(0.499), "ccr").foot_stiffness[2, 2]
    assert ccr == pytest.approx(14.2e6, rel=0.04)
    with pytest.warns(UserWarning, match=r"locks at Poisson's ratio 0\.499"):
        p2 = condense(mesh, material(0.499), "p2").foot_stiffness[2, 2]
    assert p2 > 1.05 * ccr


def test_warns_of_locking_only_where_it_locks() -> None:
    mesh = box_mesh(0.1, 0.06, 0.02, (2, 2, 1))
    for element, nu, percent in (("p1", 0.47, "13 to 27"), ("p2", 0.42, "2 to 4")):
        with pytest.warns(UserWarning, match=f"{percent} % too high at 0.45.* use element ccr"):
            condense(mesh, material(nu), element)
    layered = box_mesh(0.1, 0.06, 0.02, (2, 2, 3), (1.0, 1.0, 1.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        condense(layered, [material(nu) for nu in (0.45, 0.3, 0.45)], "p2")
    (one,) = caught  # for all layers of one nu
    assert str(one.message).startswith("layer 'layer0', 'layer2': element 'p2' locks")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        condense(mesh, material(0.4), "p2")
        condense(mesh, material(0.49995), "ccr")


@pytest.mark.parametrize(("nu", "element"), [(0.49995, "p2"), (0.4999999, "ccr")])
def test_refuses_what_the_element_cannot_resolve(nu: float, element: str) -> None:
    with pytest.raises(MaterialError, match=r"too close to 0\.5"):
        condense(box_mesh(0.1, 0.06, 0.02, (2, 2, 1)), material(nu), element)


@pytest.mark.parametrize("bad", [{"young_modulus": 0.0}, {"young_modulus": float("nan")},
                                 {"poisson_ratio": 0.5}, {"poisson_ratio": -1.0},
                                 {"density": -1.0}, {"young_modulus": 1e300},
                                 {"density": 1e300}])  # fmt: skip
def test_refuses_unphysical_material(bad: dict[str, float]) -> None:
    with pytest.raises(MaterialError, match="got"):
        Material(**{"young_modulus": 1e6, "poisson_ratio": 0.3, **bad})


def test_compliance_inverts_stiffness(pad: CondensedSole) -> None:
    product = pad.stiffness @ pad.compliance
    assert np.abs(product - np.eye(len(product))).max() <= 1e-11


def test_scaling_young_modulus_is_exact(pad: CondensedSole) -> None:
    direct = condense(pad.mesh, material(0.4).scaled(4))
    scaled = pad.scaled(4)
    assert np.array_equal(scaled.stiffness, direct.stiffness)
    assert np.array_equal(scaled.compliance, direct.compliance)


def test_mirrored_sole_equals_the_condensed_mirrored_mesh() -> None:
    mesh = box_mesh(0.2, 0.1, 0.03, (4, 3, 2))
    points = mesh.points.copy()
    points[:, 1] += 0.1 * points[:, 0]  # no symmetry of its own
    mesh = replace(mesh, points=points)
    mirrored = condense(mesh, material(0.4)).mirrored()
    direct = condense(mesh.mirrored(), material(0.4))
    assert np.array_equal(mirrored.points, direct.points)
    scale = np.abs(direct.stiffness).max()
    assert np.abs(mirrored.stiffness - direct.stiffness).max() <= 1e-11 * scale
    assert np.array_equal(mirrored.mirrored().compliance, condense(mesh, material(0.4)).compliance)


def test_foot_stiffness_is_the_wrench_of_a_rigid_motion() -> None:
    """omega x r with r from the projected origin; moments r x f of the nodal forces."""
    flat = box_mesh(0.2, 0.1, 0.03, (4, 3, 1))
    rocker = flat.points * np.column_stack([np.ones((len(flat.points), 2)), 1 - flat.points[:, 0]])
    pad = condense(replace(flat, points=rocker), material(0.4))
    assert np.ptp(pad.points[:, 2]) > 0.005
    motion = np.array([1e-3, -2e-3, 3e-3, 0.01, -0.02, 0.03])
    r = pad.points - pad.origin
    u = motion[:3] + np.cross(motion[3:], r)
    f = (pad.stiffness @ u.ravel()).reshape(-1, 3)
    wrench = np.concatenate([f.sum(axis=0), np.cross(r, f).sum(axis=0)])
    assert np.allclose(pad.foot_stiffness @ motion, wrench, rtol=1e-12, atol=1e-9)


def test_mass_centre_and_inertia_of_a_box(pad: CondensedSole) -> None:
    body = pad.inertia
    m = 1100 * A * t
    assert body.mass == pytest.approx(m, rel=1e-12)
    assert np.allclose(body.center_of_mass, [0, 0, -t / 2], atol=1e-15)
    expected = m / 12 * np.diag([0.13**2 + t**2, 0.23**2 + t**2, 0.23**2 + 0.13**2])
    assert np.allclose(body.inertia, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("element", ["p1", "p2", "ccr"])
def test_recovered_field_carries_the_work_of_the_forces(element: str) -> None:
    """int sigma:eps/2 = f'Cf/2 where strain is constant per element (P1); tread = C f always."""
    mesh = box_mesh(0.2, 0.1, 0.03, (4, 3, 2))
    sole = condense(mesh, material(0.4), element)
    forces = np.random.default_rng(3).standard_normal((len(sole.points), 3))
    d = recover(sole, forces)
    u = (sole.compliance @ forces.ravel()).reshape(-1, 3)
    assert np.allclose(d.displacement[mesh.tread_vertices], u, rtol=1e-9, atol=1e-18)
    assert np.array_equal(
        d.displacement[np.unique(mesh.bond)], 0 * d.displacement[np.unique(mesh.bond)]
    )
    shear = np.array([1, 1, 1, 2, 2, 2])
    work = (d.stress * d.strain * shear).sum(axis=1) @ d.volumes / 2
    if element == "p1":
        assert work == pytest.approx(d.energy, rel=1e-11)
    else:  # the centroid rule misses what varies inside an element
        assert 0 < work < d.energy


def test_recovered_uniform_compression() -> None:
    """nu = 0, uniform pressure p: strain p/E, von Mises p everywhere."""
    sole = condense(box_mesh(0.2, 0.1, 0.03, (4, 3, 2)), material(0))
    p = 1e4
    forces = np.zeros((len(sole.points), 3))
    forces[:, 2] = p * sole.areas
    d = Recovery(sole)(forces, scale=2.0)
    assert np.allclose(d.von_mises, p, rtol=1e-10)
    assert np.allclose(d.strain[:, 2], -p / (2 * E), rtol=1e-10)


def test_file_round_trip(pad: CondensedSole, tmp_path: Path) -> None:
    save_condensed(tmp_path / "pad.npz", pad)
    again = load_condensed(tmp_path / "pad.npz")
    for name in ("points", "stiffness", "compliance", "origin", "areas"):
        assert np.array_equal(getattr(again, name), getattr(pad, name))
    assert again.digest == pad.digest
    assert again.materials == pad.materials
    with np.load(tmp_path / "pad.npz") as f:  # the names that scripts rely on
        assert f["points"].shape == (len(pad.points), 3)
        assert f["stiffness"].shape == f["compliance"].shape == (3 * len(pad.points),) * 2


def test_altered_or_truncated_file_is_refused(pad: CondensedSole, tmp_path: Path) -> None:
    path = tmp_path / "pad.npz"
    save_condensed(path, pad)
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 40):
        path.write_bytes(whole[:size])
        with pytest.raises(SchemaError, match=r"pad\.npz"):
            load_condensed(path)
    np.savez(path, points=np.zeros(3))
    with pytest.raises(SchemaError, match="truncated or foreign"):
        load_condensed(path)
    with pytest.raises(SchemaError, match="no such file"):
        load_condensed(tmp_path / "absent.npz")


@pytest.mark.parametrize("name", ["compliance", "stiffness", "points", "origin"])
def test_altered_numbers_are_refused(pad: CondensedSole, tmp_path: Path, name: str) -> None:
    path = tmp_path / "pad.npz"
    save_condensed(path, pad)
    with np.load(path) as f:
        content = dict(f)
    content[name] = content[name] * 1.1
    np.savez(path, **content)
    with pytest.raises(SchemaError, match="the file was altered"):
        load_condensed(path)


def test_job_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """K, the elimination and three matrices of the tread's size are counted before they exist."""
    import psutil

    mesh = box_mesh(0.2, 0.1, 0.03, (6, 5, 2))
    condenser = Condenser(mesh, "p2")
    K_c, K = 8 * (3 * 42) ** 2, 72 * len(condenser.parts.indices)
    elimination = []
    monkeypatch.setattr(
        "sole.elimination.multifrontal.require_memory", lambda n, _: elimination.append(n)
    )
    check_memory(condenser.tree)
    monkeypatch.undo()
    memory = type("Memory", (), {"available": elimination[0] + 3 * K_c + K - 1})
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)
    with pytest.raises(ResourceError, match=r"126 of the tread needs .* coarsen the tread"):
        condenser.condense([material(0.3)])
    memory.available += 1
    condenser.condense([material(0.3)])
    memory.available = 3 * K
    with pytest.raises(ResourceError, match=r"assembling \d+ dofs needs"):
        Condenser(mesh, "p2")


def test_condenser_reuses_its_parts() -> None:
    mesh = box_mesh(0.2, 0.1, 0.03, (3, 2, 1))
    condenser = Condenser(mesh, "p2")
    for nu in (0.1, 0.4):
        again = condenser.condense([material(nu)])
        assert np.array_equal(again.stiffness, condense(mesh, material(nu), "p2").stiffness)
    with pytest.raises(MaterialError, match="2 materials for 1 layers"):
        condenser.condense([material(0.1)] * 2)
