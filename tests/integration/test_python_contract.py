"""The texts and rules of Triton's Python backend on which models and clients may rely."""

import concurrent.futures
import json

import numpy
import pytest

from support.dialects import V2Binary
from support.isolation import IN_BOTH_ISOLATIONS
from support.python_models import CLASS, add, infer, stream, tensor
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS
IN_OUT = ('input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] } '
          'backend: "python"\n')
ONE = tensor("IN", "INT32", [1])
# A model whose `execute` runs what a test gives it, request by request; `refused` checks what is raised, and with what text.
BODY = CLASS + """
import json, threading

def refused(function, text, kind=pb_utils.TritonModelException):
    try:
        function()
    except Exception as error:
        assert type(error) is kind and str(error) == text, repr(error)
    else:
        raise AssertionError(text)

def answer(values):
    return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.asarray(values, np.int32))])

class TritonPythonModel:
    def execute(self, requests):
"""


def body(text):
    return BODY + "".join(f"        {line}\n" for line in text.strip().splitlines())


def reason_of(server):
    def reason():
        index = server.json("POST", "/v2/repository/index")[1]
        return index[0].get("reason") if index else None

    return wait_until(reason, "the load has failed")


@pytest.mark.parametrize("returned, text", [
    ("None", "Expected a list in the execute return, found type '<class 'NoneType'>'."),
    ("(1,)", "Expected a list in the execute return, found type '<class 'tuple'>'."),
    ("[]", "Number of InferenceResponse objects do not match the number of InferenceRequest objects. InferenceRequest(s) size "
           "is:1, and InferenceResponse(s) size is:0\n"),
    ("[1]", "Expected an 'InferenceResponse' object in the execute function return list, found type '<class 'int'>'."),
    ("[None]", "Expected an 'InferenceResponse' object in the execute function return list, found type '<class 'NoneType'>'."),
    ("requests[0].set_release_flags(2) or [answer([1])]", "Expected a None object in the execute function return list for "
     "reschduled request, found type '<class 'triton_python_backend_utils.InferenceResponse'>'."),
])
def test_what_execute_may_not_return(tmp_path, returned, text):
    add(tmp_path, "wrong", body(f"return {returned}"), IN_OUT)
    with Server(tmp_path) as server:
        status, answer = server.infer("wrong", [ONE])
        assert (status, answer["error"]) == (500, f"Failed to process the request(s) for model 'wrong_0_0', message: {text}")


def test_a_decoupled_model_returns_nothing(tmp_path):
    add(tmp_path, "wrong", body("return []"), IN_OUT + "model_transaction_policy { decoupled: true }")
    with Server(tmp_path) as server:
        assert server.infer("wrong", [ONE])[1]["error"] == (
            "Failed to process the request(s) for model 'wrong_0_0', message: Python model 'wrong_0_0' is using the decoupled mode "
            "and the execute function must return None.")


def test_a_class_without_execute(tmp_path):
    add(tmp_path, "wrong", CLASS + "class TritonPythonModel:\n    pass\n", IN_OUT)
    with Server(tmp_path) as server:
        assert server.infer("wrong", [ONE])[1]["error"] == (
            "Failed to process the request(s) for model 'wrong_0_0', message: Python model "
            f"{tmp_path}/wrong/1/model.py does not implement `execute` method.")


def test_an_exception_says_where(tmp_path):
    add(tmp_path, "wrong", body("self.deeper()") + "    def deeper(self):\n        raise RuntimeError('no luck')\n", IN_OUT)
    source = (tmp_path / "wrong/1/model.py").read_text().splitlines()
    lines = [source.index(line) + 1 for line in ("        raise RuntimeError('no luck')", "        self.deeper()")]
    with Server(tmp_path) as server:
        file = f"{tmp_path}/wrong/1/model.py"
        assert server.infer("wrong", [ONE])[1]["error"] == (
            "Failed to process the request(s) for model 'wrong_0_0', message: RuntimeError: no luck\n\n"
            f"At:\n  {file}({lines[0]}): deeper\n  {file}({lines[1]}): execute\n")


SENDER = {
    "an unknown flag": 'refused(lambda: sender.send(answer([1]), 2), "Unable to send response. Unsupported flag provided.")',
    "nothing": 'refused(lambda: sender.send(), "Inference Response object must be provided when the response flags is set to zero.")',
    "another kind": """
try:
    sender.send(1)
except TypeError:
    pass
else:
    raise AssertionError("1 is no response")""",
    "the end first": 'refused(lambda: sender.send(flags=1), "Unable to send response. Non-decoupled model cannot send complete final '
                     'before sending a response.")',
}


