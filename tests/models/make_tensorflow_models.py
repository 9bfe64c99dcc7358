#!/usr/bin/env python3
"""Makes the TensorFlow models that tests and examples use, as model repositories: `tensorflow/<model>/1/...` in the V2 layout
(model.savedmodel/, model.graphdef), `tensorflow_bad/...` that cannot be loaded; and examples/tensorflow, in TensorFlow
Serving's layout (<model>/<version>/saved_model.pb).

What TensorFlow itself computes with them is written beside them, in tensorflow/expected.json: the tests' judge.

The results are committed; run this only to change them (Python 3.11):

    python3 -m venv /tmp/tf && /tmp/tf/bin/pip install tensorflow-cpu==2.21.0 && /tmp/tf/bin/python tests/models/make_tensorflow_models.py

and ask_saved_model_cli.py after it.
"""

import base64
import json
import os
import pathlib
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
V2 = HERE / "tensorflow"
SERVING = HERE.parents[1] / "examples" / "tensorflow"
BAD = HERE / "tensorflow_bad"
v1 = tf.compat.v1
spec = tf.TensorSpec

DATATYPES = {
    "bool": tf.bool, "uint8": tf.uint8, "uint16": tf.uint16, "uint32": tf.uint32, "uint64": tf.uint64, "int8": tf.int8,
    "int16": tf.int16, "int32": tf.int32, "int64": tf.int64, "fp16": tf.float16, "bf16": tf.bfloat16, "fp32": tf.float32,
    "fp64": tf.float64, "bytes": tf.string,
}


def folder_of(name):
    return V2 / name / "1" / "model.savedmodel"


def bad_folder(name):
    return BAD / name / "1" / "model.savedmodel"


def save(module, folder, **signatures):
    """A SavedModel as TensorFlow 2 writes it, without what no server reads."""
    tf.saved_model.save(module, str(folder), signatures=signatures)
    (folder / "fingerprint.pb").unlink(missing_ok=True)
    for empty in ("assets", "variables"):
        if (folder / empty).is_dir() and not any((folder / empty).iterdir()):
            (folder / empty).rmdir()


def function(*arguments):
    """A tf.function whose arguments are (name, datatype, shape)."""
    return tf.function(input_signature=[spec(shape, datatype, name) for name, datatype, shape in arguments])


def write_config(name, text):
    (V2 / name).mkdir(parents=True, exist_ok=True)
    (V2 / name / "config.pbtxt").write_text(text)


def half_plus_two_tf2(folder, two=2.0):
    module = tf.Module()
    module.a = tf.Variable(0.5)
    module.b = tf.Variable(two)
    predict = function(("x", tf.float32, [None, 1]))(lambda x: {"y": x * module.a + module.b})
    save(module, folder, serving_default=predict)


def half_plus_two_tf1(folder):
    """As TensorFlow Serving's own example: variables, an asset, an initialisation operator, and four signatures."""
    asset = pathlib.Path("/tmp/foo.txt")  # the graph has the path; it is replaced where the model is loaded
    asset.write_text("asset-file-contents")
    with v1.Graph().as_default(), v1.Session() as session:
        a, b, c = (v1.get_variable(name, initializer=value, use_resource=False) for name, value in (("a", 0.5), ("b", 2.0), ("c", 3.0)))
        serialized = v1.placeholder(tf.string, name="tf_example")
        features = {name: tf.io.FixedLenFeature([1], tf.float32, default_value=[0.0]) for name in ("x", "x2")}
        examples = tf.io.parse_example(serialized, features)
        x = tf.identity(examples["x"], name="x")
        y = tf.add(tf.multiply(a, x), b, name="y")
        y2 = tf.add(tf.multiply(a, x), c, name="y2")
        y3 = tf.add(tf.multiply(a, tf.identity(examples["x2"], name="x2")), c, name="y3")
        classes = tf.convert_to_tensor(["half", "rest"])
        classes = tf.tile(tf.expand_dims(classes, 0), [tf.shape(x)[0], 1])
        scores = tf.concat([y, y2], 1, name="scores")
        name_tensor = tf.constant(str(asset))
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, name_tensor)
        filename = v1.get_variable("filename", initializer="", use_resource=False)
        init = v1.assign(filename, tf.io.read_file(name_tensor), name="load_asset")
        session.run(v1.global_variables_initializer())
        info = v1.saved_model.build_tensor_info
        make = v1.saved_model.build_signature_def
        signatures = {
            "serving_default": make({"x": info(x)}, {"y": info(y)}, "tensorflow/serving/predict"),
            "regress_x_to_y": make({"inputs": info(serialized)}, {"outputs": info(y)}, "tensorflow/serving/regress"),
            "regress_x_to_y2": make({"inputs": info(serialized)}, {"outputs": info(y2)}, "tensorflow/serving/regress"),
            "regress_x2_to_y3": make({"inputs": info(serialized)}, {"outputs": info(y3)}, "tensorflow/serving/regress"),
            "classify_x": make({"inputs": info(serialized)}, {"classes": info(classes), "scores": info(scores)}, "tensorflow/serving/classify"),
            "asset": make({"x": info(x)}, {"contents": info(tf.identity(filename, name="contents"))}, "tensorflow/serving/predict"),
        }
        builder = v1.saved_model.builder.SavedModelBuilder(str(folder))
        builder.add_meta_graph_and_variables(session, ["serve"], signature_def_map=signatures, main_op=tf.group(init),
                                             assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS))
        builder.save()
    asset.unlink()
    (folder / "fingerprint.pb").unlink(missing_ok=True)


