"""Check a built site: every link and asset is there, and nothing is loaded from elsewhere.

python website/check_links.py out/site
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"src", "srcset", "data", "poster"}
# What a browser fetches by itself from a `link`; other relations only name an address.
FETCHED = {"stylesheet", "icon", "preload", "preconnect", "prefetch", "manifest", "modulepreload"}


class Page(HTMLParser):
    """The anchors of a page, what it links to and what it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sort the attributes of an element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.loads += [given[name] for name in LOADED & set(given)]
        if "href" in given:
            fetched = tag == "link" and FETCHED & set(given.get("rel", "").split())
            (self.loads if fetched else self.links).append(given["href"])


def broken(site: Path) -> list[str]:
    """Return a line for every link that leads nowhere and everything loaded from elsewhere."""
    pages = {file.resolve(): Page(file) for file in sorted(site.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        name = file.relative_to(site.resolve())
        # The page of lost addresses is served from anywhere: its links start at the root.
        links = [] if name.name == "404.html" else page.links + page.loads
        found += [f"{name}: loads {a}" for a in page.loads if re.match(r"(https?:)?//", a)]
        for link in links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.exists():
                found.append(f"{name}: {link} is not there")
            elif parts.fragment and target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[target].anchors and anchor != "__skip":
                    found.append(f"{name}: {link} has no such anchor")
    for file in site.rglob("*.css"):
        outside = re.findall(
            r"url\([\"']?(?:https?:)?//[^)]*|@import[^;]*", file.read_text("utf-8")
        )
        found += [f"{file.relative_to(site)}: loads {address}" for address in outside]
    return found


def main() -> int:
    """Print what is broken, or how much was checked."""
    site = Path(sys.argv[1])
    pages = list(site.rglob("*.html"))
    if not pages:
        print(f"no pages in {site}")
        return 1
    found = broken(site)
    print("\n".join(found) or f"{len(pages)} pages: every link leads somewhere, nothing is foreign")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