@pytest.mark.parametrize("what", SENDER)
def test_what_a_sender_refuses(tmp_path, what):
    add(tmp_path, "sends", body("sender = requests[0].get_response_sender()\n" + SENDER[what] + "\nreturn [answer([7])]"), IN_OUT)
    with Server(tmp_path) as server:
        assert infer(server, "sends", ONE) == {"OUT": [7]}


@pytest.mark.parametrize("sends, text", [
    ("sender.send(answer([7]), 1)", "Response sender has been closed."),
    ("sender.send(answer([7]))", "Non-decoupled model cannot send more than one response."),
    ("sender.send(answer([7]))\nsender.send(flags=1)", "Response sender has been closed."),
])
def test_one_response_by_a_sender(tmp_path, sends, text):
    add(tmp_path, "sends", body("sender = requests[0].get_response_sender()\n" + sends + f"""
refused(lambda: sender.send(answer([8])), "Unable to send response. {text}")
return [None]"""), IN_OUT)
    with Server(tmp_path) as server:
        for _ in range(2):
            assert infer(server, "sends", ONE) == {"OUT": [7]}


def test_a_sender_of_many_responses_that_is_closed(tmp_path):
    add(tmp_path, "sends", body("""
sender = requests[0].get_response_sender()
sender.send(answer([7]))
sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
refused(lambda: sender.send(answer([8])), "Unable to send response. Response sender has been closed.")"""),
        IN_OUT + "model_transaction_policy { decoupled: true }")
    with Server(tmp_path) as server:
        assert stream(server, "sends", ONE) == [{"OUT": [7]}]


def test_what_tensors_and_parameters_may_be(tmp_path):
    add(tmp_path, "makes", body("""
refused(lambda: pb_utils.Tensor("", np.zeros(1)), "Tensor name cannot be an empty string.")
for array in (np.zeros(1, complex), np.array(["text"]), np.zeros(1, "M8[s]")):
    refused(lambda: pb_utils.Tensor("x", array), "NumPy dtype is not supported.")
response = pb_utils.InferenceResponse
refused(lambda: response([], parameters={1: "a"}), "Expect parameters keys to have type str, found type <class 'int'>")
refused(lambda: response([], parameters={"a": 1.5}), "Expect parameters values to have type bool/int/str, found type <class 'float'>")
try:
    pb_utils.InferenceRequest(inputs=[], requested_output_names=[], model_name="m", parameters=[])
except pb_utils.TritonModelException as error:
    assert str(error).startswith("Expect ") and str(error).endswith(", got <class 'list'>"), error
else:
    raise AssertionError("a list is no dict")
for wrong in (lambda: pb_utils.InferenceRequest(inputs=[], requested_output_names=[], model_name="m", trace="00-1"),
              lambda: pb_utils.Tensor(None, np.zeros(1)), lambda: pb_utils.Tensor("x", None), lambda: response(None),
              lambda: pb_utils.InferenceRequest(inputs=None, requested_output_names=[], model_name="m")):
    try:
        wrong()
    except TypeError:
        continue
    raise AssertionError("that is of no type that it may have")
return [answer([7])]"""), IN_OUT)
    with Server(tmp_path) as server:
        assert infer(server, "makes", ONE) == {"OUT": [7]}


def test_types_of_numpy_have_their_numbers(tmp_path):
    add(tmp_path, "types", body("""
types = (np.bool_, bool, np.float32, np.object_, np.bytes_, np.float16, np.dtype("int64"), np.dtype(object))
assert [pb_utils.numpy_to_triton_type(each) for each in types] == [1, 1, 11, 13, 13, 10, 9, 13]
return [answer([7])]"""), IN_OUT)
    with Server(tmp_path) as server:
        assert infer(server, "types", ONE) == {"OUT": [7]}


