import signal
import sys

import model_calls
import numpy as np
import ray
from ray import serve


@serve.deployment(num_replicas=1, max_ongoing_requests=64, ray_actor_options={"num_cpus": 1})
class Peers:
    def __init__(self):
        self.model = model_calls.load()

    @serve.batch(max_batch_size=16, batch_wait_timeout_s=0.001)
    async def predict(self, requests):
        return self.model(np.concatenate([model_calls.rows_of(rows) for rows in requests])).tolist()  # each request has one row

    async def __call__(self, request):
        return {"scores": await self.predict((await request.json())["rows"])}


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False, object_store_memory=100_000_000)
    serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
    serve.run(Peers.bind())
    signal.sigwait([signal.SIGTERM])
    serve.shutdown()
    ray.shutdown()
