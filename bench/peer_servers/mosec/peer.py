from peer import Peer, rows_body

PEER = Peer(
    name="Mosec",
    packages=("mosec", "onnxruntime"),
    setup="one worker with batches of 16 requests within 1 ms",
    command=lambda start: [f"{start.bin}/python", f"{start.home}/server.py", "--address", "127.0.0.1", "--port", str(start.port)],
    path="/inference",
    body=rows_body,
    scores=lambda answer: answer["scores"],
)