def test_dlpack(tmp_path):
    add(tmp_path, "packs", body("""
tensor = requests[0].inputs()[0]
for given in (tensor.to_dlpack(), tensor, tensor.as_numpy()):
    assert pb_utils.Tensor.from_dlpack("x", given).as_numpy().tolist() == [1, 2, 3]
made = pb_utils.Tensor.from_dlpack("x", tensor)
made.as_numpy()[0] += 8
assert tensor.as_numpy().tolist() == [9, 2, 3] and pb_utils.Tensor.from_dlpack("x", made.to_dlpack()).as_numpy().tolist() == [9, 2, 3]
made.as_numpy()[0] -= 8
constant = np.frombuffer(b"abc", np.uint8)  # numpy must not write it
for given in (constant, np.from_dlpack(tensor), pb_utils.Tensor("x", constant), pb_utils.Tensor("x", np.from_dlpack(tensor))):
    assert pb_utils.Tensor.from_dlpack("x", given).as_numpy().tolist() in ([1, 2, 3], [97, 98, 99])
for empty in (np.zeros((0, 2), np.float32), np.zeros((), np.float32)):
    assert pb_utils.Tensor.from_dlpack("x", pb_utils.Tensor("x", empty)).shape() == list(empty.shape)
assert np.from_dlpack(tensor).tolist() == [1, 2, 3] and tensor.__dlpack_device__() == (1, 0)
refused(lambda: pb_utils.Tensor.from_dlpack("x", np.arange(6)[::2]), "DLPack tensor is not contiguous. Only contiguous DLPack "
        "tensors that are stored in C-Order are supported.")
refused(lambda: pb_utils.Tensor.from_dlpack("x", np.ones((2, 3)).T), "DLPack tensor is not contiguous. Only contiguous DLPack "
        "tensors that are stored in C-Order are supported.")
refused(lambda: pb_utils.Tensor.from_dlpack("x", [1]), "Provided tensor is not supported. Tensor must be a DLPack capsule or have "
        "`__dlpack__` and `__dlpack_device__` attributes.")
refused(pb_utils.Tensor("x", np.array([b"a"])).to_dlpack, "DLPack does not have support for string tensors.")
class Elsewhere:
    def __dlpack__(self): raise AssertionError("it is not asked")
    def __dlpack_device__(self): return 8, 0
refused(lambda: pb_utils.Tensor.from_dlpack("x", Elsewhere()), "DLDevice type 8 is not support by Python backend.")
return [answer([7])]"""), IN_OUT)
    with Server(tmp_path) as server:
        assert infer(server, "packs", tensor("IN", "INT32", [1, 2, 3])) == {"OUT": [7]}


def test_tensors_of_gpus_are_brought_by_the_library_that_made_them(tmp_path):
    """A stand-in for such a library's tensor, whose memory may not be asked for where it is; a capsule cannot be asked for anything."""
    add(tmp_path, "brings", body("""
import ctypes
class OnGpu:
    def __init__(self, refusal=None): self.refusal = refusal
    def __dlpack_device__(self): return 2, 1
    def __dlpack__(self, *, dl_device, copy):
        assert dl_device == (1, 0) and copy is True
        if self.refusal is not None: raise self.refusal
        return np.array([5, 6], np.int32).__dlpack__()
assert pb_utils.Tensor.from_dlpack("x", OnGpu()).as_numpy().tolist() == [5, 6]
for refusal in (BufferError("it cannot"), NotImplementedError("it does not")):
    refused(lambda: pb_utils.Tensor.from_dlpack("x", OnGpu(refusal)), "DLDevice type 2 is not support by Python backend.")
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.argtypes, pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
capsule = np.array([5, 6], np.int32).__dlpack__()
device = ctypes.c_int32.from_address(pointer(capsule, b"dltensor") + 8)
device.value = 2
refused(lambda: pb_utils.Tensor.from_dlpack("x", capsule), "DLDevice type 2 is not support by Python backend.")
device.value = 1
assert pb_utils.Tensor.from_dlpack("x", capsule).as_numpy().tolist() == [5, 6]
return [pb_utils.InferenceResponse([pb_utils.Tensor.from_dlpack("OUT", OnGpu())])]"""), IN_OUT)
    with Server(tmp_path) as server:
        assert infer(server, "brings", ONE) == {"OUT": [5, 6]}


def test_bf16_by_dlpack(tmp_path):
    add(tmp_path, "packs", CLASS + """
import ctypes
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.argtypes, pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p

class TritonPythonModel:
    def execute(self, requests):
        given = requests[0].inputs()[0]
        capsule = given.to_dlpack()
        # Behind the address, the device and the number of dimensions: the type's code, 4, its bits, and one lane.
        assert ctypes.string_at(pointer(capsule, b"dltensor") + 20, 4) == bytes([4, 16, 1, 0])
        return [pb_utils.InferenceResponse([pb_utils.Tensor.from_dlpack("OUT", each)]) for each in (capsule if TWICE else given,)]
""".replace("TWICE", "given.shape() == [1, 2]"), IN_OUT.replace("INT32", "BF16").replace("[ -1 ]", "[ 1, -1 ]"))
    with Server(tmp_path) as server:
        for values in ([[1, -2.5]], [[1, 0.5, 3]]):
            got = V2Binary(server).ask("packs", {"IN": (numpy.array(values, numpy.float32), "BF16")}, {})
            assert got["OUT"].tolist() == values


