import model_calls
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class PeerModel(MLModel):
    async def load(self):
        self.model = model_calls.load()
        return True

    async def predict(self, payload):
        rows = model_calls.rows_of(NumpyCodec.decode_input(payload.inputs[0]))
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("scores", self.model(rows))])
