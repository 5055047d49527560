"""Atomic file writing, and `.npz` archives with a schema and without pickles.

An archive is a NumPy `.npz` whose member `header` is a JSON text with at least ``{"schema":
"<package>.<kind>/<version>", "content": "<hash of the arrays>"}``. A reader names the schema it
expects and refuses any other. Output goes to a temporary file beside its target and is
renamed at the end: neither a crash nor a full disk leaves a partial file.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import secrets
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError  # of a damaged header of an array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sole.base.errors import ResourceError, SchemaError, SoleError
from sole.base.file_kinds import how_to_make, refuse_other_schema
from sole.base.file_sizes import check_hdf5_sizes, check_zip_sizes
from sole.base.files import LARGEST_TEXT, existing_file, refuse_odd_name
from sole.base.hdf5_files import SIGNATURE, open_hdf5

__all__ = [
    "Archive",
    "content_digest",
    "read_archive",
    "refuse_same_file",
    "replacing",
    "require_output",
    "require_output_folder",
    "require_writable",
    "schema_of",
    "target_of",
    "write_archive",
]


LARGEST = 1e100  # magnitude of a number in a file: its square is a number, too
LONGEST_NAME = 200  # bytes; systems allow 255, and temporary files and journals add to a name


@dataclass(frozen=True, slots=True)
class Archive:
    """The content of one file: its JSON header and its arrays by name."""

    path: Path
    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    def array(self, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """Return array `name`; refuse a missing, mis-shaped or non-finite one."""
        if name not in self.arrays:
            raise SchemaError(f"{self.path}: array '{name}' is missing; write the file again")
        a = self.arrays[name]
        if a.ndim != len(shape) or any(
            s not in (None, n) for s, n in zip(shape, a.shape, strict=True)
        ):
            raise SchemaError(f"{self.path}: array '{name}' has shape {a.shape}, expected {shape}")
        if a.dtype.kind not in "biuf":
            raise SchemaError(
                f"{self.path}: array '{name}' has type {a.dtype}, expected real numbers"
            )
        if a.dtype.kind == "f" and not np.isfinite(a).all():
            raise SchemaError(f"{self.path}: array '{name}' holds NaN or infinity")
        if a.size and not max(abs(float(a.min())), abs(float(a.max()))) <= LARGEST:
            raise SchemaError(f"{self.path}: array '{name}' holds numbers beyond {LARGEST:g}")
        return a

    def integers(self, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """Return array `name` of indices or codes; refuse numbers that are not whole as well."""
        a = self.array(name, shape)
        if a.dtype.kind == "b" or (a.dtype.kind == "f" and (a != np.round(a)).any()):
            wrong = f", such as {a[a != np.round(a)][0]:g}" if a.dtype.kind == "f" else ""
            raise SchemaError(
                f"{self.path}: array '{name}' has type {a.dtype}{wrong}, expected integers; write "
                "the file again"
            )
        return a


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it onto `path` if the block succeeds.

    If `path` is a link, the file that it names is written, and the link stays.

    Raises
    ------
    ResourceError
        The disk is full. `path` is unchanged.
    SoleError
        The folder does not exist or is not writable.
    """
    path = Path(path)
    require_writable(path)
    target = target_of(path)
    # Named before it is made, so that a signal at any moment leaves no file.
    temporary = target.with_name(f".{path.stem}-{secrets.token_hex(8)}{path.suffix}")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, 0o600))
        yield temporary
        _take_over_mode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise _write_error(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def target_of(path: Path) -> Path:
    """Return the file that `path` is, or is a link to, whether or not it exists."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _take_over_mode(path: Path, temporary: Path) -> None:
    """Give `temporary` the mode and owner of the file it replaces, or those of a new file."""
    try:
        old = path.stat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        return
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):  # only root gives files away
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, stat.S_IMODE(old.st_mode))


def require_output(
    path: Path | None, *suffixes: str, option: str = "-o", inputs: Iterable[Path | None] = ()
) -> None:
    """Refuse an output of another kind than `suffixes`, or that cannot be written; None is none.

    Parameters
    ----------
    path : the output that the user named.
    suffixes : those it may have, none: any.
    option : its name on the command line.
    inputs : files that the command reads, which it must not overwrite.

    Raises
    ------
    SoleError
        Which kind was expected, or why it cannot be written.
    """
    if path is None:
        return
    require_writable(path)
    for source in inputs:
        if source is not None:
            refuse_same_file(source, path)
    if suffixes and path.suffix.lower() not in suffixes:
        first, *more = suffixes
        kind = f"end in one of {', '.join(suffixes)}" if more else f"be an {first} file"
        raise SoleError(f"{option} must {kind}, got {path}")


def require_writable(path: Path) -> None:
    """Raise SoleError if no file can be made beside `path`; call it before long work."""
    if len(os.fsencode(path.name)) > LONGEST_NAME:
        raise SoleError(
            f"cannot write {path.name[:20]}...: the name has {len(os.fsencode(path.name))} bytes, "
            f"at most {LONGEST_NAME}"
        )
    refuse_odd_name(path)
    target = target_of(path)
    folder, link = target.parent, "" if target == path else f"it is a link to {target}, and "
    if target.is_symlink():
        raise SoleError(f"cannot write {path}: its links lead in a circle")
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "does not exist"
        raise SoleError(f"cannot write {path}: {link}{folder} {what}")
    if target.is_dir():
        raise SoleError(f"cannot write {path}: it is a folder")
    if target.exists() and not target.is_file():
        raise SoleError(f"cannot write {path}: it is a device or a pipe, expected a file")
    if target.exists() and not os.access(target, os.W_OK):
        raise SoleError(f"cannot write {path}: the file is there and is read-only")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SoleError(f"cannot write {path}: {link}no permission to write in {folder}")
    try:  # some folders, as /proc, take no files though they look as if they did
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise _write_error(path, error) from error


def require_output_folder(folder: Path) -> None:
    """Make a folder for outputs if there is none; call it before long work.

    Raises
    ------
    SoleError
        It cannot be made or written to.
    """
    refuse_odd_name(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoleError(f"cannot make the folder {folder}: {error.strerror}") from error
    require_writable(folder / f".{secrets.token_hex(8)}")


def _write_error(path: Path, error: OSError) -> SoleError:
    if error.errno == errno.ENOSPC:
        return ResourceError(f"cannot write {path}: the disk is full; nothing was written")
    return SoleError(f"cannot write {path}: {error.strerror or error}")


def write_archive(
    path: Path, schema: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write an archive atomically; `header` must be JSON-serialisable."""
    text = json.dumps({"schema": schema, **header, "content": content_digest(arrays)})
    # Through memory: numpy opens a file by name and would append ".npz" to the temporary one.
    with replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, allow_pickle=False, header=np.array(text), **dict(arrays))


_UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    RecursionError,
    SyntaxError,
    TokenError,
    NotImplementedError,
    RuntimeError,  # an encrypted member
    zipfile.BadZipFile,
    zlib.error,
)


def read_archive(path: Path, schema: str) -> Archive:
    """Read an archive of the given schema.

    Raises
    ------
    SchemaError
        Not an archive, truncated, or another schema; the message names both schemas and the command
        that makes such a file.
    """
    path = existing_file(path, SchemaError)
    try:
        with zipfile.ZipFile(path) as archive:
            check_zip_sizes(path, archive)
        with np.load(path, allow_pickle=False) as content:
            header = json.loads(str(content["header"]))
            found = header["schema"]
            arrays = {name: content[name] for name in content.files if name != "header"}
    except SchemaError:
        raise
    except _UNREADABLE as error:
        if path.suffix.lower() in MESH_SUFFIXES | {".toml"} and schema == "sole.condensed/1":
            raise SchemaError(f"{path}: not condensed yet; run `sole condense` first") from error
        raise SchemaError(
            f"{path}: not a readable '{schema}' file (truncated or foreign); {how_to_make(schema)}"
        ) from error
    refuse_other_schema(path, str(found), schema)
    if "content" not in header:
        raise SchemaError(f"{path}: no digest of its arrays; {how_to_make(schema)}")
    if header["content"] != content_digest(arrays):
        raise SchemaError(f"{path}: the arrays do not match their digest: the file was altered")
    for a in arrays.values():
        a.flags.writeable = False
    return Archive(path, header, arrays)


def content_digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of names, types, shapes and values; it reveals later changes."""
    h = hashlib.sha256()
    for name in sorted(arrays):
        a = np.ascontiguousarray(arrays[name])
        h.update(f"{name} {a.dtype.str} {a.shape} ".encode())
        h.update(a.data if a.size else b"")
    return h.hexdigest()[:32]


def refuse_same_file(source: Path, output: Path) -> None:
    """Raise if `output` is the input file: a result must not overwrite its source."""
    if output.exists() and source.exists() and output.samefile(source):
        raise SoleError(f"-o {output} is the input itself: choose another name")


def schema_of(path: Path) -> str:
    """Return the schema of a project file (`.npz`, `.nc`, `.toml`); meshes are 'sole.mesh/1'.

    Raises
    ------
    SchemaError
        The file is absent, unreadable, or carries no schema.
    """
    path = existing_file(path, SchemaError)
    with path.open("rb") as stream:
        start = stream.read(8)
    try:
        if start[:2] == b"PK":
            with zipfile.ZipFile(path) as z, z.open("header.npy") as member:
                check_zip_sizes(path, z)
                text = np.lib.format.read_array(io.BytesIO(member.read()), allow_pickle=False)
                return str(json.loads(str(text))["schema"])
        if start == SIGNATURE:
            with open_hdf5(path) as f:
                check_hdf5_sizes(path, f)
                if "schema" not in f.attrs and any(name.startswith("fclib_") for name in f):
                    return "contact.fclib/1"  # a foreign contact problem
                return str(f.attrs["schema"])
        if path.suffix == ".toml":
            import tomllib

            existing_file(path, SchemaError, most=LARGEST_TEXT, padding=0)
            return str(tomllib.loads(path.read_text(encoding="utf-8"))["schema"])
    except SchemaError:
        raise
    except Exception as error:
        raise SchemaError(f"{path}: no schema found (truncated, or not a project file)") from error
    if path.suffix.lower() in MESH_SUFFIXES:
        return "sole.mesh/1"
    raise SchemaError(
        f"{path}: unknown kind of file; known are our .toml, .npz, .nc and meshes "
        f"({', '.join(sorted(MESH_SUFFIXES))})"
    )


MESH_SUFFIXES = frozenset(
    {".msh", ".vtk", ".vtu", ".inp", ".med", ".mesh", ".bdf", ".nas", ".unv", ".xdmf"}
)