def test_outputs_that_nobody_wants_are_left_out(tmp_path):
    add(tmp_path, "more", body("""
return [pb_utils.InferenceResponse([pb_utils.Tensor(name, np.array([7], np.int32)) for name in ("OTHER", "OUT", "MORE")])]"""),
        IN_OUT + 'output { name: "MORE" data_type: TYPE_INT32 dims: [ 1 ] }')
    with Server(tmp_path) as server:
        assert infer(server, "more", ONE) == {"OUT": [7], "MORE": [7]}
        assert infer(server, "more", ONE, outputs=[{"name": "OUT"}]) == {"OUT": [7]}


def test_a_model_that_leaves_by_an_exception_goes_on(tmp_path):
    add(tmp_path, "leaves", body("""
import os, sys
if requests[0].inputs()[0].as_numpy()[0] == 1:
    sys.exit("no luck")
return [answer([os.getpid()])]"""), IN_OUT)
    with Server(tmp_path) as server:
        process = infer(server, "leaves", tensor("IN", "INT32", [0]))
        status, answer = server.infer("leaves", [ONE])
        assert status == 500 and "message: SystemExit: no luck\n" in answer["error"], answer
        assert infer(server, "leaves", tensor("IN", "INT32", [0])) == process


def test_lines_of_the_log_say_where_they_come_from(tmp_path):
    add(tmp_path, "logs", body("""
pb_utils.Logger.log_info("as information")
pb_utils.Logger.log_warn("as a warning")
pb_utils.Logger.log_error("as an error")
pb_utils.Logger.log_verbose("as nothing")
pb_utils.Logger.log("without a level")
pb_utils.Logger.log("with one", pb_utils.Logger.WARNING)
return [answer([7])]"""), IN_OUT)
    source = (tmp_path / "logs/1/model.py").read_text().splitlines()
    first = next(number for number, line in enumerate(source, 1) if "as information" in line)
    with Server(tmp_path) as server:
        assert infer(server, "logs", ONE) == {"OUT": [7]}
        wait_until(lambda: "with one" in server.log(), "all lines have come")
        lines = [line.split(" ", 2)[2] for line in server.log().splitlines() if "model.py:" in line]
    assert lines == [f"I model.py:{first}] as information", f"W model.py:{first + 1}] as a warning",
                     f"E model.py:{first + 2}] as an error", f"I model.py:{first + 4}] without a level",
                     f"W model.py:{first + 5}] with one"]


COMPLETES = CLASS + """
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        {}
    def execute(self, requests):
        return []
"""
WHERE = "in auto-complete-config function for model 'm'"


@pytest.mark.parametrize("call, text", [
    ("return None", "auto_complete_config function in model 'm' must return a valid pb.ModelConfig object."),
    ("config.set_max_batch_size(4)", "configuration specified max_batch_size 6, but in auto-complete-config function for model 'm' "
     "specified max_batch_size 4"),
    ("config.set_dynamic_batching()", "Configuration specified scheduling_choice as 'sequence_batching', but auto-complete-config "
     "function for model 'm' tries to set scheduling_choice as 'dynamic_batching'"),
    ("config.add_input({'name': 'IN', 'data_type': 'TYPE_INT32', 'dims': [-1], 'labels': []})",
     f"input 'IN' {WHERE} contains property other than 'name', 'data_type', 'dims' and 'optional'."),
    ("config.add_output({'name': 'OUT', 'data_type': 'TYPE_INT32', 'dims': [-1], 'optional': True})",
     f"output 'OUT' {WHERE} contains property other than 'name', 'data_type' and 'dims'."),
    ("config.add_input({'data_type': 'TYPE_INT32', 'dims': [-1]})", f"input {WHERE} is missing 'name' property."),
    ("config.add_input({'name': 'IN', 'dims': [-1]})", f"input 'IN' {WHERE} is missing 'data_type' property."),
    ("config.add_output({'name': 'OUT', 'data_type': 'TYPE_INT32'})", f"output 'OUT' {WHERE} is missing 'dims' property."),
    ("config.add_input({'name': 'IN', 'data_type': 'TYPE_FP32', 'dims': [-1]})", "unable to load model 'm', configuration expects "
     "datatype TYPE_INT32 for input 'IN', model provides TYPE_FP32"),
    ("config.add_input({'name': 'IN', 'data_type': 'TYPE_INT32', 'dims': [4]})", "model 'm', tensor 'IN': the model expects dims "
     "[4] but the model configuration specifies dims [-1]"),
    ("config.set_model_transaction_policy({'decoupled': False, 'other': 1})",
     f"model transaction property {WHERE} contains property other than 'decoupled'."),
    ("config.set_model_transaction_policy({'decoupled': True})", "trying to change decoupled property in auto-complete-config for "
     "model 'm', which is already set to 'False'."),
])
def test_what_completes_no_configuration(tmp_path, call, text):
    add(tmp_path, "m", COMPLETES.format(call), IN_OUT + "max_batch_size: 6 sequence_batching { } "
        "model_transaction_policy { decoupled: false }")
    with Server(tmp_path, ready=False) as server:
        assert text in reason_of(server)


