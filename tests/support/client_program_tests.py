"""The tests of every client program: its cases against grpc_echo and inferd. A test class derives from this class and
names its program."""

import pytest

from support.client_program import ECHO_CASES, INFER_CASES, check_mutual_tls, check_tls, run_client
from support.echo import Echo, tls_options


class ClientProgramTests:
    client = None  # the program's path

    @pytest.mark.parametrize("case", ECHO_CASES)
    def test_echo(self, echo, case):
        run_client(self.client, case, echo.address)

    def test_compressed_answers(self):
        with Echo("--compression-level", 6) as echo:
            run_client(self.client, "compression", echo.address)

    @pytest.mark.parametrize("case", INFER_CASES)
    def test_inferd(self, server_with_endless, case):
        run_client(self.client, case, server_with_endless.grpc_address)

    def test_a_unix_socket(self, tmp_path):
        with Echo("--unix", tmp_path / "echo.sock"):
            run_client(self.client, "bidi", f"unix:{tmp_path / 'echo.sock'}")

    def test_tls(self, certificates):
        with Echo(*tls_options(certificates)) as echo:
            check_tls(self.client, echo, certificates)

    def test_mutual_tls(self, certificates):
        with Echo(*tls_options(certificates, mutual=True)) as echo:
            check_mutual_tls(self.client, echo, certificates)
