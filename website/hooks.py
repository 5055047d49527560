"""What mkdocs calls while it builds the site: pages from outside docs/, and links between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api_pages import api_pages
from command_pages import command_page
from notebook_pages import notebook_pages
from page_links import PAGES, ROOT, linked_files, moved_links, place_of, source_files, source_page
from page_markdown import spaced
from paper_pages import paper_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# Pages that are written for the site; of the gallery all but the first.
MADE = ("commands.md", "source/", "reference/", "gallery/", "experiments/", "notebooks/")
# What is hidden beside a page, to give its pictures room.
WIDE = {"index.md": ["navigation"], "gallery/index.md": ["navigation", "toc"]}
# How much a page counts in the search, by where it is; the manual counts most.
BOOSTS = {"source/": 0.1, "reference/": 0.3, "experiments/": 0.3, "gallery/": 0.3, "results/": 0.6}
UNFAVOURED = ("changelog.md", "readme.md", "api.md", "pages.md", "license.md")
MANUAL = 4
FILES: dict[str, str] = {}  # place on the site -> file of the repository


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages of the API reference in the navigation."""
    (section,) = (part["API"] for part in config.nav or [] if "API" in part)
    section[1:1] = [place for place, _ in api_pages() if place not in section]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made: files outside docs/, the sources that pages link to."""
    from mkdocs.structure.files import File

    FILES.clear()
    FILES.update({f.src_uri: f"docs/{f.src_uri}" for f in files.documentation_pages()})
    FILES.update({place: file for file, place in PAGES.items()})
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in FILES.values()}
    for file, place in PAGES.items():
        text = texts[file] if file.endswith(".md") else f"# {file}\n\n```text\n{texts[file]}```\n"
        files.append(File.generated(config, place, content=text))
    linked = set().union(*(linked_files(text, file) for file, text in texts.items()))
    for file in source_files(linked):
        FILES[place_of(file)] = file
        files.append(File.generated(config, place_of(file), content=source_page(file)))
    made = (("commands.md", command_page()), *api_pages(), *notebook_pages(), *paper_pages())
    for place, text in made:
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make the page's links and lists those of the site."""
    place = page.file.src_uri
    page.meta["search"] = {"boost": boost(place)}
    if place in WIDE:
        page.meta["hide"] = WIDE[place]
    if place.startswith(MADE) and place != "gallery/index.md":
        return markdown
    return spaced(moved_links(markdown, FILES[place]))


def boost(place: str) -> float:
    """Return how much a page counts in the search."""
    if place in UNFAVOURED:
        return 0.5
    return next((own for folder, own in BOOSTS.items() if place.startswith(folder)), MANUAL)
