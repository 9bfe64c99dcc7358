#!/usr/bin/env python3
"""Every relative link in the tree's Markdown pages leads to a file and a heading that are there, and links lead from README.md to every page."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)


def anchors(page):
    """Returns the anchors that GitHub gives to a page's headings."""
    seen, found = {}, set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
    return found


def links(page):
    """Yields each relative link as it is written, the file that it leads to, and the anchor."""
    for link, anchor in LINK.findall(CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))):
        if link or anchor:
            target = (page.parent / link).resolve() if link else page
            yield f"{link}#{anchor}" if anchor else link, target, anchor


def broken_links(page):
    for link, target, anchor in links(page):
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: {link} is not there"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page.relative_to(ROOT)}: {link}: {target.name} has no such heading"


def orphans(pages):
    reached, left = set(), [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page in pages and page not in reached:
            reached.add(page)
            left += [target for _, target, _ in links(page)]
    for page in sorted(pages - reached):
        yield f"{page.relative_to(ROOT)}: no link leads here from README.md"


def main():
    pages = {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")}
    faults = [line for page in sorted(pages) for line in broken_links(page)] + [*orphans(pages)]
    print(*faults, sep="\n")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
