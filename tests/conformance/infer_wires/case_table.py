"""The cases that every wire answers alike: what is asked, and the answer. Models are those of model_folder."""

import dataclasses

from inference import Failure, Request, Response, Tensor

JSON, BINARY = "HTTP JSON", "HTTP binary"
TYPED, RAW, STREAM, WEB = "gRPC typed", "gRPC raw", "gRPC stream", "gRPC-Web"
WIRES = (JSON, BINARY, TYPED, RAW, STREAM, WEB)
OF_BYTES = (BINARY, RAW, STREAM, WEB)

INFINITY, NAN = float("inf"), float("nan")
# Each datatype's limits, and for floats what is exact in all of them.
VALUES = {
    "BOOL": [True, False, True, False],
    "UINT8": [0, 1, 128, 2**8 - 1], "UINT16": [0, 1, 2**15, 2**16 - 1],
    "UINT32": [0, 1, 2**31, 2**32 - 1], "UINT64": [0, 1, 2**63, 2**64 - 1],
    "INT8": [-2**7, -1, 0, 2**7 - 1], "INT16": [-2**15, -1, 0, 2**15 - 1],
    "INT32": [-2**31, -1, 0, 2**31 - 1], "INT64": [-2**63, -1, 0, 2**63 - 1],
    "FP16": [-65504.0, -0.0, 2.0**-24, 1.25], "BF16": [-(2.0**127), -0.0, 2.0**-126, 1.25],
    "FP32": [-(2.0**127), -0.0, 2.0**-149, 1.25], "FP64": [-(2.0**1023), -0.0, 5e-324, 1.25],
    "BYTES": [b"", b"a", "grüße\n\"\\".encode(), b"nul \0 inside"],
}
WITHOUT_CONTENTS = ("FP16", "BF16")


@dataclasses.dataclass
class Case:
    """`answer`: Response, or Failure with gRPC's name of the code; `otherwise`: those of wires that have another."""
    title: str
    request: Request
    answer: Response | Failure
    wires: tuple = WIRES
    otherwise: dict = dataclasses.field(default_factory=dict)
    repository: str = "good"


def echo(title, datatype, shape, values, **members):
    """An identity's."""
    got = "fp32_contents" if values else "contents"
    untyped = Failure("INVALID_ARGUMENT", f"input 'INPUT': expected raw_input_contents for {datatype}, which has no typed "
                                          f"contents, got {got}")
    return Case(title, Request(f"identity_{datatype}", [Tensor("INPUT", datatype, shape, values)]),
                Response(f"identity_{datatype}", "1", "", [Tensor("OUTPUT", datatype, shape, values)]),
                otherwise={TYPED: untyped} if datatype in WITHOUT_CONTENTS else {}, **members)


def simple(first=(1, 2, 3, 4), second=(10, 20, 30, 40), shape=(1, 4), datatype="INT32"):
    return [Tensor("INPUT0", datatype, list(shape), list(first)), Tensor("INPUT1", datatype, list(shape), list(second))]


SUM = Tensor("OUTPUT0", "INT32", [1, 4], [11, 22, 33, 44])
DIFFERENCE = Tensor("OUTPUT1", "INT32", [1, 4], [-9, -18, -27, -36])
BOTH = Response("simple", "1", "", [SUM, DIFFERENCE])


def classes(title, shape, values, count, answer_shape, answers):
    return Case(title, scores(shape, values, count),
                Response("scores", "1", "", [Tensor("OUTPUT", "BYTES", answer_shape, answers)]))


def refused(title, request, message, code="INVALID_ARGUMENT", wires=WIRES, in_json=None, repository="good"):
    otherwise = {wire: Failure(code, in_json) for wire in (JSON, BINARY)} if in_json else {}
    return Case(title, request, Failure(code, message), wires, otherwise, repository)


def int32(shape, values, datatype="INT32", raw=None):
    return Request("identity_INT32", [Tensor("INPUT", datatype, shape, values, raw)])


def strings(shape, values, raw=None, outputs=None):
    return Request("identity_BYTES", [Tensor("INPUT", "BYTES", shape, values, raw)], outputs)