def test_a_wrong_value_of_force_cpu_only(tmp_path):
    add(tmp_path, "m", body("return []"), IN_OUT + """
        parameters { key: "FORCE_CPU_ONLY_INPUT_TENSORS" value { string_value: "maybe" } }""")
    with Server(tmp_path, ready=False) as server:
        assert "Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS: maybe'" in reason_of(server)


def test_the_arguments_of_initialize(tmp_path):
    add(tmp_path, "told", CLASS + """
import json
class TritonPythonModel:
    def initialize(self, args):
        self.args = args
        self.config = json.loads(args["model_config"])

    def execute(self, requests):
        told = {name: value for name, value in self.args.items() if name != "model_config"}
        told["types"] = sorted({type(value).__name__ for value in self.args.values()})
        told["parameter"] = self.config["parameters"]["own"]["string_value"]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([json.dumps(told)], object))])]
""", IN_OUT.replace('"OUT" data_type: TYPE_INT32', '"OUT" data_type: TYPE_STRING') +
        'parameters { key: "own" value { string_value: "mine" } }')
    with Server(tmp_path) as server:
        assert json.loads(infer(server, "told", ONE)["OUT"][0]) == {
            "model_instance_kind": "CPU", "model_instance_device_id": "0", "model_instance_name": "told_0_0",
            "model_repository": str(tmp_path / "told"), "model_version": "1", "model_name": "told", "types": ["str"],
            "parameter": "mine"}


TELLS = CLASS + """
import json

def answer(told):
    return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([json.dumps(told)], object))])

class TritonPythonModel:
    def execute(self, requests):
        WHAT
"""
IN_TOLD = IN_OUT.replace('"OUT" data_type: TYPE_INT32', '"OUT" data_type: TYPE_STRING')


def told_by(server, model, **members):
    return json.loads(infer(server, model, ONE, **members)["OUT"][0])


def test_how_long_a_request_may_wait(tmp_path):
    add(tmp_path, "waits", TELLS.replace("WHAT", "return [answer(request.timeout()) for request in requests]"), IN_TOLD)
    add(tmp_path, "asks", TELLS.replace("WHAT", """
        made = pb_utils.InferenceRequest(model_name="waits", requested_output_names=["OUT"], inputs=requests[0].inputs(), timeout=70_000_000)
        response = made.exec()
        return [answer([made.timeout(), requests[0].timeout(), json.loads(response.output_tensors()[0].as_numpy()[0])])]"""), IN_TOLD)
    with Server(tmp_path) as server:
        assert told_by(server, "waits") == 0
        assert told_by(server, "waits", parameters={"timeout": 60_000_000}) == 60_000_000
        assert told_by(server, "asks", parameters={"timeout": 2**62}) == [70_000_000, 2**62, 70_000_000]


