"""inferd-controller --local: transformers and explainers, as processes of this machine that call their predictor through the gateway."""

import collections
import json
import sys
import textwrap

import pytest

from support.controller import Controller, write_constant
from support.objects import Objects
from support.server import wait_until

TRANSFORMER = """
    import argparse
    from kserve import Model, ModelServer, model_server

    class Shift(Model):
        def __init__(self, name, predictor_host):
            super().__init__(name)
            self.predictor_host = predictor_host
            self.ready = True

        def preprocess(self, payload, headers=None):
            self.seen = dict(headers or {})
            return payload

        def postprocess(self, result, headers=None, response_headers=None):
            return {"predictions": [value + {SHIFT} for value in result["predictions"]],
                    "seen": self.seen.get("x-request-id")}

    args, _ = argparse.ArgumentParser(parents=[model_server.parser]).parse_known_args()
    if __name__ == "__main__":
        ModelServer().start([Shift(args.model_name, args.predictor_host)])
    """

EXPLAINER = """
    from kserve import Model

    class Why(Model):
        async def explain(self, payload, headers=None):
            answer = await self.predict(payload, headers)
            return {"explanations": {"because": payload["instances"], "of": answer["predictions"]}}
    """

# A server of its own, of nothing but Python: it asks the predictor in V2.
PROGRAM = """
    import http.client, http.server, json, sys

    place = sys.argv[sys.argv.index("--predictor_host") + 1]
    port = int(sys.argv[sys.argv.index("--http_port") + 1])
    host, _, path = place.partition("/")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            predictor = http.client.HTTPConnection(host)
            predictor.request("POST", f"/{path}{self.path}", body)
            answer = predictor.getresponse()
            content = json.loads(answer.read())
            if answer.status == 200:
                content["outputs"][0]["data"] = [value * 2 for value in content["outputs"][0]["data"]]
            content = json.dumps(content).encode()
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
    """

SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {name}
spec:
  predictor:
    {predictor}
    model:
      modelFormat: {{name: xgboost}}
      storageUri: {model}
"""

COMPONENT = """\
  {kind}:
    {more}
    containers:
    - image: not/looked:at
      env: [{{name: STORAGE_URI, value: {folder}}}]
