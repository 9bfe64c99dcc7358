"""inferd-controller --local: InferenceGraphs, answered by the gateway with services of this machine."""

import collections
import http.server
import json
import textwrap
import threading

import pytest

from support.controller import Controller
from support.server import wait_until

# Adds to what it is given, and says what it saw.
ADD = """
    from kserve import Model
    from kserve.errors import InvalidInput

    class Add(Model):
        def preprocess(self, payload, headers=None):
            self.seen = dict(headers or {})
            return payload

        async def predict(self, payload, headers=None):
            if payload.get("fail") == self.name:
                raise InvalidInput("no good")
            return {"instances": [value + {BY} for value in payload["instances"]], "by": self.name,
                    "traced": self.seen.get("x-request-id"), "tenant": self.seen.get("x-tenant"),
                    **({"fail": payload["fail"]} if "fail" in payload else {})}
    """

SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: {name}}}
spec:
  predictor:
    minReplicas: {least}
    containers:
    - image: not/looked:at
      env: [{{name: STORAGE_URI, value: {folder}}}]
---
"""

GRAPH = """\
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {{name: {name}}}
spec:
  nodes:
{nodes}
---
"""

CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: inferenceservice-config}
data:
  ingress: '{"ingressGateway": "a/b", "ingressService": "c", "ingressDomain": "localhost", "pathTemplate": "/serving/{{ .Namespace }}/{{ .Name }}"}'
  router: '{"image": "x", "headers": {"propagate": ["^x-ten"]}}'
---
"""


def service(tmp_path, name, by, least=1):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "model.py").write_text(textwrap.dedent(ADD.replace("{BY}", str(by))))
    return SERVICE.format(name=name, folder=folder, least=least)


def graph(name, **nodes):
    text = "".join(f"    {node}:\n      routerType: {kind}\n      steps:\n" + "".join(f"      - {step}\n" for step in steps)
                   for node, (kind, *steps) in nodes.items())
    return GRAPH.format(name=name, nodes=text)


def ask(controller, name, body, **options):
    options.setdefault("host", f"{name}-default.localhost")
    status, text = controller.call("POST", "/", json.dumps(body) if not isinstance(body, str) else body, **options)
    return status, json.loads(text)


ONE = {"instances": [1]}


