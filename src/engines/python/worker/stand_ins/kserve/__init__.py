"""The names that models written for KServe import, served by inferd, if the environment has no kserve package of its
own. KServe's Kubernetes client and servers are not included."""

from kserve import constants, errors
from kserve.errors import InferenceError, InvalidInput, ModelMissingError, ModelNotFound, ModelNotReady
from kserve.logging import logger
from kserve.model import Model, PredictorConfig, PredictorProtocol
from kserve.model_server import ModelServer
from kserve.protocol.infer_type import InferInput, InferOutput, InferRequest, InferResponse
from kserve.storage import Storage

__all__ = ["constants", "errors", "InferenceError", "InvalidInput", "ModelMissingError", "ModelNotFound", "ModelNotReady", "logger",
           "Model", "PredictorConfig", "PredictorProtocol", "ModelServer", "InferInput", "InferOutput", "InferRequest",
           "InferResponse", "Storage"]
