"""The fixtures that all tests of the built programs share."""

import os
import shutil
import tempfile

import pytest

from support import models
from support.certificates import Certificates
from support.echo import Echo
from support.order import LongestFirst, write_seconds
from support.server import EXAMPLES, Server


def pytest_configure(config):
    """Makes controllers write their kubeconfigs, and inferctl look for them, in a folder of the tests instead of the user's own."""
    os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="inferd-tests-")
    config.add_cleanup(lambda folder=os.environ["XDG_RUNTIME_DIR"]: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture(scope="module", autouse=True)
def isolation(request):
    """Sets the isolation of servers that start in its scope. See support.isolation."""
    where = getattr(request, "param", None)
    with pytest.MonkeyPatch.context() as patch:
        if where is not None:
            patch.setenv("INFERD_ISOLATION", where)
        yield where


@pytest.fixture(scope="session")
def identities(tmp_path_factory):
    """A repository with an identity model for every datatype."""
    repository = tmp_path_factory.mktemp("identities")
    models.add_identities(repository)
    return repository


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def server(identities, isolation):
    """A server with the example models and the identities; shared, so tests leave it as they found it."""
    with Server(f"examples={EXAMPLES}", f"identities={identities}") as running:
        yield running


@pytest.fixture(scope="session")
def echo():
    with Echo() as running:
        yield running


@pytest.fixture(scope="module")
def server_with_endless(tmp_path_factory):
    """The example models, and `endless`, whose answers do not come while the server runs."""
    repository = tmp_path_factory.mktemp("endless")
    models.add_fake(repository, "endless", hold_file="hold")
    hold = repository / "endless" / "hold"
    hold.touch()
    with Server(EXAMPLES, repository) as running:
        yield running
        hold.unlink()


def pytest_xdist_make_scheduler(config, log):
    return LongestFirst(config, log) if config.option.dist == "loadfile" else None


def pytest_terminal_summary(terminalreporter):
    """Prints the line that ./check adds up. A test that did not run has not passed."""
    counts = {outcome: len(reports) for outcome, reports in terminalreporter.stats.items()}
    failed = sum(counts.get(outcome, 0) for outcome in ("failed", "error", "skipped", "xfailed", "xpassed"))
    terminalreporter.write_line(f"{counts.get('passed', 0)} passed, {failed} failed")
    if not hasattr(terminalreporter.config, "workerinput"):  # with xdist, only the controlling process writes them
        write_seconds(terminalreporter)
