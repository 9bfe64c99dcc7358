"""grpc.health.v1 and server reflection, with the packages that grpcio has for them."""

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from support import models
from support.server import Server

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SERVICE = "inference.GRPCInferenceService"


@pytest.mark.parametrize("service", ["", SERVICE])
def test_check(channel, service):
    assert health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=service)).status == SERVING


def test_check_of_an_unknown_service(channel):
    with pytest.raises(grpc.RpcError) as error:
        health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="nobody"))
    assert error.value.code() == grpc.StatusCode.NOT_FOUND


def test_watch_tells_of_changes(tmp_path):
    models.add_fake(tmp_path, "slow", creation_delay_sec=2)
    with Server(tmp_path, ready=False) as server, grpc.insecure_channel(server.grpc_address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        answers = health.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
        assert [next(answers).status for _ in range(2)] == [NOT_SERVING, SERVING]
        answers.cancel()


def test_watch_of_an_unknown_service(channel):
    answers = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service="nobody"))
    assert next(answers).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    answers.cancel()


def test_the_services_are_listed(channel):
    services = set(ProtoReflectionDescriptorDatabase(channel).get_services())
    assert {SERVICE, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection",
            "grpc.reflection.v1.ServerReflection"} <= services


def test_the_published_messages_can_be_fetched(channel):
    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    service = pool.FindServiceByName(SERVICE)
    assert service.methods_by_name["ModelInfer"].input_type.fields_by_name["raw_input_contents"].number == 7
    assert pool.FindMessageTypeByName("inference.ModelConfig").fields_by_name["max_batch_size"]


def test_what_is_unknown_is_an_answer_on_the_same_stream(channel):
    def ask(**members):
        return reflection_pb2.ServerReflectionRequest(**members)

    answers = list(reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([
        ask(file_containing_symbol="nobody.Nothing"), ask(file_by_filename="nobody.proto"), ask(list_services="")])))
    assert [answer.error_response.error_code for answer in answers[:2]] == [grpc.StatusCode.NOT_FOUND.value[0]] * 2
    assert len(answers[2].list_services_response.service) >= 3
