"""Models with any number of responses, over HTTP: events and lines of infer, generate and generate_stream. Also clients
that read slowly, and clients that disconnect."""

import contextlib
import json
import signal
import socket
import threading
import time

import grpc
import pytest

from support import models, oip
from support.isolation import IN_BOTH_ISOLATIONS
from support.protos import message
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

SERVER_SENT = {"Accept": "text/event-stream"}
LINES = {"Accept": "application/x-ndjson"}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    models.add_repeat(folder, "repeat")
    models.add_repeat(folder, "flooding", floods="true")
    models.add_square(folder, "square", CUSTOM_FAIL_COUNT=2)
    models.add_fake(folder, "echo")
    models.add_fake(folder, "failing", fail_execute="this model fails")
    return folder


@pytest.fixture(scope="module")
def server(repository, isolation):
    with Server(repository) as running:
        yield running


def infer_body(*values, delays=None, **members):
    inputs = [{"name": "IN", "datatype": "INT32", "shape": [len(values)], "data": list(values)}]
    if delays:
        inputs.append({"name": "DELAY", "datatype": "UINT32", "shape": [len(delays)], "data": delays})
    return json.dumps({"inputs": inputs, **members})


def events_of(body):
    """The data of a whole body of server-sent events."""
    text = body.decode()
    assert text == "" or text.endswith("\n\n")
    events = text.split("\n\n")[:-1]
    assert all(event.startswith("data: ") and "\n" not in event for event in events)
    return [json.loads(event.removeprefix("data: ")) for event in events]


def outputs_of(answer):
    return {output["name"]: output["data"] for output in answer["outputs"]}


@contextlib.contextmanager
def streaming(server, path, body, headers, timeout_s=60):
    """A response that is being read."""
    with contextlib.closing(server.connect(timeout_s)) as connection:
        connection.request("POST", path, body, headers)
        yield connection.getresponse()


def test_each_response_is_an_event(server):
    status, headers, body = server.request("POST", "/v2/models/repeat/infer", infer_body(7, 8, 9, id="q"), SERVER_SENT)
    assert status == 200 and headers["Content-Type"] == "text/event-stream; charset=utf-8"
    events = events_of(body)
    assert [outputs_of(event) for event in events] == [{"OUT": [value], "IDX": [i]} for i, value in enumerate((7, 8, 9))]
    assert {event["id"] for event in events} == {"q"}
    assert [event["parameters"]["triton_final_response"] for event in events] == [False] * 3


def test_or_a_line(server):
    status, headers, body = server.request("POST", "/v2/models/repeat/versions/1/infer", infer_body(7, 8), LINES)
    assert status == 200 and headers["Content-Type"] == "application/x-ndjson"
    lines = body.decode().splitlines()
    assert [outputs_of(json.loads(line))["OUT"] for line in lines] == [[7], [8]]


def test_events_come_as_the_model_sends_them(server):
    with streaming(server, "/v2/models/repeat/infer", infer_body(1, 2, delays=[0, 1500]), SERVER_SENT) as response:
        assert outputs_of(json.loads(response.readline().removeprefix(b"data: ")))["OUT"] == [1]
        assert response.readline() == b"\n"
        assert outputs_of(json.loads(response.readline().removeprefix(b"data: ")))["OUT"] == [2]


def test_the_connection_goes_on_behind_a_stream(server):
    with contextlib.closing(server.connect(60)) as connection:
        for count in (0, 1, 300):
            connection.request("POST", "/v2/models/repeat/infer", infer_body(*range(count)), SERVER_SENT)
            assert len(events_of(connection.getresponse().read())) == count
        connection.request("POST", "/v2/models/echo/infer", json.dumps({"inputs": models.int32_input(4)}))
        assert json.loads(connection.getresponse().read())["outputs"][0]["data"] == [4]


def test_a_model_of_one_response_may_be_asked_for_a_stream(server):
    status, _, body = server.request("POST", "/v2/models/echo/infer", {"inputs": models.int32_input(4)}, SERVER_SENT)
    assert status == 200 and [event["outputs"][0]["data"] for event in events_of(body)] == [[4]]


