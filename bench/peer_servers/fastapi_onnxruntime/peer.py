from peer import Peer, rows_body

PEER = Peer(
    name="FastAPI",
    packages=("fastapi", "uvicorn", "onnxruntime"),
    setup="`fastapi run --workers 1`, which has uvicorn with uvloop and httptools; the model is called in a `def` endpoint, on FastAPI's threads",
    command=lambda start: [f"{start.bin}/fastapi", "run", f"{start.home}/server.py", "--host", "127.0.0.1", "--port", str(start.port), "--workers", "1"],
    path="/predict",
    body=rows_body,
    scores=lambda answer: answer["scores"],
)
