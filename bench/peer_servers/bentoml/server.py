import bentoml
import model_calls
import numpy as np


@bentoml.service(workers=1)
class Peers:
    def __init__(self):
        self.model = model_calls.load()

    @bentoml.api(batchable=True, max_batch_size=16)
    def predict(self, rows: np.ndarray) -> np.ndarray:
        return self.model(model_calls.rows_of(rows))
