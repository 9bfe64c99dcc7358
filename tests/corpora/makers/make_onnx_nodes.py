"""Makes the node tests of the package onnx, and its models from PyTorch, and asks ONNX Runtime's Python package for its answers.

make_onnx_nodes.py FOLDER"""

import pathlib
import sys
import warnings

import ml_dtypes  # noqa: F401  numpy knows bfloat16 by it
import numpy
import onnx
import onnxruntime
from cases import Cases, NotInV2, tensor
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.loader import load_model_tests

IR_VERSION, OPSET = 13, 26  # the newest that this ONNX Runtime reads: newer models are said to be of these


def values_of(values, infos):
    """What the test's data set has for these inputs or outputs, as tensors."""
    tensors = []
    for value, info in zip(values, infos, strict=False):
        kind = info.type.WhichOneof("value")
        if kind != "tensor_type":
            raise NotInV2(f"'{info.name}' is no tensor but {kind.removesuffix('_type')}")
        element = onnx.TensorProto.DataType.Name(info.type.tensor_type.elem_type)
        if element.startswith(("FLOAT8", "FLOAT4", "FLOAT6", "INT4", "UINT4", "INT2", "UINT2", "COMPLEX")):
            raise NotInV2(f"'{info.name}' has elements of type {element}")
        if isinstance(value, onnx.TensorProto):
            value = onnx.numpy_helper.to_array(value)
        tensors.append((info.name, numpy.asarray(value)))
    return tensors


def feed(array):
    """numpy knows no bfloat16 that the Python package takes: the type is given beside the bits."""
    if array.dtype.name == "bfloat16":
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(numpy.uint16), onnx.TensorProto.BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def run(session, inputs, expected):
    """ONNX Runtime's answers; the node test's own for outputs of bfloat16, which the Python package cannot show."""
    if not any("bfloat16" in value.type for value in (*session.get_inputs(), *session.get_outputs())):
        answers = session.run(None, dict(inputs))
        return {output.name: numpy.asarray(answer) for output, answer in zip(session.get_outputs(), answers, strict=True)}
    outputs = session.run_with_ort_values(None, {name: feed(array) for name, array in inputs})
    names = [output.name for output in session.get_outputs()]
    return {name: expected.get(name) if "bfloat16" in value.data_type() else value.numpy()
            for name, value in zip(names, outputs, strict=True)}


def same(one, other):
    return all(numpy.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f") for name in one)


def on_disk(kind):
    """{name: test} of the models that the package has as files."""
    tests = {}
    for test in load_model_tests(kind=kind):
        test.model = onnx.load(f"{test.model_dir}/model.onnx")
        folder = f"{test.model_dir}/test_data_set_0"
        test.data_sets = [[read_tensors(folder, "input", test.model.graph.input), read_tensors(folder, "output", test.model.graph.output)]]
        tests[f"{kind}.{test.name}"] = test
    return tests


def read_tensors(folder, what, infos):
    files = [pathlib.Path(folder, f"{what}_{number}.pb") for number in range(len(infos))]
    return [onnx.TensorProto.FromString(file.read_bytes()) if info.type.HasField("tensor_type") else None
            for file, info in zip(files, infos, strict=True) if file.exists()]


def make(cases, name, test):
    graph = test.model.graph
    given, wanted = test.data_sets[0]
    model = test.model
    model.ir_version = min(model.ir_version, IR_VERSION)
    for operators in model.opset_import:
        if operators.domain == "":
            operators.version = min(operators.version, OPSET)
    (cases.version(name) / "model.onnx").write_bytes(model.SerializeToString())
    try:
        inputs, expected = values_of(given, graph.input), dict(values_of(wanted, graph.output))
        request = {"inputs": [tensor(*item) for item in inputs]}
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            results = run(session, inputs, expected)
            request["outputs"] = [tensor(*item) for item in results.items()]
            request["values"] = same(results, run(session, inputs, expected))  # else random numbers, of which the shape alone is compared
        except NotInV2:
            raise
        except Exception as error:  # pylint: disable=broad-exception-caught  # whatever it says is the answer
            request = {"inputs": request["inputs"], "error": str(error), "test": [tensor(*item) for item in expected.items()]}
        cases.write(name, requests=[request])
    except NotInV2 as reason:
        cases.write(name, apart=str(reason))


def main():
    cases = Cases(sys.argv[1])
    names = set(cases.names())
    warnings.simplefilter("ignore")
    numpy.random.seed(0)
    onnxruntime.set_default_logger_severity(4)
    tests = {test.name: test for test in collect_testcases(None)}
    for kind in ("simple", "pytorch-converted", "pytorch-operator"):
        tests |= on_disk(kind)
    print("\n".join(tests))
    for name in names:
        make(cases, name, tests[name])


if __name__ == "__main__":
    main()
