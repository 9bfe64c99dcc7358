"""Unchanged models for KServe's Python package: custom predictors, transformers and explainers. They run with inferd's stand-in for
that package."""

import json
import textwrap

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

PREDICTOR = """
    import argparse
    from typing import Dict

    import numpy as np
    from kserve import InferOutput, InferRequest, InferResponse, Model, ModelServer, model_server
    from kserve.errors import InferenceError, InvalidInput
    from kserve.utils.utils import get_predict_input, get_predict_response


    class Doubler(Model):
        def __init__(self, name: str, factor: int):
            super().__init__(name)
            self.factor = factor
            self.load()

        def load(self):
            self.bias = 0.5
            self.ready = True
            return self.ready

        def preprocess(self, payload, headers: Dict[str, str] = None):
            self.seen = dict(headers or {})
            return payload

        async def predict(self, payload, headers: Dict[str, str] = None):
            if isinstance(payload, dict) and payload.get("fail") == "input":
                raise InvalidInput("no good")
            if isinstance(payload, dict) and payload.get("fail") == "inference":
                raise InferenceError("out of ideas")
            if isinstance(payload, dict) and payload.get("fail") == "key":
                return {}["absent"]
            if isinstance(payload, dict) and payload.get("fail") == "header":
                return {"predictions": [self.seen.get("x-request-id")]}
            return get_predict_response(payload, get_predict_input(payload) * self.factor + self.bias, self.name)


    parser = argparse.ArgumentParser(parents=[model_server.parser])
    parser.add_argument("--factor", type=int, default=2)
    args, _ = parser.parse_known_args()

    if __name__ == "__main__":
        model = Doubler(args.model_name, args.factor)
        ModelServer().start([model])
        raise RuntimeError("a server does not return")
    """

TRANSFORMER = """
    import kserve


    class Shift(kserve.Model):
        def __init__(self, name, predictor_host):
            super().__init__(name)
            self.predictor_host = predictor_host
            self.ready = True

        def preprocess(self, inputs, headers=None):
            return {"instances": [[value + 1 for value in row] for row in inputs["instances"]]}

        def postprocess(self, response, headers=None):
            return {"predictions": [[-value for value in row] for row in response["predictions"]]}


    if __name__ == "__main__":
        parser = kserve.model_server.parser
        args, _ = parser.parse_known_args()
        kserve.ModelServer().start([Shift(args.model_name, args.predictor_host)])
    """

EXPLAINER = """
    from kserve import Model


    class Why(Model):
        async def explain(self, payload, headers=None):
            base = await self.predict(payload, headers)
            return {"explanations": {"because": payload["instances"], "of": base["predictions"]}}
    """

SUM = b"""
import numpy as np
from numpy.typing import NDArray

def predict(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x * 10
"""

TYPED = """
    import numpy as np
    from kserve import InferOutput, InferResponse, Model


    class Typed(Model):
        def get_input_types(self):
            return [{"name": "x", "datatype": "INT32", "shape": [-1]}, {"name": "word", "datatype": "BYTES", "shape": [1]}]

        def get_output_types(self):
            return [{"name": "y", "datatype": "INT32", "shape": [-1]}, {"name": "loud", "datatype": "BYTES", "shape": [1]}]

        def predict(self, request, headers=None):
            y = InferOutput("y", [1], "INT32")
            y.set_data_from_numpy(request.get_input_by_name("x").as_numpy() + 1)
            loud = InferOutput("loud", [1], "BYTES", [request.get_input_by_name("word").as_string()[0].upper()])
            return InferResponse(request.id, self.name, [y, loud])
    """


def add(repository, name, source, **parameters):
    text = source if isinstance(source, bytes) else textwrap.dedent(source).encode()
    models.write_whole(repository / name / "1" / "model.py", text)
    if parameters:
        rows = [f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}' for key, value in parameters.items()]
        models.write_whole(repository / name / "config.pbtxt", "\n".join(rows).encode())


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    repository = tmp_path_factory.mktemp("models")
    server = Server(repository)
    here = f"127.0.0.1:{server.port}"
    add(repository, "doubler", PREDICTOR)
    add(repository, "tripler", PREDICTOR, arguments="--factor 3")
    add(repository, "sum", SUM)
    add(repository, "shift", TRANSFORMER, predictor_host=here, predictor_model="sum")
    add(repository, "lost", TRANSFORMER, predictor_host=here, predictor_model="nowhere")
    add(repository, "alone", TRANSFORMER)
    add(repository, "why", EXPLAINER, predictor_host=here, predictor_model="sum")
    add(repository, "typed", TYPED)
    models.write_whole(repository / "sum" / "config.pbtxt", b'inferd { explainer { model: "why" } }')
    with server:
        yield server


def predict(server, model, body, verb="predict", headers=None):
    text = body if isinstance(body, (bytes, str)) else json.dumps(body)
    status, _, answer = server.request("POST", f"/v1/models/{model}:{verb}", text, headers or {})
    return status, json.loads(answer)


def test_a_custom_predictor(server):
    assert predict(server, "doubler", {"instances": [[1, 2], [3, 4]]}) == (200, {"predictions": [[2.5, 4.5], [6.5, 8.5]]})
    assert predict(server, "tripler", {"instances": [[1]]}) == (200, {"predictions": [[3.5]]})
    assert predict(server, "doubler", {"instances": [], "fail": "header"}, headers={"X-Request-Id": "seven"}) == (
        200, {"predictions": ["seven"]})


