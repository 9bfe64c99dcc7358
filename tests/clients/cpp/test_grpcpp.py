"""gRPC for C++ (Debian's): the program grpcpp_client, each of its cases against grpc_echo or inferd."""

from support.client_program_tests import ClientProgramTests
from support.server import PROGRAMS


class TestGrpcpp(ClientProgramTests):
    client = PROGRAMS / "grpcpp_client"
