"""Runs a server with a canary in each of its secrets, and collects its outputs: answers to clients, logs, and the processes that it starts."""

import contextlib
import os
import pathlib
import re
import subprocess

import grpc

from support import oip, protos, python_models
from support.certificates import Certificates
from support.event_sink import EventSink
from support.redis import Redis
from support.s3_server import S3Server
from support.secrets import descendants
from support.server import PROGRAMS, LoggedProgram, TlsServer, wait_until

MODEL = python_models.CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", each.inputs()[0].as_numpy())]) for each in requests]
"""
CONFIG = """backend: "python" {more} input {{ name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }}
output {{ name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }}
"""
INPUT = [{"name": "IN", "datatype": "INT32", "shape": [1], "data": [7]}]
GET = ["/v2", "/v2/health/ready", "/v2/models", "/v2/models/inside", "/v2/models/inside/config", "/v2/models/apart/config",
       "/v2/models/stats", "/v2/models/apart/scheduler", "/v2/logging", "/v2/trace/setting", "/v2/models/inside/trace/setting",
       "/v1/models/inside", "/v2/models/none/config", "/none"]
POST = [("/v2/repository/index", {}), ("/v2/repository/models/none/load", {}), ("/v2/repository/models/inside/load", {}),
        ("/v2/models/inside/infer", {"inputs": INPUT}), ("/v2/models/apart/infer", {"inputs": INPUT}),
        ("/v2/models/cached/infer", {"inputs": INPUT}), ("/v2/models/inside/infer", {"inputs": "none"})]
# Mistakes in options that contain secrets, or may contain them.
MISTAKES = {"http-restricted-api": ["{}", "logging:{}", "logging:X-Key:{}=", "X-Key={}:logging=", "none:X-Key={}"],
            "grpc-restricted-protocol": ["logging:x-key:{}=", "logging,x-key={}:a="],
            "cache-config": ["{}", "redis,password:{}=", "redis://me:{}@host,db=0", "redis,pasword={}"],
            "payload-log-url": ["http://me:{}@127.0.0.1:9", "http://127.0.0.1:9/?token={}"],
            "trace-otlp-url": ["http://me:{}@127.0.0.1:9", "http://127.0.0.1:9/?token={}"],
            "model-repository": ["http://me:{}@127.0.0.1:9/m.tar", "http://127.0.0.1:9/m.tar?sig={}", "none://me:{}@host/m",
                                 "https://acc.blob.core.windows.net/none?sig={}"]}


class Secrets:
    """The server's secrets, passed in every way that an option can have: the environment, the options file, and files that it names."""

    def __init__(self, collection, folder, redis, store, sink):
        self.folder = folder
        self.certificates = Certificates(self._made("tls"))
        collection.plant_key("TLS key", self.certificates.key("server"))
        plant = collection.plant
        self.header, self.metadata, self.token = (plant(name) for name in ("HTTP header value", "gRPC metadata value", "bearer token"))
        etc = self._made("etc")
        (etc / "tokens").write_text(self.token + "\n")
        (etc / "account.json").write_text(f'{{"private_key": "{plant("GCS key file")}"}}')
        (etc / "inferd.yaml").write_text(f"grpc-restricted-protocol: ['model-repository:x-key={self.metadata}']\n"
                                         f"access-token-file: ['statistics,trace,logging:{etc / 'tokens'}']\n")
        (self._made("hdfs") / "TLS_KEY").write_text(plant("HDFS key"))
        collection.plant("S3 key", store.secret)
        self.environment = store.environment() | {
            "INFERD_CACHE_CONFIG": f"redis,host=127.0.0.1;redis,port={redis.port};redis,password={redis.password};redis,timeout=20s",
            "INFERD_HTTP_RESTRICTED_API": f"model-repository:X-Key={self.header}",
            "INFERD_PAYLOAD_LOG_URL": sink.url, "TMPDIR": str(self._made("tmp")),
            "GOOGLE_APPLICATION_CREDENTIALS": str(etc / "account.json"), "HDFS_SECRET_DIR": str(folder / "hdfs"),
            "AZURE_STORAGE_ACCESS_KEY": plant("Azure account key"), "AZ_CLIENT_SECRET": plant("Azure client secret"),
            "STORAGE_CONFIG": f'{{"type": "azure", "key": "{plant("storage specification")}"}}',
            "models.example.com-headers": f'{{"X-Key": "{plant("header for a storage")}"}}',
            "TRITONCACHE_REDIS_PASSWORD": plant("Redis password of Triton's variable"),
            "NOT_OF_THE_SERVER": plant("variable of the operator")}
        self.headers = {"X-Key": self.header, "Authorization": f"Bearer {self.token}"}

    def _made(self, name):
        made = self.folder / name
        made.mkdir(parents=True)
        return made

    @property
    def options(self):
        return ["--config", self.folder / "etc/inferd.yaml", "--log-verbose", 1, "--access-log", "--trace-level", "all",
                "--trace-rate", 1, "--trace-file", self.folder / "traces", "--model-control-mode", "explicit", "--load-model", "*"]


