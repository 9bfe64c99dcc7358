from peer import Peer, v2_body, v2_scores

PEER = Peer(
    name="PyTriton",
    packages=("nvidia-pytriton", "onnxruntime"),
    setup="`triton.serve()` with the Triton that its package has, and a dynamic batcher of 16 rows",
    command=lambda start: [f"{start.bin}/python", f"{start.home}/server.py", str(start.port)],
    path="/v2/models/model/infer",
    body=v2_body,
    scores=v2_scores,
)
