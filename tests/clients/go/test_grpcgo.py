"""gRPC for Go (Debian's): the program grpcgo_client, each of its cases against grpc_echo or inferd."""

import pytest

from support.client_program import run_client
from support.client_program_tests import ClientProgramTests
from support.server import PROGRAMS


class TestGrpcgo(ClientProgramTests):
    client = PROGRAMS / "grpcgo_client"

    @pytest.mark.parametrize("case", ["health", "reflection"])
    def test_inferd_service(self, server_with_endless, case):
        run_client(self.client, case, server_with_endless.grpc_address)