def write_models(folder, store):
    for name, more in {"inside": "", "apart": "inferd { isolation: PROCESS }", "cached": "response_cache { enable: true }"}.items():
        python_models.add(folder, name, MODEL, CONFIG.format(more=more))
    store.put("models", "all/remote/1/model.py", MODEL.encode())
    store.put("models", "all/remote/config.pbtxt", CONFIG.format(more="").encode())
    return folder


def name_of(arguments):
    """Returns the name of a process in the table."""
    if any("inferd_python_worker" in argument for argument in arguments):
        return "Python worker"
    return {"inferd-worker": "worker", "inferd": "replica", "inferd-agent": "agent", "python": "replica", "python3": "replica"}.get(
        pathlib.Path(arguments[0]).name, f"process {arguments[0]}")


def add_family(collection, process):
    """Adds a program's process, and all its descendants."""
    for number, arguments in descendants(process).items():
        collection.add_process(name_of(arguments), number)
        with contextlib.suppress(FileNotFoundError):
            collection.add_open_files(f"{name_of(arguments)}: open files", number)


def ask_by_http(collection, server, secrets):
    wrong = {"X-Key": secrets.header[:-1], "Authorization": f"Basic {secrets.token}"}
    for headers, output in ((secrets.headers, "HTTP answers"), ({}, "HTTP refusals"), (wrong, "HTTP refusals")):
        for path, body in [(path, None) for path in GET] + POST:
            status, answer_headers, answer = server.request("POST" if body is not None else "GET", path, body, headers)
            assert output != "HTTP answers" or status not in (401, 403), (path, answer)
            collection.add(output, str(answer_headers), answer)
    collection.add("metrics", server.request("GET", "/metrics")[2])


def ask_by_grpc(collection, server, secrets):
    service = protos.message("inference.ModelInferRequest").DESCRIPTOR.file.services_by_name["GRPCInferenceService"]
    authority = grpc.ssl_channel_credentials(secrets.certificates.certificate("authority").read_bytes())
    known = [("x-key", secrets.metadata), ("authorization", f"Bearer {secrets.token}")]
    with grpc.secure_channel(server.grpc_address, authority) as channel:
        for metadata, output in ((known, "gRPC answers"), ([], "gRPC refusals"), ([("x-key", secrets.metadata + "x")], "gRPC refusals")):
            for method in service.methods_by_name:
                try:
                    collection.add(output, channel.unary_unary(oip.SERVICE + method)(b"", timeout=60, metadata=metadata))
                except grpc.RpcError as error:
                    collection.add(output, error.details(), error.trailing_metadata(), error.initial_metadata())


