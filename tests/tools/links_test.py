#!/usr/bin/env python3
"""Every relative link in the tree's Markdown pages leads to a file that is there."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def broken_links(page):
    for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if not (page.parent / link).exists():
            yield f"{page.relative_to(ROOT)}: {link} is not there"


def main():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [line for page in sorted(pages) for line in broken_links(page)]
    print(*broken, sep="\n")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
