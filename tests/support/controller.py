"""Starts the built inferd-controller for a test, and ends it. Makes services for it."""

import http.client
import json
import pathlib
import re
import signal

from support.server import PROGRAMS, LoggedProgram, free_ports, wait_until

SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {name}
  annotations:
    autoscaling.knative.dev/window: 6s
    autoscaling.knative.dev/scale-down-delay: 0s
spec:
  predictor:
    minReplicas: {least}
    {more}
    model:
      modelFormat: {{name: {format}}}
      {storage}
"""


def write_constant(folder, value):
    """Writes an XGBoost model whose answer is always `value`."""
    folder.mkdir(parents=True, exist_ok=True)
    tree = {"base_weights": [value], "categories": [], "categories_nodes": [], "categories_segments": [], "categories_sizes": [],
            "default_left": [0], "id": 0, "left_children": [-1], "loss_changes": [0.0], "parents": [2147483647],
            "right_children": [-1], "split_conditions": [value], "split_indices": [0], "split_type": [0], "sum_hessian": [1.0],
            "tree_param": {"num_deleted": "0", "num_feature": "1", "num_nodes": "1", "size_leaf_vector": "1"}}
    booster = {"name": "gbtree", "model": {"gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "1"},
                                           "iteration_indptr": [0, 1], "tree_info": [0], "trees": [tree]}}
    learner = {"attributes": {}, "feature_names": [], "feature_types": [], "gradient_booster": booster,
               "learner_model_param": {"base_score": "0", "boost_from_average": "1", "num_class": "0", "num_feature": "1",
                                       "num_target": "1"},
               "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}}}
    (folder / "model.json").write_text(json.dumps({"learner": learner, "version": [2, 0, 0]}))
    return folder


def service(name, uri=None, least=0, more="", model_format="xgboost"):
    """Returns an InferenceService. Without `uri`, it is for TrainedModels."""
    storage = f"storageUri: {uri}" if uri is not None else ""
    return SERVICE.format(name=name, storage=storage, least=least, more=more, format=model_format)


class ApiConnection(http.client.HTTPConnection):
    """A connection that sends the token with every request."""

    def __init__(self, port, token, timeout):
        super().__init__("127.0.0.1", port, timeout=timeout)
        self._token = token

    def request(self, method, url, body=None, headers=(), **options):
        super().request(method, url, body=body, headers={"Authorization": f"Bearer {self._token}", **dict(headers)}, **options)


class Controller(LoggedProgram):
    """One inferd-controller --local on a free loopback port. Use as a context manager. Clients of its API use `kubeconfig`, or
    connections of `connect_api`."""

    def __init__(self, *files, options=(), environment=()):
        super().__init__()
        self._environment = dict(environment)
        self.port, self.api_port = free_ports(2)
        self._command = [PROGRAMS.absolute() / "inferd-controller", "--local", *files, "--http-port", self.port,
                         "--api-port", self.api_port, *options]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def start(self):
        """Starts the controller. May be called again after it has ended."""
        begun = self.log_size()
        self.spawn(self._environment)
        listens = f"listening listener=http address=127.0.0.1 port={self.port}"
        wait_until(lambda: self.process.poll() is not None or listens in self.log(begun), "the gateway listens")
        assert self.process.poll() is None, self.log(begun)

    @property
    def kubeconfig(self):
        """Returns the file's path, as the last start has printed it."""
        return pathlib.Path(re.findall(r"^export KUBECONFIG=(\S+)$", self.log(), re.MULTILINE)[-1])

    @property
    def token(self):
        return re.search(r"^ *token: [\"']?([0-9a-f]{64})\b", self.kubeconfig.read_text(), re.MULTILINE)[1]

    def connect_api(self, timeout=60):
        return ApiConnection(self.api_port, self.token, timeout)

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.log())
        try:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                self.process.wait(timeout=60)
        finally:
            self.kill()

    def ready_replicas(self, revision):
        """Returns the number in the last log line. None if there is none yet."""
        said = re.findall(rf"{revision} \d+ %, (\d+) of \d+ replicas ready", self.log())
        return int(said[-1]) if said else None

    def replicas(self):
        """Returns the processes of the replicas."""
        found = []
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                parent = re.search(r"^PPid:\t(\d+)$", status.read_text(), re.MULTILINE)
            except OSError:
                continue
            if parent and int(parent[1]) == self.process.pid:
                found.append(int(status.parent.name))
        return found

    def server_port(self, process):
        """Returns the port of a replica's process for HTTP without the gateway, if it has one."""
        command = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")
        return next(int(word.split("=")[1]) for word in command if word.replace("-", "_").startswith("__http_port="))

    def replica_sockets(self):
        """Returns the sockets of inferd replicas: NUMBER.http and NUMBER.grpc."""
        found = map(pathlib.Path, re.findall(r"listening listener=(?:http|grpc)-unix address=(\S+)", self.log()))
        return [path for path in found if path.exists()]

    def call(self, method, path, body=None, host=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers={"Host": host or f"127.0.0.1:{self.port}", **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def predict(self, name, **options):
        """Predicts one row over V1."""
        status, text = self.call("POST", f"/v1/models/{name}:predict", json.dumps({"instances": [[0.0]]}),
                                 options.pop("host", f"{name}-default.localhost"), **options)
        assert status == 200, text
        return json.loads(text)["predictions"][0]
