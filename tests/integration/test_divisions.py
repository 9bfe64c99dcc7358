"""Integer divisions of clients' data that the processor traps. Only that request fails."""

import concurrent.futures
import json

import numpy
import pytest
from onnx import helper

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, has_engine, wait_until

pytestmark = [IN_BOTH_ISOLATIONS, pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")]

OPERATORS = {"Div": ("INT32", "INT64"), "Mod": ("INT8", "UINT8", "INT16", "INT32", "INT64", "UINT64")}
REFUSED = "divides an integer by zero"
SMALLEST = -2**31


def add(repository, operator, datatype):
    element = models.DATATYPES[datatype][0]
    name = f"{operator}_{datatype}".lower()
    models.add_onnx(repository, name, models.graph_bytes(
        [helper.make_node(operator, ["A", "B"], ["C"])],
        [("A", element, ["n"]), ("B", element, ["n"])], [("C", element, ["n"])]))
    return name


def ask(server, model, datatype, a, b):
    tensors = [{"name": name, "shape": [len(data)], "datatype": datatype, "data": data} for name, data in (("A", a), ("B", b))]
    status, answer = server.infer(model, tensors)
    return status, answer["outputs"][0]["data"] if status == 200 else answer["error"]


def asserted_alive(server):
    assert server.process.poll() is None, "the server is gone"


def test_every_refused_division_fails_its_request_alone(tmp_path):
    cases = [(add(tmp_path, operator, datatype), operator, datatype)
             for operator, datatypes in OPERATORS.items() for datatype in datatypes]
    with Server(tmp_path) as server:
        for model, operator, datatype in cases:
            limits = numpy.iinfo(models.DATATYPES[datatype][1])
            assert ask(server, model, datatype, [7, 9], [2, 3]) == (200, [3, 3] if operator == "Div" else [1, 0])
            status, error = ask(server, model, datatype, [7, 9], [2, 0])
            assert status == 400 and (REFUSED in error or "by zero" in error), (model, status, error)
            if limits.min < 0:
                status, answer = ask(server, model, datatype, [limits.min, 9], [-1, 3])
                if datatype in ("INT32", "INT64"):
                    assert status == 400 and REFUSED in answer, (model, status, answer)
                else:
                    assert (status, answer) == (200, [0, 0]), "computed as INT32, which has room for it"
            assert ask(server, model, datatype, [7, 9], [2, 3])[0] == 200
        asserted_alive(server)


def test_requests_beside_a_refused_division_are_answered(tmp_path):
    model = add(tmp_path, "Div", "INT32")
    (tmp_path / model / "config.pbtxt").write_text("max_batch_size: 0 instance_group { count: 2 }")
    with Server(tmp_path) as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        def one(number):
            bad = number % 4 == 0
            return bad, ask(server, model, "INT32", [SMALLEST if bad else number * 5, 8], [-1 if bad else number, 2])
        for bad, (status, answer) in pool.map(one, range(400)):
            assert (status == 400 and REFUSED in answer) if bad else (status, answer) == (200, [5, 4])
        asserted_alive(server)


def test_a_division_on_a_pool_s_thread_fails_the_request_that_asked_for_it(tmp_path):
    """Large tensors are divided by several threads, which executions share: only one of their parts has such a division."""
    model = add(tmp_path, "Div", "INT64")
    (tmp_path / model / "config.pbtxt").write_text(
        'max_batch_size: 0 parameters { key: "intra_op_thread_count" value { string_value: "4" } } instance_group { count: 3 }')
    size = 1 << 20
    good = numpy.full(size, 42, numpy.int64), numpy.full(size, 6, numpy.int64)
    bad = good[0].copy(), good[1].copy()
    bad[0][-1000], bad[1][-1000] = numpy.iinfo(numpy.int64).min, -1

    def one(server, tensors):
        header = {"inputs": [{"name": name, "shape": [size], "datatype": "INT64", "parameters": {"binary_data_size": size * 8}}
                             for name in "AB"], "outputs": [{"name": "C", "parameters": {"binary_data": True}}]}
        head = json.dumps(header).encode()
        status, headers, body = server.request("POST", f"/v2/models/{model}/infer", head + tensors[0].tobytes() + tensors[1].tobytes(),
                                               {"Inference-Header-Content-Length": str(len(head))})
        if status != 200:
            return status, body.decode()
        return status, numpy.frombuffer(body[int(headers["Inference-Header-Content-Length"]):], numpy.int64)

    with Server(tmp_path) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        futures = [(n % 3 == 0, pool.submit(one, server, bad if n % 3 == 0 else good)) for n in range(60)]
        for refused, future in futures:
            status, answer = future.result()
            if refused:
                assert status == 400 and REFUSED in answer
            else:
                assert status == 200 and (answer == 7).all()
        asserted_alive(server)


def test_a_model_whose_own_constants_cannot_be_divided_does_not_load(tmp_path):
    content = models.graph_bytes(
        [helper.make_node("Div", ["smallest", "minus_one"], ["all"]), helper.make_node("Add", ["A", "all"], ["C"])],
        [("A", models.DATATYPES["INT32"][0], ["n"])], [("C", models.DATATYPES["INT32"][0], ["n"])],
        [("smallest", numpy.array([SMALLEST], numpy.int32)), ("minus_one", numpy.array([-1], numpy.int32))])
    models.add_onnx(tmp_path, "broken", content)
    with Server(tmp_path, ready=False) as server:
        wait_until(lambda: "divided by zero" in str(server.json("POST", "/v2/repository/index", {})[1]), "the load has failed")
        asserted_alive(server)