"""


def python_model(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.py").write_text(textwrap.dedent(text))
    return folder


def transformer(folder, shift):
    return python_model(folder, TRANSFORMER.replace("{SHIFT}", str(shift)))


def service(name, model, predictor="minReplicas: 1"):
    return SERVICE.format(name=name, model=model, predictor=predictor)


def component(kind, folder, more="minReplicas: 1"):
    return COMPONENT.format(kind=kind, folder=folder, more=more)


ROW = json.dumps({"instances": [[0.0]]})
V2_ROW = json.dumps({"inputs": [{"name": "input-0", "datatype": "FP32", "shape": [1, 1], "data": [0]}]})


def ask(controller, path, body=ROW, **options):
    status, text = controller.call("POST", path, body, **options)
    assert status == 200, text
    return json.loads(text)


def test_a_chain_of_transformer_predictor_and_explainer(tmp_path):
    file = tmp_path / "service.yaml"
    file.write_text(service("chain", write_constant(tmp_path / "model", 1.5))
                    + component("transformer", transformer(tmp_path / "shift", 10))
                    + component("explainer", python_model(tmp_path / "why", EXPLAINER)))
    with Controller(file) as controller:
        # The service is its transformer, by every name that it has.
        for where in ({"host": "chain-default.localhost"}, {"host": "chain.default.svc.cluster.local"},
                      {"host": "chain-transformer-default-default.localhost"}):
            assert ask(controller, "/v1/models/chain:predict", **where)["predictions"] == [11.5]
        by_path = ask(controller, "/serving/default/chain/v1/models/chain:predict", headers={"X-Request-Id": "traced"})
        assert by_path == {"predictions": [11.5], "seen": "traced"}
        # Explanations are the explainer's, which asks the predictor itself, not the transformer.
        explained = {"explanations": {"because": [[0.0]], "of": [1.5]}}
        assert ask(controller, "/v1/models/chain:explain", host="chain-default.localhost") == explained
        assert ask(controller, "/serving/default/chain/v1/models/chain:explain") == explained
        assert ask(controller, "/v1/models/chain:explain", host="chain-explainer-default-default.localhost") == explained
        # The predictor alone, in both protocols.
        host = "chain-predictor-default-default.localhost"
        assert ask(controller, "/v1/models/chain:predict", host=host)["predictions"] == [1.5]
        assert ask(controller, "/v2/models/chain/infer", V2_ROW, host=host)["outputs"][0]["data"] == [1.5]
        assert ask(controller, "/components/default/chain-predictor-default/v1/models/chain:predict")["predictions"] == [1.5]
        # A predictor's error comes through.
        status, text = controller.call("POST", "/v1/models/chain:predict", '{"instances": [["x"]]}', "chain-default.localhost")
        assert status == 500 and "400 Bad Request" in text, text


def test_a_program_of_its_own_as_transformer(tmp_path):
    program = tmp_path / "double.py"
    program.write_text(textwrap.dedent(PROGRAM))
    file = tmp_path / "service.yaml"
    file.write_text(service("double", write_constant(tmp_path / "model", 4.0))
                    + f"  transformer:\n    containers:\n    - command: [{sys.executable}, {program}]\n---\n"
                    + service("explained", write_constant(tmp_path / "model", 4.0)) + "  explainer: {alibi: {type: AnchorTabular}}\n")
    with Controller(file) as controller:
        answer = ask(controller, "/v2/models/double/infer", V2_ROW, host="double-default.localhost")
        assert answer["outputs"][0]["data"] == [8.0]
        status, text = controller.call("POST", "/v2/models/other/infer", V2_ROW, "double-default.localhost")
        assert status == 404, text
        # An explainer that is an image keeps the service from being ready, and nothing else.
        objects = Objects(controller)

        def conditions():
            return {each["type"]: each for each in objects.status("InferenceService", "explained").get("conditions", [])}

        wait_until(lambda: conditions().get("ExplainerConfigurationReady", {}).get("status") == "False", "the explainer says why")
        assert conditions()["ExplainerConfigurationReady"]["message"].startswith(
            'Revision "explained-explainer-default-00001" failed with message: spec.explainer.alibi.command: there is none, only the '
            "image 'kserve/alibi-explainer:latest': images are not run on this machine")
        wait_until(lambda: conditions()["PredictorReady"]["status"] == "True", "the predictor is ready")
        assert conditions()["Ready"]["status"] == "False"
        assert ask(controller, "/v1/models/explained:predict", host="explained-default.localhost")["predictions"] == [4.0]


def test_a_transformer_comes_changes_and_goes(tmp_path):
    model = write_constant(tmp_path / "model", 1.0)
    file = tmp_path / "service.yaml"
    file.write_text(service("late", model))
    with Controller(file) as controller:
        def answer():
            return ask(controller, "/v1/models/late:predict", host="late-default.localhost")["predictions"]

        assert answer() == [1.0]
        file.write_text(service("late", model) + component("transformer", transformer(tmp_path / "ten", 10)))
        wait_until(lambda: answer() == [11.0], "the transformer has the requests")
        file.write_text(service("late", model) + component("transformer", transformer(tmp_path / "twenty", 20)))
        wait_until(lambda: answer() == [21.0], "the next revision of the transformer has them")
        file.write_text(service("late", model))
        wait_until(lambda: answer() == [1.0], "the predictor has them again")
        wait_until(lambda: len(controller.replicas()) == 1, "the transformer has ended")


def test_canaries_of_both_components(tmp_path):
    file = tmp_path / "service.yaml"
    old, new = write_constant(tmp_path / "old", 1.0), write_constant(tmp_path / "new", 2.0)
    file.write_text(service("both", old) + component("transformer", transformer(tmp_path / "ten", 10)))
    with Controller(file) as controller:
        def answers(count, **options):
            options = {"host": "both-default.localhost", **options}
            return collections.Counter(
                ask(controller, "/v1/models/both:predict", **options)["predictions"][0] for _ in range(count))

        assert answers(5) == {11.0: 5}
        # A canary of the predictor is behind one transformer.
        file.write_text(service("both", new, "canaryTrafficPercent: 50")
                        + component("transformer", transformer(tmp_path / "ten", 10)))
        wait_until(lambda: set(answers(20)) == {11.0, 12.0}, "both predictors have requests through the transformer")
        # One of the transformer, in front of one predictor.
        file.write_text(service("both", new) + component("transformer", transformer(tmp_path / "twenty", 20),
                                                         "canaryTrafficPercent: 50"))
        wait_until(lambda: set(answers(40)) == {12.0, 22.0}, "both transformers have requests")
        assert answers(5, host="prev-both-default.localhost") == {12.0: 5}


@pytest.mark.parametrize("container, why", [
    ("{image: some/image}", "images are not run on this machine"),
    ("{command: [no-such-program]}", "needs the program 'no-such-program', which is not installed here"),
    ("{env: [{name: STORAGE_URI, value: /no/such/folder}]}", "/no/such/folder"),
])
def test_a_transformer_that_cannot_be_run_is_said(tmp_path, container, why):
    file = tmp_path / "service.yaml"
    file.write_text(service("idle", write_constant(tmp_path / "model", 1.0))
                    + f"  transformer:\n    containers:\n    - {container}\n")
    with Controller(file) as controller:
        wait_until(lambda: why in controller.log(), "why it does not run")
        host = "idle-predictor-default-default.localhost"
        assert ask(controller, "/v1/models/idle:predict", host=host)["predictions"] == [1.0]
