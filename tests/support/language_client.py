"""Client programs that run many cases in one start and print a line per case: `ok CASE`, or `failed CASE: what is wrong`."""

import os
import re
import subprocess

from support import models
from support.server import EXAMPLES, ROOT, Server

# The cases that each language has, over gRPC.
CONTROL_CASES = ["server_health", "server_metadata", "model_ready", "model_metadata", "model_config", "model_statistics", "repository_index",
                 "load_and_unload", "load_with_a_file", "load_errors", "log_settings", "trace_settings", "system_shared_memory",
                 "cuda_shared_memory", "health", "reflection"]
INFER_CASES = ["typed_datatypes", "raw_datatypes", "nonfinite_numbers", "bytes_elements", "several_inputs", "outputs_chosen", "id_and_version",
               "parameters", "classification", "infer_errors", "deadline", "cancel", "large", "default_limit", "gzip", "many_at_once", "metadata"]
STREAM_CASES = ["order", "one_by_one", "errors", "errors_as_status", "decoupled", "back_pressure", "cancel", "deadline"]
GRPC_CASES = [f"grpc_{case}" for case in CONTROL_CASES + INFER_CASES] + [f"stream_{case}" for case in STREAM_CASES]
# And over REST.
REST_CASES = ["server_health", "server_metadata", "model_ready", "model_metadata", "model_config", "model_statistics", "json_datatypes",
              "binary_datatypes", "bytes_elements", "several_inputs", "outputs_chosen", "id_and_version", "parameters", "classification",
              "bare_bytes", "infer_errors", "generate", "generate_stream", "infer_stream", "repository_index", "load_and_unload", "load_errors",
              "log_settings", "trace_settings", "system_shared_memory", "cuda_shared_memory", "cancel", "large", "gzip", "body_without_length",
              "headers", "many_at_once", "scheduler_and_metrics"]

# How often clients may ping: the case `keepalive` would take many minutes with the default, 300 s.
OPTIONS = ["--client-shared-memory", "--grpc-http2-min-recv-ping-interval-without-data", "5ms"]

OUTPUT_LINE = re.compile(r"(ok|failed) (\w+)(?:: (.*))?")
CLIENT_S = 110


class LanguageServer(Server):
    """The server that the cases expect: the example models, an identity per datatype, a model that never answers, and one that answers once for each
    number that it gets. Use as a context manager."""

    def __init__(self, identities, folder):
        repository = folder / "models"
        models.add_fake(repository, "endless", hold_file="hold")
        models.add_repeat(repository, "repeat")
        self._hold = repository / "endless" / "hold"
        self._hold.touch()
        self.adder = folder / "adder.onnx"
        self.adder.write_bytes(models.adder_bytes(40))
        super().__init__(f"examples={EXAMPLES}", f"identities={identities}", f"more={repository}", options=OPTIONS)

    def __exit__(self, *error):
        self._hold.unlink()
        super().__exit__(*error)


class LanguageClient:
    """A client program: its command, and what it needs in its environment."""

    def __init__(self, *command, environment=()):
        self._command = [str(word) for word in command]
        self._environment = {**os.environ, **dict(environment)}

    def run(self, address, cases, **files):
        """Runs the cases, and returns {case: "ok" or what is wrong}. Files are the program's options."""
        options = [str(word) for name, file in files.items() for word in (f"--{name}", file)]
        done = subprocess.run([*self._command, *options, address, *cases], env=self._environment, capture_output=True, text=True, timeout=CLIENT_S)
        lines = [OUTPUT_LINE.fullmatch(line) for line in done.stdout.splitlines()]
        outcomes = {line[2]: "ok" if line[1] == "ok" else line[3] for line in lines if line}
        assert done.returncode == 0 and list(outcomes) == list(cases), f"{done.stdout}\n{done.stderr}"
        return outcomes

    def check(self, address, *cases, **files):
        """Runs the cases, and checks that all see what they should."""
        outcomes = self.run(address, cases, **files)
        assert set(outcomes.values()) == {"ok"}, outcomes


def run_all(client, server, grpc_cases, rest_cases):
    """Runs all cases against the server, and returns their outcomes. Each test looks at one of them."""
    files = {"model": server.adder}
    return client.run(server.grpc_address, grpc_cases, **files) | client.run(server.address, rest_cases, **files)


def uncalled_methods(server):
    """Returns the methods of the published inference service that no client has called."""
    service = (ROOT / "proto" / "oip" / "grpc_service.proto").read_text(encoding="utf-8")
    methods = re.findall(r"^  rpc (\w+)", service, re.MULTILINE)
    assert "ModelStreamInfer" in methods
    metrics = server.metrics()

    def calls(method):
        return sum(value for series, value in metrics.items() if series.startswith("inferd_grpc_calls_total") and f'/{method}"' in series)
    return [method for method in methods if not calls(method)]


def code_blocks(page, language):
    """Returns the blocks of a language on a page of docs/."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def with_ports(text, server):
    """Returns the text with the server's addresses in place of the ports of the pages."""
    return text.replace("localhost:8000", server.address).replace("localhost:8001", server.grpc_address)
