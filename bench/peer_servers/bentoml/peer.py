from peer import Peer, rows_body

PEER = Peer(
    name="BentoML",
    packages=("bentoml", "onnxruntime"),
    setup="`bentoml serve` with one worker; a batchable API of at most 16 rows",
    command=lambda start: [f"{start.bin}/bentoml", "serve", "server:Peers", "--working-dir", str(start.home), "--host", "127.0.0.1",
                           "--port", str(start.port)],
    path="/predict",
    body=rows_body,
    scores=lambda answer: answer,
    environment={"BENTOML_DO_NOT_TRACK": "True"},
)
