"""Kinds and versions of files: the table in docs/files.md, and what a reader says of others."""

from __future__ import annotations

import ast
import re
import zipfile

import h5py
import numpy as np
import pytest
from command_line import in_this_process

from robot.run import load_run
from sole.base.archive import read_archive
from sole.base.errors import SchemaError
from sole.base.file_kinds import file_kinds, refuse_other_schema
from sole.mesh import read_mesh, write_mesh
from sole.studies import read_table

SCHEMA = re.compile(r"(?<![\w.])(?:sole|contact|robot)\.\w+/\d+")
ROW = re.compile(r"\| `([a-z]+\.\w+/\d+)` \|(.*)")


def table(root):
    """The rows of the table by schema."""
    text = (root / "docs" / "files.md").read_text(encoding="utf-8")
    return dict(match.groups() for match in map(ROW.match, text.splitlines()) if match)


def in_code(root):
    """The schemas in text literals of our packages, each with one file."""
    found = {}
    for package in ("sole", "contact", "robot"):
        for path in sorted((root / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if SCHEMA.search(text) else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found |= dict.fromkeys(SCHEMA.findall(node.value), path.name)
    return found


def test_the_table_has_every_kind_and_version_of_the_code(root):
    code, page = in_code(root), table(root)
    assert len(code) >= 20
    assert set(code) == set(page), {s: code.get(s, "table") for s in set(code) ^ set(page)}


def test_the_table_names_the_commands_that_read_and_make_a_file(root):
    page = table(root)
    for kind, known in file_kinds().items():
        rows = [row for schema, row in page.items() if schema.split("/")[0] == kind]
        for command in known.commands:
            assert any(re.search(rf"\b{command}\b", row) for row in rows), (kind, command)
        if known.made_by:
            maker = re.split(r" [-A-Z]", known.made_by)[0]
            assert all(f"`sole {maker}`" in row.split(" | ")[-1] for row in rows), (kind, maker)


def test_commands_that_make_files_exist(monkeypatch, capsys):
    """Each is called as the message gives it: only its input is missing, no word is unknown."""
    sole = in_this_process(monkeypatch, capsys)
    made = [kind.made_by for kind in file_kinds().values() if kind.made_by]
    assert len(made) == 7
    for command in made:
        code, _, err = sole(*command.replace("NEWTONS", "300").split())
        assert code == 2
        assert re.search(r"no such file|cannot read|does not exist", err), (command, err)


def archive(path, schema):
    with zipfile.ZipFile(path, "w") as members, members.open("header.npy", "w") as member:
        np.lib.format.write_array(member, np.array(f'{{"schema": "{schema}"}}'))


def hdf5(path, schema):
    with h5py.File(path, "w") as file:
        file.attrs["schema"] = schema


def mesh(path, schema):
    path.write_text(f'$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Comments\n{{"schema": "{schema}"}}\n')


@pytest.mark.parametrize(
    ("suffix", "write", "read", "expected", "command"),
    [
        ("npz", archive, lambda p: read_archive(p, "sole.condensed/1"), "sole.condensed/1",
         "sole condense"),
        ("npz", archive, lambda p: read_archive(p, "contact.press/2"), "contact.press/2",
         "sole press"),
        ("nc", hdf5, load_run, "robot.run/1", "sole walk"),
        ("nc", hdf5, read_table, "sole.sweep/1", "sole study"),
        ("msh", mesh, read_mesh, "sole.mesh/1", "sole mesh"),
    ],
)  # fmt: skip
def test_another_version_is_refused_with_the_command(
    tmp_path, suffix, write, read, expected, command
):
    path = tmp_path / f"file.{suffix}"
    later = expected.split("/")[0] + "/9"
    write(path, later)
    with pytest.raises(SchemaError) as caught:
        read(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: got version '{later}', expected '{expected}'; make it again: ")
    assert f"`{command} " in said


@pytest.mark.parametrize(
    ("suffix", "write", "read", "command"),
    [
        ("npz", archive, lambda p: read_archive(p, "contact.solution/1"), "sole contact solve"),
        ("nc", hdf5, load_run, "sole walk"),
        ("nc", hdf5, read_table, "sole study"),
    ],
)
def test_another_kind_is_refused_with_the_command(tmp_path, suffix, write, read, command):
    path = tmp_path / f"file.{suffix}"
    write(path, "other.kind/1")
    with pytest.raises(SchemaError, match=rf"got a 'other.kind/1' file, .*, as `{command} "):
        read(path)


def test_a_cut_file_is_refused_with_the_command(tmp_path, box):
    path = tmp_path / "file.npz"
    archive(path, "contact.press/2")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(SchemaError, match=r"truncated or foreign.*`sole press "):
        read_archive(path, "contact.press/2")
    archive(path, "contact.press/2")
    with pytest.raises(SchemaError, match="no digest of its arrays; make it again: `sole press "):
        read_archive(path, "contact.press/2")


def test_the_right_kind_and_version_are_read(tmp_path, box):
    refuse_other_schema(tmp_path, "x.y/1", "x.y/1")
    write_mesh(tmp_path / "box.msh", box)
    assert len(read_mesh(tmp_path / "box.msh").tets) == len(box.tets)


def test_a_kind_without_a_command_is_refused_all_the_same(tmp_path):
    with pytest.raises(SchemaError, match=r"got version 'x.y/2', expected 'x.y/1'; write it again"):
        refuse_other_schema(tmp_path, "x.y/2", "x.y/1")
    with pytest.raises(SchemaError, match=r"got a 'x.z/1' file, expected 'x.y/1'$"):
        refuse_other_schema(tmp_path, "x.z/1", "x.y/1")
