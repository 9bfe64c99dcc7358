import json

from peer import Peer, v2_body, v2_scores


def command(start):
    settings = {"host": "127.0.0.1", "http_port": start.port, "grpc_port": start.port + 1, "metrics_port": start.port + 2,
                "parallel_workers": 1, "debug": False}
    model = {"name": "model", "implementation": "server.PeerModel", "max_batch_size": 16, "max_batch_time": 0.001}
    (start.scratch / "settings.json").write_text(json.dumps(settings), encoding="ascii")
    (start.scratch / "model-settings.json").write_text(json.dumps(model), encoding="ascii")
    return [f"{start.bin}/mlserver", "start", str(start.scratch)]


PEER = Peer(
    name="MLServer",
    packages=("mlserver", "onnxruntime"),
    setup="`mlserver start` with one parallel worker (its default), a custom runtime, and adaptive batching of 16 requests within 1 ms",
    command=command,
    path="/v2/models/model/infer",
    body=v2_body,
    scores=v2_scores,
)
