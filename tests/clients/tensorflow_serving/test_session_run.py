"""SessionService.SessionRun: models by the names of their graphs' tensors."""

import types

import grpc
import pytest
from tensorflow_serving.apis import session_service_pb2

from model_files import SERVING
from support.tensorflow_model_server import ModelServer
from tensor_protos import make_ndarray, make_tensor_proto


@pytest.fixture(scope="module")
def with_graph():
    """A server whose graphs can be called."""
    with ModelServer("--model_name=half_plus_two", f"--model_base_path={SERVING / 'half_plus_two'}",
                     "--tfs-session-graph") as server:
        yield types.SimpleNamespace(server=server)


def session_run(serving, feeds, fetches, targets=(), **more):
    request = session_service_pb2.SessionRunRequest(fetch=fetches, target=targets, **more)
    request.model_spec.name = request.model_spec.name or "half_plus_two"
    for name, tensor in feeds.items():
        request.feed.add(name=name).tensor.CopyFrom(tensor)
    with grpc.insecure_channel(serving.server.grpc_address) as channel:  # the package has the messages, and no stub
        return channel.unary_unary("/tensorflow.serving.SessionService/SessionRun", session_service_pb2.SessionRunRequest.SerializeToString,
                                   session_service_pb2.SessionRunResponse.FromString)(request, 10.0)


def floats(*values):
    return make_tensor_proto([[value] for value in values], "float32")


def fault(*arguments, **more):
    with pytest.raises(grpc.RpcError) as error:
        session_run(*arguments, **more)
    return error.value.code().name, error.value.details()


def test_half_plus_two_by_its_graph(serving):
    response = session_run(serving, {"x:0": floats(1, 2, 5)}, ["y:0"])
    assert [tensor.name for tensor in response.tensor] == ["y:0"]
    assert make_ndarray(response.tensor[0].tensor).tolist() == [[2.5], [3.0], [4.5]]
    assert response.model_spec.name == "half_plus_two" and response.model_spec.version.value == 123
    response = session_run(serving, {"x": floats(2)}, ["y", "y:0"])
    assert [(tensor.name, tensor.tensor.float_val[0]) for tensor in response.tensor] == [("y", 3.0), ("y:0", 3.0)]


def test_aliases(serving):
    response = session_run(serving, {"x": floats(4)}, ["y"], tensor_name_is_alias=True)
    assert response.tensor[0].tensor.float_val[:] == [4.0]


def test_an_onnx_model_by_its_own_names(serving):
    request = {"image": make_tensor_proto([[0.0] * 64], "float32")}
    response = session_run(serving, request, ["scores"], model_spec={"name": "digits"})
    assert make_ndarray(response.tensor[0].tensor).shape == (1, 10)


def test_what_cannot_be_run(serving):
    assert fault(serving, {"x:0": floats(1)}, []) == (
        "INVALID_ARGUMENT", "Must specify at least one target to fetch or execute.")
    assert fault(serving, {"x:0": floats(1)}, ["x"])[1] == 'Endpoint "x" is both fed and fetched.'
    assert fault(serving, {"x:0": floats(1)}, ["y"], model_spec={"name": "nowhere"})[0] == "NOT_FOUND"
    code, details = fault(serving, {"x:0": make_tensor_proto([1], "int32")}, ["y:0"])
    assert code == "INVALID_ARGUMENT" and "x" in details


def test_only_what_signatures_have(serving):
    code, details = fault(serving, {"x:0": floats(1)}, ["y:0", "a/read:0"])
    assert code == "UNIMPLEMENTED" and "gives {y:0, a/read:0}" in details
    assert fault(serving, {"x:0": floats(1)}, ["y:0"], ["c/read"])[0] == "UNIMPLEMENTED"


def test_any_of_the_graph(with_graph):
    for _ in range(2):
        response = session_run(with_graph, {"x:0": floats(1, 2, 5)}, ["a/read:0", "y2"], ["c/read"])
        assert [tensor.name for tensor in response.tensor] == ["a/read:0", "y2"]
        assert response.tensor[0].tensor.float_val[:] == [0.5]
        assert make_ndarray(response.tensor[1].tensor).tolist() == [[3.5], [4.0], [5.5]]
        assert response.model_spec.version.value == 123
    assert session_run(with_graph, {"x:0": floats(4)}, ["y:0"]).tensor[0].tensor.float_val[:] == [4.0]
    assert session_run(with_graph, {}, ["a/read"]).tensor[0].tensor.float_val[:] == [0.5], "nothing is fed"
    assert len(session_run(with_graph, {}, [], ["c/read"]).tensor) == 0, "nothing is fetched"
    assert session_run(with_graph, {}, ["a"]).tensor[0].tensor.float_val[:] == [0.5], "a reference, read as its value"


def test_what_the_graph_does_not_have(with_graph):
    assert fault(with_graph, {"nowhere:0": floats(1)}, ["y"]) == (
        "NOT_FOUND", "FeedInputs: unable to find feed output nowhere:0")
    assert fault(with_graph, {}, ["nowhere"]) == ("NOT_FOUND", "FetchOutputs node nowhere: not found")
    assert fault(with_graph, {}, [], ["nowhere"]) == (
        "NOT_FOUND", "PruneForTargets: Some target nodes not found: nowhere")
    code, details = fault(with_graph, {}, ["y"])
    assert code == "INVALID_ARGUMENT", details  # what it needs is not fed
    code, details = fault(with_graph, {"x": make_tensor_proto([1], "int32")}, ["y2"])
    assert code == "INVALID_ARGUMENT" and "x" in details


def test_a_model_that_is_not_loaded_yet_is_waited_for(with_graph):
    """By a call of a signature, and by one of the graph."""
    for feeds, fetch in (({"x": floats(2)}, "y"), ({}, "a/read:0")):
        expected = session_run(with_graph, feeds, [fetch])
        with ModelServer("--model_name=half_plus_two", f"--model_base_path={SERVING / 'half_plus_two'}",
                         "--tfs-session-graph", "--lazy-loading") as server:
            assert server.state("half_plus_two") == {"123": "START"}
            assert session_run(types.SimpleNamespace(server=server), feeds, [fetch]) == expected
            assert server.state("half_plus_two") == {"123": "AVAILABLE"}
            assert server.metric("inferd_demand_loads_total") == 1


def test_a_graph_in_another_process_is_not_called():
    with ModelServer("--model_name=half_plus_two", f"--model_base_path={SERVING / 'half_plus_two'}",
                     "--tfs-session-graph", "--isolation=process") as server:
        there = types.SimpleNamespace(server=server)
        assert session_run(there, {"x": floats(2)}, ["y"]).tensor[0].tensor.float_val[:] == [3.0], "a signature has it"
        code, details = fault(there, {"x": floats(2)}, ["a/read:0"])
        assert code == "UNIMPLEMENTED" and "runs in another process" in details
