"""PredictionService and ModelService by the stubs that a client of TensorFlow Serving has."""

import asyncio

import grpc
import numpy
import pytest
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from tfs import model_service_pb2, prediction_service_pb2, session_service_pb2, signature_pb2
from tfs.model_service_pb2_grpc import ModelServiceStub
from tfs.prediction_service_pb2_grpc import PredictionServiceStub
from tfs.session_service_pb2_grpc import SessionServiceStub

from conftest import ANY_SIZE


def request_of(model, **inputs):
    """FP32 tensors."""
    request = prediction_service_pb2.PredictRequest()
    request.model_spec.name = model
    for name, values in inputs.items():
        tensor = request.inputs[name]
        tensor.dtype = 1
        for size in values.shape:
            tensor.tensor_shape.dim.add(size=size)
        tensor.float_val.extend(values.flatten().tolist())
    return request


def test_predict_and_who_answered(channel):
    values = numpy.array([[1.5, -2]], numpy.float32)
    response = PredictionServiceStub(channel).Predict(request_of("identity_FP32", INPUT=values))
    assert list(response.outputs["OUTPUT"].float_val) == [1.5, -2]
    assert response.model_spec.version.value == 1


def test_what_a_model_is(channel):
    request = model_service_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    request.model_spec.name = "digits"
    response = PredictionServiceStub(channel).GetModelMetadata(request)
    signatures = model_service_pb2.SignatureDefMap()
    assert response.metadata["signature_def"].Unpack(signatures)
    assert isinstance(signatures.signature_def["serving_default"], signature_pb2.SignatureDef)
    assert signatures.signature_def["serving_default"].inputs["image"].dtype == 1
    status = ModelServiceStub(channel).GetModelStatus(model_service_pb2.GetModelStatusRequest(model_spec=request.model_spec))
    assert [version.state for version in status.model_version_status] == [model_service_pb2.ModelVersionStatus.AVAILABLE]


def test_sessions_run_what_signatures_have(channel):
    request = session_service_pb2.SessionRunRequest(fetch=["weights"])
    request.model_spec.name = "digits"
    with pytest.raises(grpc.RpcError) as error:
        SessionServiceStub(channel).SessionRun(request)
    assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED
    assert "no signature of the model takes {} and gives {weights}" in error.value.details()


def test_reflection_has_the_services(channel):
    services = ProtoReflectionDescriptorDatabase(channel).get_services()
    assert {f"tensorflow.serving.{name}" for name in ("PredictionService", "ModelService", "SessionService")} <= set(services)


def test_a_deadline_that_passes(server_with_endless):
    request = prediction_service_pb2.PredictRequest()
    request.model_spec.name = "endless"
    tensor = request.inputs["INPUT"]
    tensor.dtype = 3
    tensor.tensor_shape.dim.add(size=1)
    tensor.int_val.append(1)
    with grpc.insecure_channel(server_with_endless.grpc_address) as channel, pytest.raises(grpc.RpcError) as error:
        PredictionServiceStub(channel).Predict(request, timeout=0.2)
    assert error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


def test_many_at_once_by_asyncio(server):
    async def ask():
        async with grpc.aio.insecure_channel(server.grpc_address, options=ANY_SIZE) as channel:
            stub = PredictionServiceStub(channel)
            rows = [numpy.full((1, 3), i, numpy.float32) for i in range(200)]
            return await asyncio.gather(*(stub.Predict(request_of("identity_FP32", INPUT=row)) for row in rows))

    for i, response in enumerate(asyncio.run(ask())):
        assert list(response.outputs["OUTPUT"].float_val) == [i] * 3