def test_a_request_without_a_trace_has_its_clients_context(tmp_path):
    add(tmp_path, "traced", TELLS.replace("WHAT", "return [answer(requests[0].trace().get_context())]"), IN_TOLD)
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    body = json.dumps({"inputs": [ONE]})

    def context(server, headers):
        status, _, answer = server.request("POST", "/v2/models/traced/infer", body, headers)
        assert status == 200, answer
        told = json.loads(json.loads(answer)["outputs"][0]["data"][0])
        return told if told is None else json.loads(told)

    with Server(tmp_path, options=["--trace-level", "timestamps", "--trace-rate", "1", "--trace-file", str(tmp_path / "traces")]) as server:
        assert context(server, {}) is None, "nobody else goes on with what goes to a file"
        assert context(server, {"traceparent": traceparent}) == {"traceparent": traceparent}
        assert context(server, {"traceparent": "00-0af"}) is None


BATCHES = CLASS + """
import json, os

class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "IN", "data_type": "TYPE_INT32", "dims": [2]})
        config.add_output({"name": "OUT", "data_type": "TYPE_INT32", "dims": [1]})
        CALLS
        return config

    def initialize(self, args):
        self.config = json.loads(args["model_config"])
        assert pb_utils.get_output_config_by_name(self.config, "OUT")["dims"] == [1]

    def execute(self, requests):
        first = requests[0].inputs()[0].as_numpy()
        if first.ravel()[0] == 1:
            open("TOLD.began", "w").close()
            while not os.path.exists("TOLD"):
                pass
        shapes = [(*each.inputs()[0].shape()[:-1], 1) for each in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.full(shape, len(requests), np.int32))]) for shape in shapes]
"""


def test_a_model_completes_how_it_batches(tmp_path):
    told = tmp_path / "told"
    add(tmp_path / "models", "m", BATCHES.replace("TOLD", str(told)).replace(
        "CALLS", "config.set_max_batch_size(4); config.set_dynamic_batching()"))
    with Server(tmp_path / "models") as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        config = server.json("GET", "/v2/models/m/config")[1]
        assert config["max_batch_size"] == 4 and "dynamic_batching" in config
        assert [(each["name"], each["dims"]) for each in config["input"] + config["output"]] == [("IN", [2]), ("OUT", [1])]
        metadata = server.json("GET", "/v2/models/m")[1]
        assert [each["shape"] for each in metadata["inputs"] + metadata["outputs"]] == [[-1, 2], [-1, 1]]

        def ask(*rows):
            return infer(server, "m", tensor("IN", "INT32", rows))["OUT"]

        first = pool.submit(ask, [1, 0])
        wait_until(lambda: (tmp_path / "told.began").exists(), "one is executed")
        others = [pool.submit(ask, *[[0, 0]] * rows) for rows in (1, 1, 2)]
        wait_until(lambda: server.metrics().get('nv_inference_pending_request_count{model="m",version="1"}') == 3, "all others wait")
        told.touch()
        assert first.result() == [[1]]
        assert [each.result() for each in others] == [[[3]], [[3]], [[3], [3]]], "they share an execution"
        assert server.infer("m", [tensor("IN", "INT32", [[0, 0]] * 5)])[0] == 400, "more than its batches have"


@pytest.mark.parametrize("calls, config, size, dynamic", [
    ("config.set_max_batch_size(4)", "", 4, False),
    ("config.set_max_batch_size(4)", 'backend: "python" max_batch_size: 2', 4, False),
    ("config.set_max_batch_size(4)", 'backend: "python" dynamic_batching { }', 4, True),
    ("config.set_dynamic_batching()", 'backend: "python" max_batch_size: 2', 2, True),
    ("config.set_dynamic_batching()", "", 0, True),
    ("pass", 'backend: "python" max_batch_size: 2 dynamic_batching { }', 2, True),
    ("pass", "", 0, False),
])
def test_what_it_completes_of_batching(tmp_path, calls, config, size, dynamic):
    add(tmp_path, "m", BATCHES.replace("CALLS", calls), config)
    with Server(tmp_path) as server:
        shown = server.json("GET", "/v2/models/m/config")[1]
        assert (shown["max_batch_size"], "dynamic_batching" in shown) == (size, dynamic)
        rows, answer = ([[0, 0]], [[1]]) if size else ([0, 0], [1])
        assert infer(server, "m", tensor("IN", "INT32", rows)) == {"OUT": answer}


def test_where_configurations_are_not_completed(tmp_path):
    add(tmp_path, "m", BATCHES.replace("CALLS", "config.set_max_batch_size(4)"), IN_OUT.replace("-1", "2", 1).replace("-1", "1"))
    with Server(tmp_path, options=["--complete-configurations=false"], ready=False) as server:
        assert "completes its configuration with max_batch_size: 4, and configurations are not completed" in reason_of(server)