def half_plus_two_graphdef():
    """Frozen: what the inputs and outputs are, only the configuration says."""
    with v1.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 1], name="x")
        tf.add(tf.multiply(x, 0.5), 2.0, name="y")
        tf.identity(v1.placeholder(tf.string, [None], name="text"), name="copy")
        path = V2 / "frozen" / "1" / "model.graphdef"
        path.parent.mkdir(parents=True)
        path.write_bytes(graph.as_graph_def().SerializeToString())
    write_config("frozen", 'platform: "tensorflow_graphdef"\nmax_batch_size: 8\n'
                           'input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] }\n'
                           'output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] }\n')


def identities():
    for name, datatype in DATATYPES.items():
        save(tf.Module(), folder_of(f"identity_{name}"),
             serving_default=function(("x", datatype, [None, None]))(lambda x: {"y": tf.identity(x)}))


def strings():
    """Text in, text and numbers out."""
    save(tf.Module(), folder_of("strings"), serving_default=function(("text", tf.string, [None]))(
        lambda text: {"upper": tf.strings.upper(text), "length": tf.strings.length(text)}))


def shapes():
    save(tf.Module(), folder_of("nonzero"), serving_default=function(("x", tf.float32, [None]))(
        lambda x: {"positions": tf.where(x != 0)}))
    save(tf.Module(), folder_of("scalar"), serving_default=function(("x", tf.float32, []))(lambda x: {"y": x + 1.0}))
    # The rank of input and output is what comes.
    save(tf.Module(), folder_of("any_rank"), serving_default=function(("x", tf.float32, None))(lambda x: {"y": x * 2.0}))
    save(tf.Module(), folder_of("matmul"), serving_default=function(("a", tf.float32, [None, None]), ("b", tf.float32, [None, None]))(
        lambda a, b: {"c": a @ b}))
    write_config("matmul", "max_batch_size: 0\n")  # the first dimensions are no batch


def mlp():
    """784-256-10, as the ONNX model of that name. Weights are a formula: the files stay small."""
    def layer(x, rows, columns):
        weights = tf.reshape(tf.sin(tf.range(rows * columns, dtype=tf.float32)) * 0.05, [rows, columns])
        return x @ weights + tf.linspace(-0.1, 0.1, columns)
    save(tf.Module(), folder_of("mlp"), serving_default=function(("x", tf.float32, [None, 784]))(
        lambda x: {"y": tf.nn.softmax(layer(tf.nn.relu(layer(x, 784, 256)), 256, 10))}))


def mean():
    """Of each channel of an image: a large input, a small output, and next to nothing to compute."""
    save(tf.Module(), folder_of("mean224"), serving_default=function(("x", tf.float32, [None, 224, 224, 3]))(
        lambda x: {"y": tf.reduce_mean(x, [1, 2])}))


def counter():
    """Keeps what it was given, across calls."""
    module = tf.Module()
    module.count = tf.Variable(0, dtype=tf.int64)
    module.last = tf.Variable("", dtype=tf.string, shape=tf.TensorShape(None))

    @function(("add", tf.int64, []), ("word", tf.string, [None]))
    def step(add, word):
        before = module.last.read_value()
        module.last.assign(word)
        return {"count": module.count.assign_add(add), "last": before}
    save(module, folder_of("counter"), serving_default=step)


