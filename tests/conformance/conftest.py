"""The servers of the conformance cases."""

import pytest

import model_folder
from support.server import Server, wait_until


@pytest.fixture(scope="session")
def repositories(tmp_path_factory):
    """The folders of models by name."""
    folders = {name: tmp_path_factory.mktemp(name) for name in ("good", "tfs", "broken")}
    model_folder.add_good(folders["good"])
    model_folder.add_tfs(folders["tfs"])
    model_folder.add_broken(folders["broken"])
    return folders


@pytest.fixture(scope="session")
def servers(repositories):
    """Running servers by repository and options; each started when first asked for, and waited for until every model is
    up or has failed."""
    running = {}

    def get(repository, options):
        if (repository, options) not in running:
            server = Server(f"cases={repositories[repository]}", options=options, ready=False).__enter__()
            running[repository, options] = server
            wait_until(lambda: is_settled(server), "no model is loading")
        return running[repository, options]

    yield get
    for server in running.values():
        server.__exit__(None, None, None)


def is_settled(server):
    _, index = server.json("POST", "/v2/repository/index")
    return index and all(entry.get("state") in ("READY", "UNAVAILABLE") for entry in index)
