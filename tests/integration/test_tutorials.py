"""Each tutorial of docs/tutorials works when one follows it to its end, and says which of its steps no test runs."""

import re

import pytest

from support.documentation import COMMAND_S, Page, has_examples
from support.server import ROOT, has_engine

pytestmark = pytest.mark.timeout(2 * COMMAND_S)

FOLDER = ROOT / "docs" / "tutorials"
PAGES = sorted(FOLDER.glob("*.md"))
TUTORIALS = [page for page in PAGES if has_examples(page)]
ENVIRONMENTS = ROOT / "build" / "deps"
COMMANDS = re.compile(r"^```(?:sh|bash|console|powershell)([^\n]*)\n.*?^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "docs" / "not-on-debian-12.md"], ids=lambda page: page.name)
def test_a_page_says_which_steps_no_test_runs(page):
    text = page.read_text(encoding="utf-8")
    for block in COMMANDS.finditer(text):
        if block[1].strip() not in ("run", "server"):
            before = " ".join(text[:block.start()].rstrip().rpartition("\n\n")[2].split())
            assert "No test runs" in before, f"{block[0]}\nMark it `sh run`, or say in the paragraph before it: No test runs this step."


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_a_tutorial_works_to_its_end(page, tmp_path):
    if page.name == "from-tensorflow-serving.md" and not has_engine("tensorflow"):
        pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow")
    (tmp_path / "clients").symlink_to(ENVIRONMENTS / "clients")  # where the pages install clients
    with Page(tmp_path, path=[ENVIRONMENTS / "python" / "bin"], environment={"INFERD": str(ROOT)}) as followed:
        followed.follow(page)
