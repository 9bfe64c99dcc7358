"""inferd-agent applies models.json to a model server: downloads, loads, replaces and removes its models."""

import io
import json
import os
import signal
import tarfile

import pytest

from support.agent import Agent
from support.controller import write_constant
from support.file_server import Files, Served
from support.server import Server, wait_until


class Lists:
    """A folder as a ConfigMap's volume: models.json leads to a file of a folder that is exchanged."""

    def __init__(self, folder):
        self.folder = folder
        self._number = 0
        folder.mkdir()
        (folder / "models.json").symlink_to("..data/models.json")

    def write(self, text):
        self._number += 1
        version = self.folder / f"..{self._number}"
        version.mkdir()
        (version / "models.json").write_text(text)
        link = self.folder / "..new"
        link.symlink_to(version.name)
        os.replace(link, self.folder / "..data")

    def want(self, **models):
        self.write(json.dumps([{"modelName": name, "modelSpec": {"storageUri": str(uri), "framework": "xgboost", "memory": "1M"}}
                               for name, uri in models.items()]))


@pytest.fixture
def place(tmp_path):
    class Place:
        lists = Lists(tmp_path / "configs")
        models = tmp_path / "models"
        folder = tmp_path

        @staticmethod
        def source(name, value):
            """A model's folder, as the server's repository has them."""
            write_constant(tmp_path / "sources" / name / "1", value)
            return tmp_path / "sources" / name

        def server(self):
            self.models.mkdir(exist_ok=True)
            return Server(self.models, options=["--model-control-mode", "explicit"])

        def agent(self, server, *words, **options):
            return Agent(server.port, "--enable-puller", "--config-dir", self.lists.folder, "--model-dir", self.models, *words, **options)
    return Place()


def value_of(agent, name):
    status, answer = agent.predict(name, [[0]])
    return answer["predictions"][0] if status == 200 else None


def becomes(agent, **expected):
    wait_until(lambda: {name: value_of(agent, name) for name in expected} == expected, f"{expected}")


def test_models_come_change_and_go(place):
    place.lists.want(one=place.source("one", 1.0), two=place.source("two", 2.0))
    with place.server() as server, place.agent(server) as agent:
        becomes(agent, one=1.0, two=2.0)
        assert agent.metrics()["inferd_agent_models_ready"] == 2
        place.lists.want(two=place.source("other", 2.5), three=place.source("three", 3.0))
        becomes(agent, one=None, two=2.5, three=3.0)
        wait_until(lambda: not (place.models / "one").exists(), "its files have gone")
        marks = [path.name for path in (place.models / "two").iterdir() if path.name.startswith("SUCCESS.")]
        assert len(marks) == 1
        place.lists.want()
        becomes(agent, two=None, three=None)


def test_a_faulty_list_changes_nothing(place):
    place.lists.want(one=place.source("one", 1.0))
    with place.server() as server, place.agent(server) as agent:
        becomes(agent, one=1.0)
        for text in ("", "{", "[{}]", '[{"modelName": "../x", "modelSpec": {"storageUri": "x"}}]'):
            place.lists.write(text)
            count = agent.log().count("models.json changes nothing")
            wait_until(lambda count=count: agent.log().count("models.json changes nothing") >= max(count, 1), "the fault is said")
            assert value_of(agent, "one") == 1.0
        place.lists.want(one=place.source("other", 1.5))
        becomes(agent, one=1.5)


def test_a_model_that_cannot_come_does_not_hold_up_others(place):
    place.lists.want(bad=place.folder / "nowhere", one=place.source("one", 1.0))
    with place.server() as server, place.agent(server) as agent:
        becomes(agent, one=1.0, bad=None)
        assert agent.metrics()["inferd_agent_model_failures_total"] >= 1
        assert "model is not as the list says model=bad" in agent.log()
        # It comes when it is there.
        write_constant(place.folder / "nowhere" / "1", 4.0)
        becomes(agent, bad=4.0)


def packed(folder):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        tar.add(folder / "1", "1")
    return Served(archive.getvalue(), "application/gzip")


