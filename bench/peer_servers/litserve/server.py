import sys

import litserve
import model_calls
import numpy as np


class Api(litserve.LitAPI):
    def setup(self, device):
        self.model = model_calls.load()

    def decode_request(self, request):
        return model_calls.rows_of(request["rows"])

    def batch(self, inputs):
        return np.concatenate(inputs)

    def predict(self, rows):
        return self.model(rows)

    def unbatch(self, output):
        return list(output)  # each request has one row

    def encode_response(self, output):
        return {"scores": output.tolist()}


if __name__ == "__main__":
    server = litserve.LitServer(Api(max_batch_size=16, batch_timeout=0.001), accelerator="cpu", workers_per_device=1, fast_queue=True)
    server.run(host="127.0.0.1", port=int(sys.argv[1]), num_api_servers=1, generate_client_file=False)
