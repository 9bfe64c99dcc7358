"""inferd-controller --local: transformers of KServe's own package, which call their predictor over gRPC."""

import os
import sys
import textwrap

import pytest

from support.controller import Controller, write_constant
from support.objects import Objects
from support.server import ROOT, wait_until

SERVICE = "InferenceService"

# The package reads where the predictor is from the command line itself.
TRANSFORMER = """
    from kserve import InferInput, InferRequest, Model, ModelServer, model_server

    class Shift(Model):
        def preprocess(self, payload, headers=None):
            tensor = InferInput("input-0", [len(payload["instances"]), 1], "FP32", [row[0] for row in payload["instances"]])
            return InferRequest(self.name, [tensor])

        def postprocess(self, result, headers=None, response_headers=None):
            values = result.outputs[0].as_numpy().ravel()
            return {"predictions": [each.decode() if isinstance(each, bytes) else float(each) + 10 for each in values]}

    if __name__ == "__main__":
        model = Shift(model_server.args.model_name)
        model.ready = True
        ModelServer(enable_grpc=False).start([model])
    """

# Answers with a header of the request.
PREDICTOR = """
    import concurrent.futures, sys
    import grpc
    from support.protos import message

    def infer(request, context):
        seen = dict(context.invocation_metadata()).get("x-request-id", "none")
        answer = message("inference.ModelInferResponse")(model_name=request.model_name)
        output = answer.outputs.add(name="output-0", datatype="BYTES", shape=[1])
        output.contents.bytes_contents.append(seen.encode())
        return answer

    handler = grpc.unary_unary_rpc_method_handler(
        infer, request_deserializer=message("inference.ModelInferRequest").FromString,
        response_serializer=lambda answer: answer.SerializeToString())
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("inference.GRPCInferenceService", {"ModelInfer": handler}),))
    server.add_insecure_port(f"127.0.0.1:{sys.argv[1].split('=')[1]}")
    server.start()
    server.wait_for_termination()
    """


@pytest.fixture(name="controller", scope="module")
def running():
    with Controller() as controller:
        yield controller


def program(folder, name, text, *arguments, **more):
    file = folder / f"{name}.py"
    file.write_text(textwrap.dedent(text))
    return {"minReplicas": 1, "containers": [{"command": [sys.executable, str(file), *arguments], **more}]}


def transformer(folder):
    return program(folder, "transformer", TRANSFORMER, "--predictor_protocol", "grpc-v2",
                   ports=[{"containerPort": 8080}], readinessProbe={"httpGet": {"path": "/", "port": 8080}})


def predict(controller, name, **headers):
    status, text = controller.call("POST", f"/v1/models/{name}:predict", '{"instances": [[0.0]]}', f"{name}-default.localhost",
                                   headers={"Content-Type": "application/json", **headers})
    return status, text


def test_it_asks_a_predictor_and_its_next_revision(controller, tmp_path):
    objects = Objects(controller)

    def spec(value):
        uri = str(write_constant(tmp_path / f"model{value}", value))
        return {"predictor": {"minReplicas": 1, "model": {"modelFormat": {"name": "xgboost"}, "storageUri": uri}},
                "transformer": transformer(tmp_path)}

    objects.create(SERVICE, "shift", spec(1.5))
    wait_until(lambda: objects.condition(SERVICE, "shift", "TransformerReady") == ("True", None, None), "the transformer is ready")
    assert predict(controller, "shift") == (200, '{"predictions":[11.5]}')
    objects.replace_spec(SERVICE, "shift", spec(2.5))
    wait_until(lambda: predict(controller, "shift") == (200, '{"predictions":[12.5]}'), "the next model answers")
    objects.delete(SERVICE, "shift")
    wait_until(lambda: not controller.replicas(), "it has ended")


def test_headers_go_on(controller, tmp_path):
    objects = Objects(controller)
    path = f"{ROOT / 'tests'}:{os.environ.get('PYTHONPATH', '')}"
    objects.create(SERVICE, "header", {
        "predictor": program(tmp_path, "predictor", PREDICTOR, "--port=9000", ports=[{"containerPort": 9000, "name": "h2c"}],
                             env=[{"name": "PYTHONPATH", "value": path}]),
        "transformer": transformer(tmp_path)})
    wait_until(lambda: objects.condition(SERVICE, "header", "TransformerReady") == ("True", None, None), "the transformer is ready")
    assert predict(controller, "header", **{"X-Request-Id": "traced"}) == (200, '{"predictions":["traced"]}')
    objects.delete(SERVICE, "header")
    wait_until(lambda: not controller.replicas(), "it has ended")
