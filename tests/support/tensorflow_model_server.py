"""Starts the built inferd as tensorflow_model_server, with that program's flags."""

from support.server import Server


class ModelServer(Server):
    """One `inferd --as tensorflow_model_server` on free ports."""

    def __init__(self, *flags, ready=True, folder=None):
        super().__init__(ready=ready, folder=folder)
        self.with_options(["--as", "tensorflow_model_server", f"--port={self.grpc_port}", f"--rest_api_port={self.port}",
                           *flags])

    def state(self, model, part=""):
        """Returns {version: state}, or (status, error)."""
        status, answer = self.json("GET", f"/v1/models/{model}{part}")
        if status != 200:
            return status, answer["error"]
        return {entry["version"]: entry["state"] for entry in answer["model_version_status"]}

    def predict(self, path, instances=(0,)):
        """Returns the predictions of /v1/models/<path>:predict, or (status, error)."""
        status, answer = self.json("POST", f"/v1/models/{path}:predict", {"instances": list(instances)})
        return answer["predictions"] if status == 200 else (status, answer["error"])
