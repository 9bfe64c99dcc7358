"""grpcio with the stubs that its tools make of proto/oip and proto/tfs. Imported as oip.grpc_service_pb2 and
oip.grpc_service_pb2_grpc, tfs.prediction_service_pb2 and so on."""

import pathlib
import sys

import grpc
import grpc_tools
import grpc_tools.protoc
import pytest

from support.server import ROOT

GENERATED = ROOT / "build" / "tests" / "stubs"
PROTO = ROOT / "proto"
WELL_KNOWN = pathlib.Path(grpc_tools.__file__).parent / "_proto"
SOURCES = ["config/model_config.proto", "oip/grpc_service.proto",
           *(str(path.relative_to(PROTO)) for path in sorted(PROTO.glob("tfs/*.proto")))]


def generate():
    GENERATED.mkdir(parents=True, exist_ok=True)
    status = grpc_tools.protoc.main(["protoc", f"--proto_path={PROTO}", f"--proto_path={WELL_KNOWN}",
                                     f"--python_out={GENERATED}", f"--grpc_python_out={GENERATED}", *SOURCES])
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
