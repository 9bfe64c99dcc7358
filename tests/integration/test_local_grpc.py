"""gRPC through the gateway of inferd-controller --local: unary calls and streams, by the authority of a service."""

import concurrent.futures
import queue
import struct
import sys
import textwrap

import grpc
import pytest

from support import oip
from support.controller import Controller, service, write_constant
from support.protos import message
from support.server import wait_until

# A server of its own: each method does what its name says with bytes.
ECHO = """
    import concurrent.futures, sys, grpc

    def fail(request, context):
        context.set_trailing_metadata((("why", "because"),))
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, "no good")

    def server_stream(request, context):
        for _ in range(1000):
            yield request

    def metadata(request, context):
        seen = dict(context.invocation_metadata())
        context.send_initial_metadata((("first", seen.get("mine", "")),))
        context.set_trailing_metadata((("last", seen.get("mine", "")),))
        return seen.get("x-forwarded-for", "").encode()

    def wait(request, context):
        print("waits", flush=True)
        import threading
        over = threading.Event()
        context.add_callback(over.set)
        over.wait()
        print("is cancelled", flush=True)
        return b""

    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(lambda request, context: request),
        "Fail": grpc.unary_unary_rpc_method_handler(fail),
        "Metadata": grpc.unary_unary_rpc_method_handler(metadata),
        "Wait": grpc.unary_unary_rpc_method_handler(wait),
        "ServerStream": grpc.unary_stream_rpc_method_handler(server_stream),
        "ClientStream": grpc.stream_unary_rpc_method_handler(lambda requests, context: b"".join(requests)),
        "Both": grpc.stream_stream_rpc_method_handler(lambda requests, context: (each for each in requests)),
    }
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(50),
                         options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Echo", handlers),))
    server.add_insecure_port(f"127.0.0.1:{sys.argv[2]}")
    server.start()
    server.wait_for_termination()
    """

CUSTOM = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: echo}}
spec:
  predictor:
    minReplicas: 1
    timeout: {timeout}
    containers:
    - command: [{python}, {program}, --port, "9000"]
      ports: [{{containerPort: 9000, name: h2c, protocol: TCP}}]