def test_it_answers_v2(server):
    inputs = [{"name": "whatever", "datatype": "FP64", "shape": [2, 1], "data": [1, 2]}]
    status, answer = server.infer("doubler", inputs, id="n")
    assert status == 200, answer
    assert answer == {"id": "n", "model_name": "doubler",
                      "outputs": [{"name": "output-0", "datatype": "FP64", "shape": [2, 1], "data": [2.5, 4.5]}]}
    status, answer = server.infer("doubler", [{"name": "x"}])
    assert status == 400 and "Unrecognized request format" in answer["error"]


def test_its_exceptions_are_kserves(server):
    expected = [("input", 400, "no good"), ("inference", 500, "out of ideas"), ("key", 500, "KeyError : 'absent'")]
    for what, code, text in expected:
        assert predict(server, "doubler", {"instances": [], "fail": what}) == (code, {"error": text})
    assert predict(server, "doubler", {"instances": 3}) == (400, {"error": 'Expected "instances" to be a list'})
    status, answer = predict(server, "doubler", "{")
    assert status == 400 and answer["error"].startswith("Unrecognized request format: ")
    assert predict(server, "doubler", {"instances": [1]}, "explain") == (501, {"error": "Could not find explainer_host."})


def test_a_transformer_asks_another_model(server):
    assert predict(server, "shift", {"instances": [[1, 2]]}) == (200, {"predictions": [[-20, -30]]})
    status, answer = predict(server, "lost", {"instances": [[1, 2]]})
    assert status == 500 and answer["error"].startswith("HTTPStatusError : ") and "'404 Not Found' for url" in answer["error"]
    assert predict(server, "alone", {"instances": [[1]]}) == (501, {"error": "Could not find predictor_host."})


def test_an_explainer(server):
    explained = {"explanations": {"because": [[1.5]], "of": [[15]]}}
    assert predict(server, "why", {"instances": [[1.5]]}, "explain") == (200, explained)
    assert predict(server, "sum", {"instances": [[1.5]]}, "explain") == (200, explained)


def test_events(server):
    event = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "s", "ce-type": "t", "Content-Type": "application/json"}
    status, headers, answer = server.request("POST", "/v1/models/doubler:predict", json.dumps({"instances": [[1]]}), event)
    assert status == 200 and json.loads(answer) == {"predictions": [[2.5]]}
    assert {key.lower(): value for key, value in headers.items()}["ce-source"] == "io.kserve.inference.doubler"


def test_types_that_a_model_tells_are_tensors(server):
    metadata = server.json("GET", "/v2/models/typed")[1]
    assert [(each["name"], each["datatype"]) for each in metadata["inputs"]] == [
        ("x", "INT32"), ("word", "BYTES"), ("kserve_payload", "BYTES")]
    inputs = [{"name": "x", "datatype": "INT32", "shape": [2], "data": [1, 2]},
              {"name": "word", "datatype": "BYTES", "shape": [1], "data": ["aha"]}]
    status, answer = server.infer("typed", inputs, outputs=[{"name": "y"}, {"name": "loud"}])
    assert status == 200, answer
    assert {output["name"]: output["data"] for output in answer["outputs"]} == {"y": [2, 3], "loud": ["AHA"]}


@pytest.mark.parametrize("source, reason", [
    ("from kserve import Model\nclass A(Model): pass\nclass B(Model): pass\n", "several classes derived from kserve.Model (A, B)"),
    ("import kserve\nkserve.ModelServer().start([kserve.Model('a'), kserve.Model('b')])\n", "starts 2 models (a, b)"),
    ("import kserve\nclass A(kserve.Model):\n    def load(self):\n        raise OSError('no weights')\n", "OSError: no weights"),
    ("import kserve\n", "has neither a function 'predict'")], ids=["several", "two", "load", "none"])
def test_files_that_cannot_be_served(tmp_path, isolation, source, reason):
    add(tmp_path, "bad", source.encode())
    with Server(tmp_path, ready=False) as server:
        def why():
            index = json.loads(server.request("POST", "/v2/repository/index")[2])
            return index and index[0].get("reason")
        assert reason in wait_until(why, "it was tried")


ADD = """
class Add(%s):
    def __init__(self, name):
        super().__init__(name)
        self.ready = True

    def predict(self, payload, headers=None):
        return {"predictions": [x + 1 for x in payload["instances"]]}
"""
START = "if __name__ == '__main__':\n    %s.ModelServer().start([Add('%s')])\n"
# Ways to import the package: what stands before the class, its base, and the package's name at the end.
IMPORTS = {
    "beside_another": ("import logging, kserve\n", "kserve.Model", "kserve"),
    "behind_another": ("import logging; import kserve\n", "kserve.Model", "kserve"),
    "in_a_block": ("if True:\n    import kserve.model as m, kserve\n", "m.Model", "kserve"),
    "tried": ("try: import kserve as ks\nexcept ImportError: raise\n", "ks.Model", "ks"),
    "by_importlib": ("import importlib\nk = importlib.import_module('kserve')\n", "k.Model", "k"),
    "by_a_function": ("k = __import__('kserve')\n", "k.Model", "k"),
    "by_another_file": ("from helper import base, package\n", "base", "package"),
}


def test_the_package_may_be_imported_in_any_way(tmp_path, isolation):
    for name, (imports, base, package) in IMPORTS.items():
        add(tmp_path, name, (imports + ADD % base + START % (package, name)).encode())
    models.write_whole(tmp_path / "by_another_file" / "1" / "helper.py", b"import kserve as package\nbase = package.Model\n")
    add(tmp_path, "other", b"import sys\ndef predict(x: float) -> bool:\n    return 'kserve' in sys.modules\n")
    with Server(tmp_path) as server:
        for name in IMPORTS:
            assert predict(server, name, {"instances": [1]}) == (200, {"predictions": [2]}), name
        assert predict(server, "other", {"instances": [1.0]}) == (200, {"predictions": [False]})