def ask_by_inferctl(collection, server, secrets, inferctl):
    """Collects inferctl's output, with valid and with wrong credentials."""
    common = ["--url", server.url.replace("http:", "https:"), "--ca", secrets.certificates.certificate("authority")]
    calls = [["status"], ["doctor"], ["models"], ["config", "inside"], ["scheduler", "apart"], ["infer", "inside", "--fill", "random"],
             ["load", "inside"], ["load", "none"], ["unload", "inside"], ["load", "inside"],
             ["bench", "inside", "--duration", "0.2", "--warmup", "0"]]
    for call in calls:
        inferctl(*common, "-H", f"X-Key: {secrets.header}", *call, INFERCTL_TOKEN=secrets.token)
        inferctl(*common, "-H", f"X-Key: {secrets.header}x", *call, INFERCTL_TOKEN=secrets.token + "x")


def run_inferd(collection, output, *options, environment=()):
    done = subprocess.run([PROGRAMS / "inferd", *map(str, options)], env={**os.environ, **dict(environment)}, capture_output=True,
                          check=False, timeout=120)
    collection.add(output, done.stdout, done.stderr)
    return done


def start_in_vain(collection, models, secrets):
    """Collects the output of runs that end at once: help, the check of configurations, and failing starts."""
    for option in ("--help", "--version", "--list-engines"):
        run_inferd(collection, f"inferd {option}", option, environment=secrets.environment)
    done = run_inferd(collection, "inferd --dry-run", "--dry-run", "--model-repository", models, *secrets.options,
                      environment=secrets.environment)
    assert re.search(rb"models?, 0 problems", done.stdout), done
    mistaken = collection.plant("value of a mistaken option")
    for option, values in MISTAKES.items():
        for value in values:
            text = value.format(mistaken)
            collection.add("inferd: mistaken options", text)
            Mistaken(f"--{option}={text}").run(collection, models)
            Mistaken("--trace-mode=otlp", {f"INFERD_{option.upper().replace('-', '_')}": text}).run(collection, models)


class Mistaken(LoggedProgram):
    """An inferd with a mistaken option. It ends by itself, or it serves and is ended."""

    def __init__(self, option, environment=()):
        super().__init__()
        self._environment = dict(environment)
        self._command = [PROGRAMS / "inferd", option, "--http-address=127.0.0.1", "--http-port=0", "--grpc=false", "--metrics=false",
                         "--trace-level=timestamps", "--trace-rate=1"]

    def run(self, collection, models):
        if not any("model-repository" in word or "MODEL_REPOSITORY" in word for word in [self._command[1], *self._environment]):
            self._command += ["--model-repository", models]
        self.spawn(self._environment)
        wait_until(lambda: self.process.poll() is not None or "listening" in self.log(), "it ends, or serves")
        self.kill()
        assert self.log()
        collection.add("inferd: errors of a start", self.log())


def collect(collection, folder, inferctl, monkeypatch):
    with Redis("--requirepass", collection.plant("Redis password")) as redis, S3Server() as store, EventSink() as sink:
        models = write_models(folder / "models", store)
        secrets = Secrets(collection, folder, redis, store, sink)
        start_in_vain(collection, models, secrets)
        for name, value in secrets.environment.items():
            monkeypatch.setenv(name, value)
        with TlsServer(secrets.certificates, models, "s3://models/all", options=secrets.options) as server:
            wait_until(lambda: server.metrics().get("inferd_response_cache_redis_up") == 1, "the Redis knows the password")
            ask_by_http(collection, server, secrets)
            ask_by_grpc(collection, server, secrets)
            ask_by_inferctl(collection, server, secrets, inferctl)
            collection.add_process("server", server.process.pid)
            add_family(collection, server.process.pid)
            collection.add_files("server: temporary files", folder / "tmp")
        collection.add("server: log", server.log())
        collection.add_files("server: files of the operator", folder / "etc")
        collection.add_files("server: files of the operator", folder / "tls")
        collection.add_files("server: files of the operator", folder / "hdfs")
        collection.add("traces", *(path.read_bytes() for path in folder.glob("traces*")))
        collection.add("payload log", *(str(event) for event in sink.events()))
