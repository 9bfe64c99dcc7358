"""Features of the torch engine, through the server: several outputs, texts, a model's own operators, errors and state."""

import re
import shutil
import zipfile

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import PROGRAMS, ROOT, Server, has_engine, wait_until

if not has_engine("torch"):
    pytest.skip("the torch engine is not built: tools/install_engine torch", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS
MODELS = ROOT / "tests" / "models" / "torch"
OPERATORS = PROGRAMS.absolute().parent / "lib" / "inferd" / "test_operators" / "libtorch_operators.so"
ROWS = 'input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] } output { name: "y" data_type: TYPE_FP32 dims: [ -1 ] }'
PAIR = 'input [ { name: "INPUT__0" data_type: TYPE_FP32 dims: [ -1 ] }, { name: "INPUT__1" data_type: TYPE_FP32 dims: [ -1 ] } ] ' \
       'output [ { name: "OUTPUT__1" data_type: TYPE_FP32 dims: [ -1 ] }, { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ -1 ] } ]'
CONFIGS = {
    "pair": 'backend: "pytorch" ' + PAIR,
    "strings": "",
    "counter": 'input { name: "x" data_type: TYPE_INT64 dims: [ 1 ] } output { name: "y" data_type: TYPE_INT64 dims: [ 1 ] }',
    "raises": f"platform: \"pytorch_libtorch\" {ROWS}",
    "custom": f'{ROWS} model_operations {{ op_library_filename: "{OPERATORS.name}" }}',
    "matmul": "",
    "scaled": f'{ROWS} parameters {{ key: "INTER_OP_THREAD_COUNT" value {{ string_value: "2" }} }}',
    "compiled": 'backend: "torch_aoti" max_batch_size: 8 input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }',
    "compiled_keyed": 'input [ { name: "scale" data_type: TYPE_FP32 dims: [ 2, 3 ] }, { name: "INPUT__0" data_type: TYPE_FP32 dims: [ 2, 3 ] } ]',
    "compiled_writes": ROWS.replace("-1", "-1, -1"),
    "nonzero": 'input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }',
    "half_plus_two": ROWS.replace('"y" data_type: TYPE_FP32 dims: [ -1 ]', '"y" data_type: TYPE_FP32 dims: [ 7 ]'),
}
REFUSED = ("matmul", "deep")


def rewrite(path, rewritten):
    """half_plus_two with other source."""
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(MODELS / "half_plus_two" / "model.pt") as source, zipfile.ZipFile(path, "w") as written:
        for name in source.namelist():
            content = source.read(name)
            written.writestr(name, rewritten(content) if name.endswith(".py") else content)


def nested(source):
    """More brackets than the library's compiler, which calls itself for each, has stack for."""
    return source.replace(b"torch.mul(", b"(" * 20000 + b"torch.mul(").replace(b"0.5)", b"0.5)" + b")" * 20000)


def giving_itself(source):
    """A module whose answer is itself cannot be frozen."""
    return re.sub(rb"-> Tensor:\n.*", b"-> " + re.search(rb"self: ([\w.]+)", source)[1] + b":\n    return self\n", source, flags=re.DOTALL)


def giving(result, value):
    """A module whose method has that result, of its argument x."""
    return lambda source: re.sub(rb"-> Tensor:\n.*", f"-> {result}:\n    return {value}\n".encode(), source, flags=re.DOTALL)


PARTS = {
    "lstm": giving("Tuple[Tensor, Tuple[Tensor, Tensor]]", "(x, (torch.neg(x), torch.abs(x)))"),
    "lists": giving("Tuple[Tensor, List[Tensor], Tensor]", "(x, [torch.neg(x), x], torch.abs(x))"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    repository = tmp_path_factory.mktemp("torch")
    for name, config in CONFIGS.items():
        (repository / name).mkdir()
        shutil.copytree(MODELS / name, repository / name / "1")
        if config:
            models.write_whole(repository / name / "config.pbtxt", config.encode())
    shutil.copy(OPERATORS, repository / "custom")
    rewrite(repository / "deep" / "1" / "model.pt", nested)
    rewrite(repository / "itself" / "1" / "model.pt", giving_itself)
    models.write_whole(repository / "itself" / "config.pbtxt", ROWS.encode())
    for name, rewritten in PARTS.items():
        rewrite(repository / name / "1" / "model.pt", rewritten)
        models.write_whole(repository / name / "config.pbtxt", b'input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }')
    with Server(repository, options=["--isolation", isolation, "--readiness", "server", "--allow-op-library", repository]) as running:
        def tried():
            rows = {row["name"]: row for row in running.json("POST", "/v2/repository/index")[1]}
            done = {name for name, row in rows.items()
                    if (row.get("state") == "READY" if name not in REFUSED else "model.pt" in row.get("reason", ""))}
            return done == {*CONFIGS, *PARTS, "deep", "itself"}
        wait_until(tried, "all were tried")
        yield running


def tensor(name, datatype, *data):
    return {"name": name, "datatype": datatype, "shape": [len(data)], "data": list(data)}


def answer(server, model, *inputs):
    status, answered = server.infer(model, list(inputs))
    assert status == 200, answered
    return {output["name"]: output["data"] for output in answered["outputs"]}


def test_parts_of_an_answer_by_their_numbers(server):
    got = answer(server, "pair", tensor("INPUT__0", "FP32", 1.0, 2.0), tensor("INPUT__1", "FP32", 3.0, 5.0))
    assert got == {"OUTPUT__0": [4, 7], "OUTPUT__1": [-2, -3]}
    assert server.json("GET", "/v2/models/pair")[1]["platform"] == "pytorch_torchscript"


def test_parts_inside_parts_are_numbered_on(server):
    assert answer(server, "lstm", tensor("x", "FP32", -1.0, 2.0)) == {"OUTPUT__0": [-1, 2], "OUTPUT__1": [1, -2], "OUTPUT__2": [1, 2]}
    assert answer(server, "lists", tensor("x", "FP32", -3.0)) == {"OUTPUT__0": [-3], "OUTPUT__1": [3], "OUTPUT__2": [-3], "OUTPUT__3": [3]}


def test_an_output_has_its_own_shape(server):
    def shape(model, *data):
        return server.infer(model, [tensor("x", "FP32", *data)])[1]["outputs"][0]["shape"]
    assert server.json("GET", "/v2/models/nonzero")[1]["outputs"][0]["shape"] == [-1, 1], "empty for zeros"
    assert shape("nonzero", 0.0, 1.0, 2.0) == [2, 1] and shape("nonzero", 0.0) == [0, 1]
    assert shape("half_plus_two", 1.0, 2.0) == [2]
    assert server.log().count("another shape than its model declares") == 1


def test_texts(server):
    assert answer(server, "strings", tensor("words", "BYTES", "ab", "", "\u00e4c")) == {"OUTPUT__0": ["AB", "", "\u00e4C"]}


def test_a_model_keeps_its_state(server):
    assert [answer(server, "counter", tensor("x", "INT64", 10))["y"] for _ in range(3)] == [[11], [12], [13]]


def test_operators_of_a_models_own(server):
    assert answer(server, "custom", tensor("x", "FP32", 1.5)) == {"y": [3]}


def grid(name, *rows):
    return {"name": name, "datatype": "FP32", "shape": [len(rows), len(rows[0])], "data": [value for row in rows for value in row]}


def test_compiled_packages(server):
    assert answer(server, "compiled", grid("x", [3, 2])) == {"OUTPUT__0": [3.5, 2.25, 1], "OUTPUT__1": [5]}
    assert answer(server, "compiled", grid("x", [3, 2], [0, 1])) == {"OUTPUT__0": [3.5, 2.25, 1, 0.5, 1.25, 0], "OUTPUT__1": [5, 1]}
    got = answer(server, "compiled_keyed", grid("INPUT__0", [1, 2, 3], [4, 5, 6]), grid("scale", [2, 2, 2], [3, 3, 3]))
    assert got == {"scaled": [2, 4, 6, 12, 15, 18], "constant": [7, 8]}
    assert server.json("GET", "/v2/models/compiled")[1]["platform"] == "torch_aoti"


def test_a_compiled_package_refuses_what_it_was_not_compiled_for(server):
    status, answered = server.infer("compiled_writes", [grid("x", [1, 2, 3])])
    assert status == 400 and answered["error"].endswith("input_handles[0]: unmatched dim value at 1, expected: 2, but got: 3"), answered
    assert answer(server, "compiled_writes", grid("x", [1, 2])) == {"y": [3, 5]}


def test_a_compiled_package_is_code(isolation, tmp_path):
    shutil.copytree(MODELS / "compiled", tmp_path / "compiled" / "1")
    models.write_whole(tmp_path / "compiled" / "config.pbtxt", CONFIGS["compiled"].encode())
    with Server(tmp_path, options=["--isolation", isolation, "--readiness", "server"]) as running:
        def refused():
            rows = running.json("POST", "/v2/repository/index")[1]
            return any("model file 'model.pt2' is not opened: it is code" in row.get("reason", "") for row in rows)
        wait_until(refused, "it is refused")


def test_errors_are_one_line(server):
    status, answered = server.infer("raises", [tensor("x", "FP32", -1.0)])
    assert status == 400 and answered["error"].endswith("no number may be below 0"), answered
    assert answer(server, "raises", tensor("x", "FP32", 1.0)) == {"y": [2]}
    rows = {row["name"]: row for row in server.json("POST", "/v2/repository/index")[1]}
    assert rows["deep"]["reason"].endswith("the model's source has brackets that are nested too deeply"), rows["deep"]
    assert 'such as input { name: "a"' in rows["matmul"]["reason"], rows["matmul"]
    assert answer(server, "scaled", tensor("x", "FP32", 1.0)) == {"y": [2]}


def test_what_is_not_frozen_is_said(server):
    assert ("model 'itself': it is not frozen, and each instance has weights of its own: attempted to freeze a module that return "
            "itself") in server.log()
    assert "model 'pair': it is not frozen" not in server.log()
