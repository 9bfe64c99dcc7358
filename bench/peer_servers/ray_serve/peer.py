from peer import Peer, rows_body

PEER = Peer(
    name="Ray Serve",
    packages=("ray", "onnxruntime"),
    setup="one node, one replica with one CPU, `@serve.batch` of 16 requests within 1 ms",
    command=lambda start: [f"{start.bin}/python", f"{start.home}/server.py", str(start.port)],
    path="/",
    body=rows_body,
    scores=lambda answer: answer["scores"],
    environment={"RAY_USAGE_STATS_ENABLED": "0"},
    settle_s=10,
)
