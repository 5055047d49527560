"""Where a link between files of the repository leads on the site.

Pages are written for the repository: they link to files beside them, to the README and to
scripts. On the site docs/ is the root, some files outside get a page, and every other file that
is linked gets one that shows its source.
"""

from __future__ import annotations

import posixpath
import re
from base64 import b64encode
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = "docs/"
# Files outside docs/ that are pages, and their place on the site.
PAGES = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "LICENSE": "license.md",
    "benchmarks/README.md": "benchmark_scripts.md",
    "meshes/README.md": "meshes.md",
}
GALLERY = "examples/gallery/"
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def place_of(file: str) -> str:
    """Return the place on the site of a file of the repository, both as paths."""
    if file.startswith(DOCS):
        if file.endswith(".ipynb"):
            file = f"{file.removesuffix('.ipynb')}.md"
        return file.removeprefix(DOCS)
    if file in PAGES:
        return PAGES[file]
    if file.startswith(GALLERY):
        return f"gallery/{Path(file).stem}.md"
    return f"source/{file}.md"


def target_of(link: str, file: str) -> str | None:
    """Return the file of the repository that a link in `file` names; None for an address."""
    if re.match(r"[a-z]+:", link):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), link))


def linked_files(text: str, file: str) -> set[str]:
    """Return what a page links to outside docs/ that has no page of its own yet."""
    found = {target_of(link, file) for _, link, _ in LINK.findall(without_code(text))}
    return {t for t in found if t and not t.startswith(DOCS) and t != "docs" and t not in PAGES}


def moved_links(text: str, file: str) -> str:
    """Return the page with links that hold on the site."""
    here = posixpath.dirname(place_of(file))

    def moved(match: re.Match[str]) -> str:
        before, link, after = match.groups()
        target = target_of(link, file)
        if target is None:
            return match[0]
        return f"{before}{posixpath.relpath(place_of(target), here or '.')}{after}"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(p if p.startswith("```") else LINK.sub(moved, p) for p in parts)


def without_code(text: str) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def source_page(file: str) -> str:
    """Return the page that shows a file, or what a folder holds."""
    path = ROOT / file
    if path.is_dir():
        inside = sorted(p for p in path.glob("*") if p.suffix in {".py", ".toml", ".csv"})
        lines = [f"- [{p.name}]({Path(file).name}/{p.name}.md)" for p in inside]
        return f"# {file}\n\n" + "\n".join(lines) + "\n"
    language = {".py": "python", ".toml": "toml", ".sh": "bash"}.get(path.suffix, "text")
    code = f"````{language}\n{path.read_text(encoding='utf-8')}````\n"
    if not file.startswith(GALLERY):
        return f"# {file}\n\n{download(path) if language == 'toml' else ''}{code}"
    title = code.splitlines()[1].strip('#" ').removesuffix(".")
    command = f"From the root of the clone: `{'python' if language == 'python' else 'bash'} {file}`"
    return f"# {title}\n\n![{title}]({path.stem}.png)\n\n{command}\n\n{code}\n[Gallery](index.md)\n"


def download(path: Path) -> str:
    """Return a link that hands out a file as it is; the page holds its text."""
    data = b64encode(path.read_bytes()).decode()
    return f'<a download="{path.name}" href="data:text/plain;base64,{data}">Download</a>\n\n'


def source_files(files: set[str]) -> list[str]:
    """Return the files and folders, and what stands in the folders."""
    found = set(files)
    for file in files:
        if (ROOT / file).is_dir():
            inside = (p for p in (ROOT / file).glob("*") if p.suffix in {".py", ".toml", ".csv"})
            found |= {p.relative_to(ROOT).as_posix() for p in inside}
    return sorted(found)
