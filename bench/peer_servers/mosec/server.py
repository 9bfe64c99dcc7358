import model_calls
import numpy as np
from mosec import Server, Worker


class Peers(Worker):
    def __init__(self):
        self.model = model_calls.load()

    def forward(self, data):
        rows = np.concatenate([model_calls.rows_of(request["rows"]) for request in data])
        return [{"scores": scores.tolist()} for scores in self.model(rows)]  # each request has one row


if __name__ == "__main__":
    server = Server()
    server.append_worker(Peers, num=1, max_batch_size=16, max_wait_time=1)
    server.run()