@pytest.fixture(scope="module", name="controller")
def running(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("graphs")
    graphs = [
        graph("chain", root=("Sequence", "{serviceName: ten, name: first}", "{serviceName: hundred, data: $response}")),
        graph("both", root=("Ensemble", "{serviceName: ten, name: small}", "{serviceName: hundred}")),
        graph("split", root=("Splitter", "{serviceName: ten, weight: 20}", "{serviceName: hundred, weight: 80}")),
        graph("switch", root=("Switch", '{serviceName: ten, condition: "[@this].#(size==small)"}',
                              '{nodeName: large, condition: "instances.#(>100)"}'),
              large=("Sequence", "{serviceName: hundred}", "{serviceName: hundred, data: $response}")),
        graph("guarded", root=("Sequence", "{serviceName: ten}",
                               '{serviceName: hundred, data: $response, condition: "instances.#(>20)"}')),
        graph("soft", root=("Sequence", "{serviceName: ten}", "{serviceName: hundred, data: $request}")),
        graph("hard", root=("Sequence", "{serviceName: ten, dependency: Hard}", "{serviceName: hundred, data: $request}")),
        graph("hardboth", root=("Ensemble", "{serviceName: ten, dependency: Hard}", "{serviceName: hundred}")),
        graph("outer", root=("Sequence", "{serviceUrl: 'http://chain.default.svc.cluster.local/'}",
                             "{serviceName: ten, data: $response}")),
        graph("itself", root=("Sequence", "{serviceUrl: 'http://itself.default.svc.cluster.local/x'}")),
        graph("absent", root=("Sequence", "{serviceName: nowhere}")),
    ]
    file = tmp_path / "graphs.yaml"
    file.write_text(CONFIG + service(tmp_path, "ten", 10) + service(tmp_path, "hundred", 100, least=0) + "".join(graphs))
    with Controller(file) as controller:
        yield controller


def test_a_sequence_by_all_its_names(controller):
    for where in ({"host": "chain-default.localhost"}, {"host": "chain.default.svc.cluster.local"}):
        status, answer = ask(controller, "chain", ONE, **where)
        assert (status, answer["instances"], answer["by"]) == (200, [111], "hundred")
    for path in ("/serving/default/chain", "/serving/default/chain/", "/serving/default/chain/v1/anything"):
        status, text = controller.call("POST", path, json.dumps(ONE))
        assert (status, json.loads(text)["instances"]) == (200, [111]), path


def test_headers_go_on_to_the_steps(controller):
    _, answer = ask(controller, "both", ONE, headers={"X-Request-Id": "r1", "X-Tenant": "t1", "X-Other": "o"})
    assert [(each["traced"], each["tenant"]) for each in answer.values()] == [("r1", "t1")] * 2


def test_an_ensemble_has_each_answer_under_its_name(controller):
    status, answer = ask(controller, "both", ONE)
    assert status == 200
    assert {key: value["instances"] for key, value in answer.items()} == {"small": [11], "1": [101]}


def test_a_splitter_splits_by_its_weights(controller):
    shares = collections.Counter(ask(controller, "split", ONE)[1]["instances"][0] for _ in range(500))
    assert set(shares) == {11, 101}
    # Six standard deviations of 8.9 on either side of 100.
    assert 46 < shares[11] < 154, shares


@pytest.mark.parametrize("body, status, instances", [
    ({"instances": [1], "size": "small"}, 200, [11]),
    ({"instances": [1, 200]}, 200, [201, 400]),
    ({"instances": [1], "size": "large"}, 404, None),
    ("no JSON", 404, None),
])
def test_a_switch_takes_the_first_condition_that_is_met(controller, body, status, instances):
    got, answer = ask(controller, "switch", body)
    assert got == status
    if status == 200:
        assert answer["instances"] == instances
    else:
        assert answer == {"error": "Failed to process request", "cause": "None of the routes matched with the switch condition"}


def test_a_condition_ends_a_sequence(controller):
    assert ask(controller, "guarded", ONE)[1]["by"] == "ten"
    assert ask(controller, "guarded", {"instances": [11]})[1]["instances"] == [121]


def test_steps_that_fail(controller):
    body = {"instances": [1], "fail": "ten"}
    # Soft: the sequence goes on, and its answer is the last one's.
    assert ask(controller, "soft", body)[1]["by"] == "hundred"
    assert ask(controller, "soft", {"instances": [1], "fail": "hundred"}) == (400, {"error": "no good"})
    # Hard: its answer is the graph's.
    assert ask(controller, "hard", body) == (400, {"error": "no good"})
    assert ask(controller, "hardboth", body) == (400, {"error": "no good"})
    status, answer = ask(controller, "hardboth", {"instances": [1], "fail": "hundred"})
    assert (status, answer["1"]) == (200, {"error": "no good"})


def test_graphs_in_graphs(controller):
    status, answer = ask(controller, "outer", ONE)
    assert (status, answer["instances"]) == (200, [121])
    status, answer = ask(controller, "itself", ONE)
    assert (status, answer) == (508, {"error": "the graph is asked by its own steps, again and again"})


def test_a_service_that_is_not_there(controller):
    assert "default/absent: there is no InferenceService 'nowhere'" in controller.log()
    assert ask(controller, "absent", ONE)[0] == 404


def test_a_url_with_an_address(tmp_path):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            content = json.dumps({"path": self.path, "type": self.headers["Content-Type"], "got": json.loads(body)}).encode()
            self.send_response(202)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=other.serve_forever)
    thread.start()
    file = tmp_path / "graph.yaml"
    try:
        file.write_text(graph("far", root=("Sequence", f"{{serviceUrl: 'http://127.0.0.1:{other.server_port}/a?b=c'}}")))
        with Controller(file) as controller:
            assert ask(controller, "far", ONE) == (202, {"path": "/a?b=c", "type": "application/json", "got": ONE})
            # It goes as it came, with its file.
            file.write_text(graph("other", root=("Sequence", "{serviceUrl: 'https://127.0.0.1/'}")))
            wait_until(lambda: ask(controller, "far", ONE)[0] == 404, "the graph has gone")
            wait_until(lambda: "steps are asked over http here" in controller.log(), "why the other one is not run")
            other.shutdown()
            other.server_close()
            file.write_text(graph("far", root=("Sequence", f"{{serviceUrl: 'http://127.0.0.1:{other.server_port}/'}}")))
            wait_until(lambda: ask(controller, "far", ONE)[0] == 503, "its server has gone")
    finally:
        other.shutdown()
        other.server_close()
        thread.join()
