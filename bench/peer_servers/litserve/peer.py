from peer import Peer, rows_body

PEER = Peer(
    name="LitServe",
    packages=("litserve", "uvicorn", "onnxruntime"),
    setup="one worker and one API server, batches of 16 requests within 1 ms, `fast_queue`",
    command=lambda start: [f"{start.bin}/python", f"{start.home}/server.py", str(start.port)],
    path="/predict",
    body=rows_body,
    scores=lambda answer: answer["scores"],
)
