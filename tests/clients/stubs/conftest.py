"""grpcio with the stubs that its tools make of proto/oip. Imported as oip.grpc_service_pb2 and oip.grpc_service_pb2_grpc."""

import sys

import grpc
import grpc_tools.protoc
import pytest

from support.server import ROOT

GENERATED = ROOT / "build" / "tests" / "stubs"
SOURCES = ["config/model_config.proto", "oip/grpc_service.proto"]


def generate():
    GENERATED.mkdir(parents=True, exist_ok=True)
    status = grpc_tools.protoc.main(["protoc", f"--proto_path={ROOT / 'proto'}", f"--python_out={GENERATED}",
                                     f"--grpc_python_out={GENERATED}", *SOURCES])
    assert status == 0, "protoc refuses proto/"
    sys.path.insert(0, str(GENERATED))


generate()

# Messages of any size, as those who send tensors set it.
ANY_SIZE = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


@pytest.fixture
def channel(server):
    with grpc.insecure_channel(server.grpc_address, options=ANY_SIZE) as made:
        yield made


@pytest.fixture
def echo_channel(echo):
    with grpc.insecure_channel(echo.address, options=ANY_SIZE) as made:
        yield made