def test_a_failed_replacement_leaves_what_was(place):
    with Files({"/one.tgz": packed(place.source("one", 1.0))}) as files, place.server() as server:
        place.lists.want(one=files.url("/one.tgz"))
        with place.agent(server) as agent:
            becomes(agent, one=1.0)
            place.lists.want(one=files.url("/other.tgz"))
            wait_until(lambda: agent.metrics()["inferd_agent_model_failures_total"] >= 1, "it failed")
            assert value_of(agent, "one") == 1.0
            files.served["/other.tgz"] = packed(place.source("two", 2.0))
            becomes(agent, one=2.0)


def test_many_models(place):
    source = place.source("one", 1.0)
    place.lists.want(**{f"m{number}": source for number in range(300)})
    with place.server() as server, place.agent(server) as agent:
        wait_until(lambda: agent.metrics()["inferd_agent_models_ready"] == 300, "all are loaded")
        assert value_of(agent, "m299") == 1.0


def test_a_killed_agent_goes_on_where_it_was(place):
    place.lists.want(**{f"m{number}": place.source(f"m{number}", float(number)) for number in range(40)})
    with place.server() as server:
        agent = place.agent(server, listening=False)
        for _ in range(6):
            agent.start()
            wait_until(lambda: any(place.models.iterdir()), "something has come")
            agent.process.send_signal(signal.SIGKILL)
            agent.process.wait()
        # What went meanwhile goes, though the agent that brought it has died.
        place.lists.want(**{f"m{number}": place.source(f"m{number}", float(number)) for number in range(1, 40)})
        with agent:
            agent.wait_until_listening()
            becomes(agent, m0=None, **{f"m{number}": float(number) for number in range(1, 40)})
            wait_until(lambda: sorted(path.name for path in place.models.iterdir()) == sorted(f"m{number}" for number in range(1, 40)),
                       "nothing else is there")


def test_the_agent_comes_before_the_model_server(place):
    place.lists.want(one=place.source("one", 1.0))
    server = place.server()
    with place.agent(server) as agent:
        assert value_of_or_none(agent) is None
        with server:
            becomes(agent, one=1.0)


def test_a_model_server_that_is_started_again_has_its_models_again(place):
    place.lists.want(one=place.source("one", 1.0), two=place.source("two", 2.0))
    server = place.server()
    with place.agent(server) as agent:
        with server:
            becomes(agent, one=1.0, two=2.0)
            server.process.kill()
        with server:
            becomes(agent, one=1.0, two=2.0)
            wait_until(lambda: agent.metrics()["inferd_agent_models_ready"] == 2, "both are as the list says")
            assert "the model server has lost models, which are loaded again models=2" in agent.log()


def test_a_model_server_at_a_unix_socket(place):
    place.lists.want(one=place.source("one", 1.0))
    socket = place.folder / "http.sock"
    server = place.server().with_options(["--http-unix-socket", socket])
    with server, Agent(socket, "--enable-batcher", "--max-latency", 1, "--enable-puller", "--config-dir", place.lists.folder,
                       "--model-dir", place.models) as agent:
        becomes(agent, one=1.0)
        assert agent.call("GET", "/v2/models/one/ready")[0] == 200
        assert agent.ready() == (200, "queue")


def test_a_model_server_that_takes_control_calls_at_a_unix_socket_alone(place):
    """As the two containers of a pod: any process of the machine reaches the port, and only who has the volume reaches the socket."""
    place.lists.want(one=place.source("one", 1.0))
    socket = place.folder / "http.sock"
    server = place.server().with_options(["--http-unix-socket", socket, "--control-from=socket"])
    with server, place.agent(server, "--control-socket", socket) as agent:
        becomes(agent, one=1.0)
        assert server.request("POST", "/v2/repository/models/one/unload", "{}")[0] == 403
        place.lists.want(one=place.source("other", 2.0))
        becomes(agent, one=2.0)


def value_of_or_none(agent):
    status, _ = agent.call("POST", "/v1/models/one:predict", '{"instances": [[0]]}')
    return 1.0 if status == 200 else None


def test_a_signal_ends_it_while_models_come(place):
    with place.server() as server:
        with place.agent(server, listening=False) as agent:
            wait_until(lambda: "models come before" in agent.log(), "it waits for a list")
        assert agent.process.returncode == 0
