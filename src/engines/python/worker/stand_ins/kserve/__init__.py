"""What models written for KServe import, where the environment has no kserve of its own: the names that such models use, served by
inferd. KServe's client of Kubernetes and its servers are not here."""

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