"""


def channel_to(controller, authority):
    return grpc.insecure_channel(f"127.0.0.1:{controller.port}", options=[
        ("grpc.default_authority", authority), ("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1)])


@pytest.fixture(scope="module", name="echo")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("echo")
    program = folder / "echo.py"
    program.write_text(textwrap.dedent(ECHO))
    file = folder / "echo.yaml"
    file.write_text(CUSTOM.format(python=sys.executable, program=program, timeout=60))
    with Controller(file) as controller, channel_to(controller, "echo-default.localhost") as channel:
        yield controller, channel


def test_a_model_by_unary_calls_and_streams(tmp_path):
    file = tmp_path / "services.yaml"
    file.write_text(service("one", write_constant(tmp_path / "one", 1.5), least=1) + "---\n"
                    + service("two", write_constant(tmp_path / "two", 2.5)))
    with Controller(file) as controller:
        # The second one has no replica at times: calls wait for it.
        for name, value in (("one", 1.5), ("two", 2.5)):
            request = oip.raw_request(name, [("input-0", "FP32", [1, 1], struct.pack("<f", 0))])
            with channel_to(controller, f"{name}-default.localhost") as channel:
                answer = oip.unary(channel, "ModelInfer")(request, timeout=60)
                assert struct.unpack("<f", answer.raw_output_contents[0]) == (value,)
                answers = list(oip.stream(channel)(iter([request] * 5), timeout=60))
                assert [struct.unpack("<f", each.infer_response.raw_output_contents[0]) for each in answers] == [(value,)] * 5
                with pytest.raises(grpc.RpcError) as error:
                    oip.unary(channel, "ModelInfer")(oip.raw_request("other", []), timeout=60)
                assert error.value.code() == grpc.StatusCode.NOT_FOUND
                assert "other" in error.value.details()
        with channel_to(controller, "three-default.localhost") as channel, pytest.raises(grpc.RpcError) as error:
            oip.unary(channel, "ServerLive")(message("inference.ServerLiveRequest")(), timeout=60)
        assert (error.value.code(), error.value.details()) == (grpc.StatusCode.UNIMPLEMENTED, "no route for this path")


def test_statuses_and_metadata(echo):
    _, channel = echo
    with pytest.raises(grpc.RpcError) as error:
        channel.unary_unary("/Echo/Fail")(b"x", timeout=60)
    assert (error.value.code(), error.value.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "no good")
    assert ("why", "because") in error.value.trailing_metadata()
    with pytest.raises(grpc.RpcError) as error:
        channel.unary_unary("/Echo/Nothing")(b"x", timeout=60)
    assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED
    answer, call = channel.unary_unary("/Echo/Metadata").with_call(b"", metadata=(("mine", "m"),), timeout=60)
    assert answer == b"127.0.0.1"
    assert ("first", "m") in call.initial_metadata() and ("last", "m") in call.trailing_metadata()


@pytest.mark.parametrize("size", [0, 1, 100_000, 20_000_000])
def test_messages_of_any_size(echo, size):
    message = bytes(range(256)) * (size // 256) + bytes(size % 256)
    assert echo[1].unary_unary("/Echo/Unary")(message, timeout=60) == message


def test_streams_of_each_kind(echo):
    _, channel = echo
    piece = bytes(50_000)
    assert list(channel.unary_stream("/Echo/ServerStream")(piece, timeout=60)) == [piece] * 1000
    assert channel.stream_unary("/Echo/ClientStream")(iter([piece] * 1000), timeout=60) == piece * 1000
    assert list(channel.stream_stream("/Echo/Both")(iter([piece] * 500), timeout=60)) == [piece] * 500
    # Each answer comes while the request goes on.
    asked = queue.Queue()
    answers = channel.stream_stream("/Echo/Both")(iter(asked.get, None), timeout=60)
    for word in (b"a", b"b", b"c"):
        asked.put(word)
        assert next(answers) == word
    asked.put(None)
    assert list(answers) == []


def test_many_calls_at_a_time(echo):
    _, channel = echo
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        unary = channel.unary_unary("/Echo/Unary")
        messages = [str(i).encode() * 1000 for i in range(2000)]
        assert list(pool.map(lambda message: unary(message, timeout=60), messages)) == messages


def test_a_call_that_is_cancelled_ends_at_the_replica(echo):
    controller, channel = echo
    call = channel.unary_unary("/Echo/Wait").future(b"")
    wait_until(lambda: "waits" in controller.log(), "the call has come")
    call.cancel()
    wait_until(lambda: "is cancelled" in controller.log(), "the replica knows that it is cancelled")
    assert channel.unary_unary("/Echo/Unary")(b"x", timeout=60) == b"x"


def test_what_the_gateway_refuses(tmp_path):
    program = tmp_path / "silent.py"
    # It takes connections and says nothing.
    program.write_text("import socket, sys, time\nserver = socket.create_server(('127.0.0.1', int(sys.argv[2])))\n"
                       "kept = []\nwhile True: kept.append(server.accept())\n")
    file = tmp_path / "silent.yaml"
    file.write_text(CUSTOM.format(python=sys.executable, program=program, timeout=1))
    with Controller(file) as controller, channel_to(controller, "echo-default.localhost") as channel:
        wait_until(lambda: controller.ready_replicas("echo-predictor-default-00001") == 1, "the replica is ready")
        with pytest.raises(grpc.RpcError) as error:
            channel.unary_unary("/Echo/Unary")(b"x", timeout=60)
        assert (error.value.code(), error.value.details()) == (
            grpc.StatusCode.DEADLINE_EXCEEDED, "the model did not answer in time")
        program.write_text("import socket, sys\nserver = socket.create_server(('127.0.0.1', int(sys.argv[2])))\n"
                           "while True: server.accept()[0].close()\n")
        file.write_text(file.read_text().replace("--port", "--the-port"))
        wait_until(lambda: controller.ready_replicas("echo-predictor-default-00002") == 1, "the next one is ready")

        def refused():
            with pytest.raises(grpc.RpcError) as told:
                channel.unary_unary("/Echo/Unary")(b"x", timeout=60)
            return told.value.code()

        wait_until(lambda: refused() == grpc.StatusCode.UNAVAILABLE, "its calls are unavailable")