def test_failures_before_the_stream_are_answers(server):
    for path, body, status in (("repeat/infer", "{", 400), ("nobody/infer", infer_body(1), 404),
                               ("failing/infer", json.dumps({"inputs": models.int32_input(4)}), 500),
                               ("repeat/generate_stream", '{"IN": ["a"]}', 400), ("nobody/generate_stream", "{}", 404)):
        got, headers, answer = server.request("POST", f"/v2/models/{path}", body, SERVER_SENT)
        assert (got, headers["Content-Type"]) == (status, "application/json"), path
        assert json.loads(answer)["error"]


def test_responses_follow_an_error(server):
    status, _, body = server.request("POST", "/v2/models/square/generate_stream", {"IN": [4]})
    failure = {"error": "simulated failure"}
    assert status == 200 and [event.get("OUT", event) for event in events_of(body)] == [4, 4, failure, failure]
    # The first response gives the status.
    status, headers, body = server.request("POST", "/v2/models/square/generate_stream", {"IN": [1]})
    assert status == 500 and headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert events_of(body) == [failure]
    for path, answer in (("infer", json.loads(infer_body(2))), ("generate", {"IN": [2]})):
        assert server.json("POST", f"/v2/models/square/{path}", answer) == (500, failure), "where there is room for one"


@pytest.mark.parametrize("asks_for_the_end", [False, True])
def test_responses_follow_an_error_over_grpc(server, asks_for_the_end):
    request = oip.raw_request("square", [("IN", "INT32", [1], (4).to_bytes(4, "little"))], id="q")
    if asks_for_the_end:
        request.parameters["triton_enable_empty_final_response"].bool_param = True
    with grpc.insecure_channel(server.grpc_address) as channel:
        received = [(response.error_message or list(response.infer_response.raw_output_contents), response.infer_response.id,
                     response.infer_response.parameters["triton_final_response"].bool_param)
                    for response in oip.stream(channel)(iter([request]), timeout=60)]
    good = ([(4).to_bytes(4, "little")], "q", False)
    bad = ("simulated failure", "q", False)
    assert received == [good, good, bad, bad, *([([], "q", True)] if asks_for_the_end else [])]


def test_where_there_is_room_for_one_response(server):
    for values, status in (([5], 200), ([], 501), ([5, 6], 501)):
        got, answer = server.json("POST", "/v2/models/repeat/infer", json.loads(infer_body(*values)))
        assert got == status, answer
    with grpc.insecure_channel(server.grpc_address) as channel:
        infer = oip.unary(channel, "ModelInfer")
        for values, code in (([5], None), ([], grpc.StatusCode.UNIMPLEMENTED), ([5, 6], grpc.StatusCode.UNIMPLEMENTED)):
            data = b"".join(value.to_bytes(4, "little") for value in values)
            request = oip.raw_request("repeat", [("IN", "INT32", [len(values)], data)])
            try:
                response = infer(request)
            except grpc.RpcError as error:
                assert error.code() == code
            else:
                assert code is None and response.raw_output_contents[0] == data


def test_generate(server):
    status, answer = server.json("POST", "/v2/models/repeat/generate", {"IN": 5, "id": "q", "parameters": {"temperature": 0.5}})
    assert status == 200, answer
    assert answer == {"model_name": "repeat", "model_version": "1", "id": "q", "OUT": 5, "IDX": 0}
    for values in ([], [5, 6]):
        status, answer = server.json("POST", "/v2/models/repeat/generate", {"IN": values})
        assert status == 400 and "generate expects model to produce exactly 1 response" in answer["error"]


def test_generate_stream(server):
    status, headers, body = server.request("POST", "/v2/models/repeat/generate_stream", {"IN": [5, 6]})
    assert status == 200 and headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert [(event["OUT"], event["IDX"]) for event in events_of(body)] == [(5, 0), (6, 1)]


