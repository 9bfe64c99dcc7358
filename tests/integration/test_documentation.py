"""The examples in README.md and docs/ do what they say, with the example models served. support.documentation lists the kinds of blocks."""

import pytest

from support.documentation import COMMAND_S, PYTHON, Page, has_examples
from support.server import EXAMPLES, ROOT, Server, has_engine

pytestmark = pytest.mark.timeout(2 * COMMAND_S)

DOCUMENTS = [document for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if has_examples(document)]


def test_the_tree_has_examples():
    assert ROOT / "README.md" in DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_examples_do_what_they_say(document, tmp_path):
    if document.name == "tensorflow-models.md" and not has_engine("tensorflow"):
        pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow")
    if document.name == "mlflow-models.md" and not (ROOT / "build" / "deps" / "mlflow").exists():
        pytest.skip("there is no environment with MLflow: tools/install_mlflow")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with Page(tmp_path, path=[PYTHON]) as page:
        page.serve(Server(EXAMPLES))
        page.follow(document)