def scores(shape, values, classification):
    """The model's labels are zero, one and two."""
    return Request("scores", [Tensor("INPUT", "FP32", shape, values)], [("OUTPUT", {"classification": classification})])


def broken(model):
    return Request(model, [Tensor("INPUT", "INT32", [1], [1])])


def punctual(**parameters):
    return Request("punctual", [Tensor("INPUT", "INT32", [1, 1], [5])], parameters=parameters)


INT8_128 = Request("identity_INT8", [Tensor("INPUT", "INT8", [1, 1], [128])])


ANSWERED = [
    *(echo(datatype, datatype, [2, 2], values) for datatype, values in VALUES.items()),
    *(echo(f"{datatype} without elements", datatype, [0, 3], []) for datatype in VALUES),
    *(echo(f"{datatype}, not finite", datatype, [1, 3], [INFINITY, -INFINITY, NAN]) for datatype in VALUES
      if datatype.startswith(("FP", "BF"))),
    echo("BYTES that are no UTF-8", "BYTES", [1, 2], [b"\xff\xfe", b"\x80"], wires=(TYPED, *OF_BYTES)),
    echo("so many elements that the event loop is spared", "INT32", [3, 50_000], list(range(150_000))),
    echo("so many BYTES that the event loop is spared", "BYTES", [1, 20_000], [b"%d" % i for i in range(20_000)]),
    Case("all outputs", Request("simple", simple()), BOTH),
    Case("the inputs in another order", Request("simple", simple()[::-1]), BOTH),
    Case("one output", Request("simple", simple(), [("OUTPUT1", {})]), Response("simple", "1", "", [DIFFERENCE])),
    Case("the outputs in another order", Request("simple", simple(), [("OUTPUT1", {}), ("OUTPUT0", {})]),
         Response("simple", "1", "", [DIFFERENCE, SUM])),
    Case("an id", Request("simple", simple(), id="it's ünique"), dataclasses.replace(BOTH, id="it's ünique")),
    Case("a version", Request("simple", simple(), version="1"), BOTH),
    Case("a batch", Request("simple", simple([1] * 8, [2] * 8, (2, 4)), [("OUTPUT0", {})]),
         Response("simple", "1", "", [Tensor("OUTPUT0", "INT32", [2, 4], [3] * 8)])),
    Case("parameters of every kind, known and not",
         Request("simple", simple(), parameters={"priority": 1, "timeout": 10_000_000, "flag": True, "number": -7,
                                                 "text": "t", "ratio": 0.5}), BOTH),
    Case("a timeout that is the model's own", punctual(timeout=90_000_000),
         Response("punctual", "1", "", [Tensor("OUTPUT", "INT32", [1, 1], [5])])),
    classes("the best class", [1, 3], [0.25, 4.0, -1.0], 1, [1, 1], [b"4:1:one"]),
    classes("every class of a batch", [2, 3], [0.25, 4.0, -1.0, 3.0, 2.0, 1.0], 3, [2, 3],
            [b"4:1:one", b"0.25:0:zero", b"-1:2:two", b"3:0:zero", b"2:1:one",
             b"1:2:two"]),
    classes("more classes than there are", [1, 3], [0.25, 4.0, -1.0], 99, [1, 3],
            [b"4:1:one", b"0.25:0:zero", b"-1:2:two"]),
    Case("no classes: the tensor itself", scores([1, 3], [0.25, 4.0, -1.0], 0),
         Response("scores", "1", "", [Tensor("OUTPUT", "FP32", [1, 3], [0.25, 4.0, -1.0])])),
]

