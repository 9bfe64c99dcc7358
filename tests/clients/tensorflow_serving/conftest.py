"""tensorflow-serving-api over gRPC and requests over REST, against inferd --as tensorflow_model_server. The package imports
TensorFlow's messages as tensorflow.core.*: tools/install_tensorflow unpacks them, without TensorFlow."""

import contextlib
import sys

from support.server import ROOT

MESSAGES = ROOT / "build" / "deps" / "tensorflow" / "python"
assert MESSAGES.is_dir(), f"{MESSAGES} is missing: tools/install_tensorflow"
sys.path.insert(0, str(MESSAGES))

import grpc
import pytest
from tensorflow_serving.apis import model_service_pb2_grpc, prediction_service_pb2_grpc

from model_files import MODELS, SERVING, write_models_config
from support.server import EXAMPLES
from support.tensorflow_model_server import ModelServer


class Connected:
    """A server, and a client's stubs for it."""

    def __init__(self, server, channel):
        self.server = server
        self.rest = f"http://{server.address}/v1/models"
        self.prediction = prediction_service_pb2_grpc.PredictionServiceStub(channel)
        self.models = model_service_pb2_grpc.ModelServiceStub(channel)


@pytest.fixture
def start():
    """start(flag, ...): a server of the test's own."""
    with contextlib.ExitStack() as running:
        def run(*flags):
            server = running.enter_context(ModelServer(*flags))
            return Connected(server, running.enter_context(grpc.insecure_channel(server.grpc_address)))

        yield run


@pytest.fixture(scope="module")
def serving(tmp_path_factory, isolation):
    """One server with the models that TensorFlow Serving's own examples have."""
    config = tmp_path_factory.mktemp("config") / "models.config"
    write_models_config(
        config, half_plus_two=SERVING / "half_plus_two", strings=MODELS / "strings",
        any_rank=MODELS / "any_rank", digits=EXAMPLES / "digits",
        half_plus_two_tf2=(SERVING / "half_plus_two_tf2",
                           'model_version_policy { all {} } '
                           'version_labels { key: "stable" value: 1 } version_labels { key: "canary" value: 2 }'))
    with ModelServer(f"--model_config_file={config}") as server, grpc.insecure_channel(server.grpc_address) as channel:
        yield Connected(server, channel)
