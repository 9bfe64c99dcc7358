"""The base class of models."""

import asyncio
import json
import urllib.error
import urllib.request
from enum import Enum

from kserve.errors import InferenceError, InvalidInput
from kserve.protocol.infer_type import InferRequest, InferResponse

FORWARDED_HEADERS = ("x-request-id", "x-b3-traceid", "authorization")


class PredictorProtocol(Enum):
    REST_V1 = "v1"
    REST_V2 = "v2"
    GRPC_V2 = "grpc-v2"


class InferenceVerb(Enum):
    EXPLAIN = 1
    PREDICT = 2


class PredictorConfig:
    def __init__(self, predictor_host, predictor_protocol="v1", predictor_use_ssl=False, predictor_request_timeout_seconds=600, **_):
        self.predictor_host = predictor_host
        self.predictor_protocol = predictor_protocol
        self.predictor_use_ssl = predictor_use_ssl
        self.predictor_request_timeout_seconds = predictor_request_timeout_seconds


class Model:
    """A predictor, a transformer or an explainer. Without its own `predict`, it calls the predictor at
    `predictor_host`. If that one has another model name, the configuration's parameter predictor_model states it."""

    def __init__(self, name, predictor_config=None, **_):
        self.name = name
        self.ready = False
        self.protocol = getattr(predictor_config, "predictor_protocol", "v1")
        self.predictor_host = getattr(predictor_config, "predictor_host", None)
        self.predictor_model = None
        self.explainer_host = None
        self.timeout = getattr(predictor_config, "predictor_request_timeout_seconds", 600)
        self.use_ssl = getattr(predictor_config, "predictor_use_ssl", False)
        self.predictor_config = predictor_config

    def load(self):
        self.ready = True
        return self.ready

    def start(self):
        self.ready = True

    def stop(self):
        self.ready = False

    def get_input_types(self):
        return []

    def get_output_types(self):
        return []

    def validate(self, payload):
        if isinstance(payload, dict):
            for key in ("instances", "inputs"):
                if key in payload and not isinstance(payload[key], list):
                    raise InvalidInput(f'Expected "{key}" to be a list')
        return payload

    async def preprocess(self, payload, headers=None):
        return payload

    async def postprocess(self, result, headers=None, response_headers=None):
        return result

    async def predict(self, payload, headers=None, response_headers=None):
        if not self.predictor_host:
            raise NotImplementedError("Could not find predictor_host.")
        name = self.predictor_model or self.name
        if getattr(self.protocol, "value", self.protocol) == PredictorProtocol.REST_V2.value:
            answer = await self._ask(self.predictor_host, f"/v2/models/{name}/infer", payload, headers)
            return InferResponse.from_rest(answer)
        if getattr(self.protocol, "value", self.protocol) == PredictorProtocol.GRPC_V2.value:
            raise NotImplementedError("the predictor is asked over HTTP here: protocol v1 or v2")
        return await self._ask(self.predictor_host, f"/v1/models/{name}:predict", payload, headers)

    async def explain(self, payload, headers=None):
        if not self.explainer_host:
            raise NotImplementedError("Could not find explainer_host.")
        return await self._ask(self.explainer_host, f"/v1/models/{self.predictor_model or self.name}:explain", payload, headers)

    async def _ask(self, host, path, payload, headers):
        return await asyncio.get_running_loop().run_in_executor(None, self._post, host, path, payload, headers)

    def _post(self, host, path, payload, headers):
        url = ("https" if self.use_ssl else "http") + f"://{host}{path}"
        body = json.dumps(payload.to_rest() if isinstance(payload, InferRequest) else payload).encode()
        sent = {key: value for key, value in (headers or {}).items() if key in FORWARDED_HEADERS}
        request = urllib.request.Request(url, body, {**sent, "Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=self.timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise HTTPStatusError(f"{text}, '{error.code} {error.reason}' for url '{url}'") from error
        except urllib.error.URLError as error:
            raise InferenceError(f"the predictor at {url} does not answer: {error.reason}") from error


class HTTPStatusError(RuntimeError):
    """An error of the predictor."""