REFUSED = [
    refused("a model that is not there", Request("nothing", simple()),
            "Request for unknown model: 'nothing' is not found", "NOT_FOUND"),
    refused("a version that is not there", Request("simple", simple(), version="2"),
            "Request for unknown model: 'simple' version 2 is not found", "NOT_FOUND"),
    refused("a version that is none", Request("simple", simple(), version="one"),
            "failed to get model version from specified version string 'one': expected a whole number without leading zeros", "NOT_FOUND"),
    refused("no inputs", Request("simple", []),
            "expected 2 inputs but got 0 inputs for model 'simple'. Got input(s) [], but missing required input(s) "
            "['INPUT0','INPUT1']. Please provide all required input(s)."),
    refused("an input too few", Request("simple", simple()[:1]),
            "expected 2 inputs but got 1 inputs for model 'simple'. Got input(s) ['INPUT0'], but missing required input(s) "
            "['INPUT1']. Please provide all required input(s)."),
    refused("an input that the model has not", Request("simple", [*simple(), Tensor("MORE", "INT32", [1, 4], [0] * 4)]),
            "unexpected inference input 'MORE' for model 'simple', allowed inputs are: INPUT0, INPUT1"),
    refused("an input twice", Request("simple", [simple()[0], simple()[0]]), "input 'INPUT0' already exists in request"),
    refused("an output that the model has not", Request("simple", simple(), [("MORE", {})]),
            "unexpected inference output 'MORE' for model 'simple', allowed outputs are: OUTPUT0, OUTPUT1"),
    refused("an output twice", Request("simple", simple(), [("OUTPUT0", {}), ("OUTPUT0", {})]),
            "output 'OUTPUT0' already exists in request"),

    refused("another datatype", Request("simple", simple([1.0] * 4, [1.0] * 4, datatype="FP32")),
            "inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'"),
    refused("a datatype that is none", int32([1, 1], [1], "INT7"),
            "input 'INPUT': datatype: expected BOOL, UINT8 to UINT64, INT8 to INT64, FP16, BF16, FP32, FP64 or BYTES, "
            "got 'INT7'"),
    refused("too few dimensions", int32([1], [1]),
            "unexpected shape for input 'INPUT' for model 'identity_INT32'. Expected [-1,-1], got [1]."),
    refused("too many dimensions", int32([1, 1, 1], [1]),
            "unexpected shape for input 'INPUT' for model 'identity_INT32'. Expected [-1,-1], got [1,1,1]."),
    refused("more dimensions than any tensor has", int32([1] * 33, [1]),
            "input 'INPUT': shape: expected at most 32 dimensions, got more"),
    refused("a dimension that the model has not", Request("simple", simple([1] * 5, [1] * 5, (1, 5))),
            "unexpected shape for input 'INPUT0' for model 'simple'. Expected [-1,4], got [1,5]. NOTE: Setting a non-zero "
            "max_batch_size in the model config requires a batch dimension to be prepended to each input shape. If you "
            "want to specify the full shape including the batch dim in your input dims config, try setting max_batch_size "
            "to zero."),
    refused("batches that differ", Request("simple", [simple()[0], simple([1] * 8, [1] * 8, (2, 4))[1]]),
            "input 'INPUT1' batch size does not match other inputs for 'simple': expected 1, got 2"),
    refused("a batch that is too big", Request("simple", simple([1] * 36, [1] * 36, (9, 4))),
            "inference request batch-size must be <= 8 for 'simple', got 9"),
    # JSON has a grammar of its own, whose errors come first.
    refused("a negative dimension", int32([-1, 1], [1]), "input 'INPUT': shape [-1,1] has a negative dimension",
            in_json="input 'INPUT': shape: Unable to parse 'shape': attempt to access JSON non-unsigned-integer as "
                    "unsigned-integer: expected an unsigned 64-bit integer, got -1, which is out of range"),
    refused("more elements than can be counted", int32([2**62, 4], [1]),
            "input 'INPUT': shape [4611686018427387904,4] has more than 2^63 elements"),
    refused("more bytes than can be counted", int32([2**61, 1], [1]),
            "input 'INPUT': shape [2305843009213693952,1] has more than 2^63 bytes of INT32",
            wires=(TYPED, *OF_BYTES)),

    refused("fewer values than the shape has", int32([1, 2], [1]),
            "input 'INPUT': Unable to parse 'data': Shape does not match true shape of 'data' field: expected 2 elements for shape [1,2], got 1", wires=(JSON,)),
    refused("more values than the shape has", int32([1, 2], [1, 2, 3]),
            "input 'INPUT': Unable to parse 'data': Shape does not match true shape of 'data' field: expected 2 elements for shape [1,2], got 3", wires=(JSON,)),
    refused("fewer typed values than the shape has", int32([1, 2], [1]),
            "input byte size mismatch for input 'INPUT' for model 'identity_INT32'. Expected 8, got 4", wires=(TYPED,)),
    refused("a value that does not fit its datatype", INT8_128,
            "input 'INPUT': element 0: expected -128 to 127 for INT8, got 128", wires=(JSON, TYPED),
            in_json="input 'INPUT': data element 0: expected an integer from -128 to 127, got 128"),
    refused("fewer bytes than the shape has", int32([1, 2], [], raw=b"\0" * 7),
            "input byte size mismatch for input 'INPUT' for model 'identity_INT32'. Expected 8, got 7", wires=OF_BYTES),
    refused("more bytes than the shape has", int32([1, 2], [], raw=b"\0" * 9),
            "input byte size mismatch for input 'INPUT' for model 'identity_INT32'. Expected 8, got 9", wires=OF_BYTES),
    refused("BYTES cut off in an element", strings([1, 1], [], raw=b"\5\0\0\0abc"),
            "incomplete string data for inference input 'INPUT' for model 'identity_BYTES': "
            "BYTES element 0: expected 5 bytes behind its length, got 3", wires=OF_BYTES),
    refused("fewer BYTES than the shape has", strings([1, 2], [b"a"]),
            "expected 2 string elements for inference input 'INPUT' for model 'identity_BYTES', got 1", wires=OF_BYTES),

    refused("classes of what has no order", strings([1, 1], [b"a"], outputs=[("OUTPUT", {"classification": 1})]),
            "output 'OUTPUT': classification needs a numeric datatype, got BYTES"),
    refused("less than no classes", scores([1, 3], [1.0, 2.0, 3.0], -1),
            "output 'OUTPUT': parameter 'classification': expected an unsigned 32-bit integer, got -1"),
    refused("classes that are no number", scores([1, 3], [1.0, 2.0, 3.0], "all"),
            "output 'OUTPUT': parameter 'classification': expected an unsigned 32-bit integer, got 'all'"),
    refused("a priority that is negative", Request("simple", simple(), parameters={"priority": -1}),
            "parameter 'priority': expected an unsigned 64-bit integer, got -1"),
    refused("a timeout that is no number", Request("simple", simple(), parameters={"timeout": "1"}),
            "parameter 'timeout': expected an unsigned 64-bit integer, got '1'"),
    refused("a timeout that may not be overridden", punctual(timeout=10_000_000),
            "request timeout may not override default_timeout_microseconds 90000000 of model 'punctual' without "
            "allow_timeout_override, got 10000000"),
    refused("a reserved parameter", Request("simple", simple(), parameters={"triton_x": 1}),
            "parameter keys starting with 'triton_' are reserved for Triton usage, got 'triton_x'"),
    refused("a sequence", Request("simple", simple(), parameters={"sequence_id": 7}),
            "parameter 'sequence_id': model 'simple' keeps no state between requests", "UNIMPLEMENTED"),
    refused("an output in shared memory", Request("simple", simple(), [("OUTPUT0", {"shared_memory_region": "r"})]),
            "output 'OUTPUT0': parameter 'shared_memory_region': client shared memory is not served", "UNIMPLEMENTED"),
]

OUT_OF_ORDER = [
    refused("a model that is not up", broken("no_load"),
            "Request for unknown model: 'no_load' has no available versions: version 1: the fake engine was told to fail", "UNAVAILABLE",
            repository="broken"),
    refused("an engine that fails", broken("no_execute"), "the fake engine was told to fail", "INTERNAL",
            repository="broken"),
    refused("an engine that does not answer", broken("no_response"), "engine 'fake' finished without answering",
            "INTERNAL", repository="broken"),
]

CASES = ANSWERED + REFUSED + OUT_OF_ORDER