def slow_reader(server, path, body):
    """A client's socket whose buffer is small, and that has not read its answer yet."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    client.connect(("127.0.0.1", server.port))
    client.sendall((f"POST {path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nConnection: close\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
    return client


def read_all(client):
    received = bytearray()
    while chunk := client.recv(1 << 20):
        received += chunk
    return bytes(received)


def numbers_of(received):
    """What the model repeated; an event that is an error stands as such."""
    events = [json.loads(line.removeprefix(b"data: ")) for line in received.split(b"\n") if line.startswith(b"data: ")]
    return [event.get("OUT", event) for event in events]


def test_a_client_that_reads_late_gets_all(server):
    count = 60_000  # more than what buffers, the server's and the system's, have room for
    with slow_reader(server, "/v2/models/repeat/generate_stream", json.dumps({"IN": list(range(count))})) as client:
        # Others are served meanwhile.
        for _ in range(50):
            assert server.infer("echo", models.int32_input(1))[0] == 200
        received = read_all(client)
    assert numbers_of(received) == list(range(count))


def test_a_model_that_does_not_wait(repository, isolation):
    count = 200_000
    with Server(repository, options=["--stream-responses-max", "4", "--write-high-water", "16KiB"]) as server:
        body = json.dumps({"IN": list(range(count))})
        with slow_reader(server, "/v2/models/flooding/generate_stream", body) as client:
            if isolation == "process":
                # Held up by what it shares with the server, which does not take what the client does not.
                time.sleep(1)
                assert numbers_of(read_all(client)) == list(range(count))
                return
            wait_until(lambda: "the client does not take the responses" in server.log() or stats_of(server, "flooding"),
                       "the model was stopped")
            received = read_all(client)
        # The last event, or the answer, where the model was quicker than the first of its responses was sent.
        assert b'{"error":"the client does not take the responses, and the model goes on"}' in received
        assert server.infer("echo", models.int32_input(1))[0] == 200


def stats_of(server, model):
    """How many of the model's requests are over."""
    stats = server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]["inference_stats"]
    return stats["success"]["count"] + stats["fail"]["count"]


def test_a_client_that_leaves_cancels_its_request(server):
    before = stats_of(server, "repeat")
    with streaming(server, "/v2/models/repeat/generate_stream", json.dumps({"IN": [1, 2], "DELAY": [0, 60_000]}), {}) as response:
        assert json.loads(response.readline().removeprefix(b"data: "))["OUT"] == 1
    wait_until(lambda: stats_of(server, "repeat") == before + 1, "the request was cancelled")


def test_statistics_count_responses_by_their_place(repository, isolation):
    with Server(repository) as server:
        for count in (2, 1, 0):
            body = json.dumps({"IN": list(range(count))})
            assert len(events_of(server.request("POST", "/v2/models/repeat/generate_stream", body)[2])) == count
        stats = server.json("GET", "/v2/models/repeat/stats")[1]["model_stats"][0]
        found = {index: (row["success"]["count"], row["empty_response"]["count"], row["compute_infer"]["count"])
                 for index, row in stats["response_stats"].items()}
        assert found == {"0": (2, 1, 3), "1": (1, 1, 2), "2": (0, 1, 1)}
        assert stats["inference_stats"]["success"]["count"] == 3
        with grpc.insecure_channel(server.grpc_address) as channel:
            of_grpc = oip.unary(channel, "ModelStatistics")(message("inference.ModelStatisticsRequest")(name="repeat"))
        assert {index: row.success.count for index, row in of_grpc.model_stats[0].response_stats.items()} == {"0": 2, "1": 1, "2": 0}
        page = server.request("GET", "/metrics")[2].decode()
        labels = '{model="repeat",version="1"}'
        assert f"inferd_inference_first_response_duration_seconds_count{labels} 2" in page
        assert f"inferd_inference_response_interval_seconds_count{labels} 1" in page
        assert "first_response" not in "".join(line for line in page.splitlines() if 'model="echo"' in line)


def test_a_stream_is_drained(repository, isolation):
    with Server(repository) as server:
        with streaming(server, "/v2/models/repeat/generate_stream", json.dumps({"IN": [1, 2, 3], "DELAY": [0, 700, 700]}),
                       {}) as response:
            assert response.readline().startswith(b"data: ")
            server.process.send_signal(signal.SIGTERM)
            rest = response.read()
        assert rest.count(b"data: ") == 2
        assert server.process.wait(timeout=60) == 0


def test_many_streams_beside_each_other(server):
    failures = []

    def ask(start):
        values = list(range(start, start + 200))
        body = json.dumps({"IN": values})
        for _ in range(5):
            events = events_of(server.request("POST", "/v2/models/repeat/generate_stream", body)[2])
            if [event["OUT"] for event in events] != values:
                failures.append(start)

    threads = [threading.Thread(target=ask, args=(1000 * n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