def vocabulary():
    """A table that is filled from an asset when the model is loaded."""
    words = pathlib.Path("/tmp/words.txt")
    words.write_text("zero\none\ntwo\n")
    module = tf.Module()
    module.words = tf.saved_model.Asset(str(words))
    module.table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
        module.words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
    save(module, folder_of("vocabulary"), serving_default=function(("word", tf.string, [None]))(
        lambda word: {"index": module.table.lookup(word)}))
    words.unlink()


def signatures():
    """Several signatures with the same names, and no serving_default."""
    x = ("x", tf.float32, [None])
    save(tf.Module(), folder_of("signatures"), double=function(x)(lambda x: {"y": x * 2.0}),
         half=function(x)(lambda x: {"y": x / 2.0}))


def tags():
    """Saved under tags of its own, which the configuration names."""
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": x - 1.0})
        builder = v1.saved_model.builder.SavedModelBuilder(str(folder_of("tags")))
        builder.add_meta_graph_and_variables(session, ["serve", "cpu"], {"serving_default": signature})
        builder.save()
    write_config("tags", 'parameters { key: "TF_GRAPH_TAG" value { string_value: "serve,cpu" } }\n')


def complex_numbers():
    """Of a type that only TensorFlow Serving's gRPC has."""
    save(tf.Module(), folder_of("complex"),
         serving_default=function(("x", tf.complex64, [None]))(lambda x: {"y": tf.math.real(x)}))


def bad():
    """What must not be loaded."""
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.sparse_placeholder(tf.float32, name="x")
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": tf.sparse.reduce_sum(x)})
        builder = v1.saved_model.builder.SavedModelBuilder(str(bad_folder("sparse")))
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    half_plus_two_tf2(bad_folder("no_variables"))
    next((bad_folder("no_variables") / "variables").glob("*.data-*")).unlink()
    for name, content in (("garbage", b"this is no protobuf"), ("empty", b"")):
        bad_folder(name).mkdir(parents=True)
        (bad_folder(name) / "saved_model.pb").write_bytes(content)


def plain(value):
    if value.dtype == tf.string:
        return [base64.b64encode(element).decode() for element in value.numpy().reshape(-1)]
    return value.numpy().reshape(-1).astype(float).tolist()


def expect():
    """[{model, inputs, outputs}]: what TensorFlow's Python answers."""
    random = numpy.random.default_rng(20261121)
    calls = [
        ("half_plus_two", {"x": tf.constant([[1.0], [2.0], [5.0]])}),
        ("strings", {"text": tf.constant(["abc", "", "Zürich", "a\0b", "x" * 100])}),
        ("nonzero", {"x": tf.constant([0.0, 3.0, 0.0, -1.0])}),
        ("scalar", {"x": tf.constant(41.0)}),
        ("matmul", {"a": tf.constant(random.random((2, 3), numpy.float32)), "b": tf.constant(random.random((3, 4), numpy.float32))}),
        ("mlp", {"x": tf.constant(random.random((2, 784), numpy.float32))}),
        ("vocabulary", {"word": tf.constant(["two", "nothing", "zero"])}),
        ("tags", {"x": tf.constant([1.5])}),
    ]
    cases = []
    for model, inputs in calls:
        loaded = tf.saved_model.load(str(folder_of(model)), tags=["serve", "cpu"] if model == "tags" else None)
        outputs = loaded.signatures["serving_default"](**inputs)
        tensor = lambda value: {"datatype": value.dtype.name, "shape": value.shape.as_list(), "data": plain(value)}
        cases.append({"model": model, "inputs": {k: tensor(v) for k, v in inputs.items()},
                      "outputs": {k: tensor(v) for k, v in sorted(outputs.items())}})
    (V2 / "expected.json").write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


def main():
    for folder in (V2, SERVING, BAD):
        shutil.rmtree(folder, ignore_errors=True)
    half_plus_two_tf2(folder_of("half_plus_two"))
    half_plus_two_tf1(SERVING / "half_plus_two" / "123")
    half_plus_two_tf2(SERVING / "half_plus_two_tf2" / "1")
    half_plus_two_tf2(SERVING / "half_plus_two_tf2" / "2", two=3.0)
    for make in (half_plus_two_graphdef, identities, strings, shapes, mlp, mean, counter, vocabulary, signatures, tags,
                 complex_numbers, bad, expect):
        make()


main()
