import os
import sys

import model_calls
import numpy as np
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig

model = model_calls.load()


@batch
def predict(rows):
    return {"scores": model(rows)}


if __name__ == "__main__":
    port = int(sys.argv[1])
    shape = (3, 32, 32) if os.environ["PEERS_MODEL"] == "image" else (64,)
    ports = TritonConfig(http_address="127.0.0.1", http_port=port, grpc_address="127.0.0.1", grpc_port=port + 1, metrics_port=port + 2)
    with Triton(config=ports) as triton:
        triton.bind("model", predict, inputs=[Tensor(name="rows", dtype=np.float32, shape=shape)],
                    outputs=[Tensor(name="scores", dtype=np.float32, shape=(-1,))],
                    config=ModelConfig(max_batch_size=16, batcher=DynamicBatcher()))
        triton.serve()
