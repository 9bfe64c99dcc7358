"""ONNX models whose rows influence each other, and models whose rows do not. They are single operations, or random compositions.

A model takes x, FP32 [rows, 4], and returns y. The names of dimensions are chosen separately, because a name is a claim that may be false.
"""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH = 4

# The names of the dimensions, (of x, of y). None for no name.
NAMINGS = {
    "batch": (["batch", WIDTH], ["batch", None]),
    "N": (["N", WIDTH], ["N", None]),
    "nameless": ([None, WIDTH], [None, None]),
    "height": (["height", WIDTH], ["height", None]),
    "exporter": (["unk__1", WIDTH], ["unk__2", None]),
    "one side": (["batch", WIDTH], [None, None]),
}
BATCH_NAMINGS = ("batch", "N")
# If y's first dimension has no name, the library may find by itself that it equals x's.
MAYBE_BATCH_NAMINGS = (*BATCH_NAMINGS, "one side")


class Graph:
    """A graph under construction. A method adds nodes to the tensor of a given name, and returns the name of the result."""

    def __init__(self, seed=0):
        self.random = numpy.random.default_rng(seed)
        self.nodes = []
        self.constants = []
        self._count = 0

    def name(self):
        self._count += 1
        return f"t{self._count}"

    def constant(self, value, datatype=None):
        name = self.name()
        self.constants.append(numpy_helper.from_array(numpy.asarray(value, datatype), name))
        return name

    def node(self, operator, *inputs, outputs=1, **attributes):
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def ints(self, *values):
        return self.constant(list(values), numpy.int64)

    def count(self, h):
        """Returns the number of rows, [1]."""
        return self.node("Slice", self.node("Shape", h), self.ints(0), self.ints(1))

    def positions(self, h):
        """Returns 0, 1, 2 ... as [rows, 1], FP32."""
        count = self.node("Squeeze", self.count(h), self.ints(0))
        numbers = self.node("Range", self.constant(0, numpy.int64), count, self.constant(1, numpy.int64))
        return self.node("Cast", self.node("Unsqueeze", numbers, self.ints(1)), to=TensorProto.FLOAT)

    def weights(self, *shape):
        return self.constant(self.random.normal(size=shape), numpy.float32)

    def mean(self, h, axes, **attributes):
        return self.node("ReduceMean", h, axes=axes, keepdims=1, **attributes)

    def save(self, result, naming, rank=2, datatype=TensorProto.FLOAT):
        """Returns the serialized model whose output is the tensor `result`."""
        of_x, of_y = NAMINGS[naming]
        self.nodes.append(helper.make_node("Identity", [result], ["y"]))
        shapes = (of_x, [of_y[0], *[None] * (rank - 1)])
        graph = helper.make_graph(
            self.nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shapes[0])],
            [helper.make_tensor_value_info("y", datatype, shapes[1])], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        return model.SerializeToString()


# Each function takes a graph and a tensor [rows, 4]. The result has the same shape, unless a comment says otherwise.

ROW_WISE = {
    "relu": lambda g, h: g.node("Relu", h),
    "tanh": lambda g, h: g.node("Tanh", h),
    "shift": lambda g, h: g.node("Add", h, g.weights(WIDTH)),
    "scale": lambda g, h: g.node("Mul", h, g.weights(1, WIDTH)),
    "dense": lambda g, h: g.node("Gemm", h, g.weights(WIDTH, WIDTH), g.weights(WIDTH)),
    "wide": lambda g, h: g.node("MatMul", g.node("Sigmoid", g.node("MatMul", h, g.weights(WIDTH, 33))), g.weights(33, WIDTH)),
    "softmax of a row": lambda g, h: g.node("Softmax", h, axis=1),
    "minus a row's mean": lambda g, h: g.node("Sub", h, g.mean(h, [1])),
    "row's running sum": lambda g, h: g.node("CumSum", h, g.constant(1, numpy.int64)),
    "row sorted": lambda g, h: g.node("TopK", h, g.ints(WIDTH), axis=1, outputs=2)[0],
    "row turned": lambda g, h: g.node("Slice", h, g.ints(-1), g.ints(-2**62), g.ints(1), g.ints(-1)),
    "where positive": lambda g, h: g.node("Where", g.node("Greater", h, g.constant(0, numpy.float32)), h, g.node("Exp", h)),
    "transposed inside": lambda g, h: g.node("Reshape", g.node("Transpose", g.node("Reshape", h, g.ints(-1, 2, 2)), perm=[0, 2, 1]),
                                             g.ints(-1, WIDTH)),
    "a row's table": lambda g, h: g.node("Gather", g.weights(5, WIDTH), g.node(
        "Squeeze", g.node("ArgMax", h, axis=1), g.ints(1))),
    "clip": lambda g, h: g.node("Clip", h, g.constant(-1, numpy.float32), g.constant(1, numpy.float32)),
}


def attention(g, h):
    scores = g.node("Softmax", g.node("MatMul", h, g.node("Transpose", h, perm=[1, 0])), axis=1)
    return g.node("MatMul", scores, h)


def quantized(g, h):
    return g.node("DequantizeLinear", *g.node("DynamicQuantizeLinear", h, outputs=3))


def normalized(g, h):
    centered = g.node("Sub", h, g.mean(h, [0]))
    variance = g.mean(g.node("Mul", centered, centered), [0])
    return g.node("Div", centered, g.node("Sqrt", g.node("Add", variance, g.constant(1e-3, numpy.float32))))


def filtered(g, h):
    keep = g.node("Greater", g.node("ReduceSum", h, g.ints(1), keepdims=0), g.constant(0, numpy.float32))
    return g.node("Compress", h, keep, axis=0)


def smaller_rows(g, h):
    """Returns for each row how many rows are smaller."""
    below = g.node("Less", g.node("Unsqueeze", h, g.ints(0)), g.node("Unsqueeze", h, g.ints(1)))
    return g.node("ReduceSum", g.node("Cast", below, to=TensorProto.FLOAT), g.ints(1), keepdims=0)


def by_condition(g, h):
    total = g.node("Greater", g.node("ReduceSum", h, keepdims=0), g.constant(0, numpy.float32))
    branches = []
    for factor in (2, -2):
        value = numpy_helper.from_array(numpy.float32(factor), f"factor{factor}")
        name = g.name()
        branches.append(helper.make_graph([helper.make_node("Mul", [h, value.name], [name])], f"branch{factor}", [],
                                          [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)], [value]))
    return g.node("If", total, then_branch=branches[0], else_branch=branches[1])


def rolled(g, h):
    last = g.node("Slice", h, g.ints(-1), g.ints(2**62), g.ints(0))
    rest = g.node("Slice", h, g.ints(0), g.ints(-1), g.ints(0))
    return g.node("Concat", last, rest, axis=0)


def by_index(g, h):
    """Returns for each row the row whose index it contains."""
    number = g.node("Cast", g.node("Slice", g.node("Abs", h), g.ints(0), g.ints(1), g.ints(1)), to=TensorProto.INT64)
    return g.node("Gather", h, g.node("Squeeze", g.node("Mod", number, g.count(h)), g.ints(1)), axis=0)


def position_table(g, h):
    numbers = g.node("Cast", g.node("Squeeze", g.positions(h), g.ints(1)), to=TensorProto.INT64)
    return g.node("Add", h, g.node("Gather", g.weights(7, WIDTH), g.node("Mod", numbers, g.ints(7))))


def averaged_pairs(g, h):
    shifted = rolled(g, h)
    return g.node("Mean", h, shifted)


MIXING = {
    "minus the mean": lambda g, h: g.node("Sub", h, g.mean(h, [0])),
    "by the largest": lambda g, h: g.node("Div", h, g.node("Add", g.node("ReduceMax", g.node("Abs", h), axes=[0, 1], keepdims=1),
                                                           g.constant(1, numpy.float32))),
    "by the length of all": lambda g, h: g.node("Div", h, g.node("ReduceL2", h, axes=[0, 1], keepdims=1)),
    "times the mean of all": lambda g, h: g.node("Mul", h, g.mean(h, [0, 1])),
    "running sum": lambda g, h: g.node("CumSum", h, g.constant(0, numpy.int64)),
    "running sum from the end": lambda g, h: g.node("CumSum", h, g.constant(0, numpy.int64), reverse=1, exclusive=1),
    "sorted": lambda g, h: g.node("TopK", h, g.count(h), axis=0, outputs=2)[0],
    "best rows": lambda g, h: g.node("TopK", h, g.ints(1), axis=0, outputs=2)[0],
    "attention": attention,
    "softmax over rows": lambda g, h: g.node("Softmax", h, axis=0),
    "hardmax over rows": lambda g, h: g.node("Add", h, g.node("Hardmax", h, axis=0)),
    "table by place": position_table,
    "place": lambda g, h: g.node("Add", h, g.positions(h)),
    "filter": filtered,
    "unique": lambda g, h: g.node("Unique", h, axis=0),
    "quantized": quantized,
    "turned": lambda g, h: g.node("Slice", h, g.ints(-1), g.ints(-2**62), g.ints(0), g.ints(-1)),
    "rolled": rolled,
    "averaged with the row before": averaged_pairs,
    "one row of all": lambda g, h: g.node("Reshape", h, g.ints(1, -1)),
    "transposed": lambda g, h: g.node("Transpose", h, perm=[1, 0]),
    "by how many": lambda g, h: g.node("Div", h, g.node("Cast", g.count(h), to=TensorProto.FLOAT)),
    "minus the first": lambda g, h: g.node("Sub", h, g.node("Slice", h, g.ints(0), g.ints(1), g.ints(0))),
    "sum of rows": lambda g, h: g.node("ReduceSum", h, g.ints(0), keepdims=1),
    "twice": lambda g, h: g.node("Concat", h, h, axis=0),
    "normalized": normalized,
    "all pairs": lambda g, h: g.node("MatMul", h, g.node("Transpose", h, perm=[1, 0])),
    "is it the largest": lambda g, h: g.node("Cast", g.node("Equal", h, g.node("ReduceMax", h, axes=[0], keepdims=1)),
                                             to=TensorProto.FLOAT),
    "rank among rows": smaller_rows,
    "first three": lambda g, h: g.node("Slice", h, g.ints(0), g.ints(3), g.ints(0)),
    "row by number": by_index,
    "if the sum is positive": by_condition,
    "nothing but NaN": lambda g, h: g.node("Add", h, g.node("Mul", g.node("ReduceSum", h, g.ints(0), keepdims=1),
                                                            g.constant(0, numpy.float32))),
}


def single(kind, naming, seed=1):
    """Returns a model with only this kind of operation."""
    graph = Graph(seed)
    make = MIXING.get(kind) or ROW_WISE[kind]
    return graph.save(make(graph, "x"), naming)


def generated(seed):
    """Returns (serialized model, naming, kind of mixing or None). It has some row-wise steps, and perhaps one that mixes rows."""
    graph = Graph(seed)
    random = graph.random
    naming = str(random.choice(list(NAMINGS)))
    mixing = str(random.choice(list(MIXING))) if random.random() < 0.6 else None
    h = "x"
    for _ in range(random.integers(0, 4)):
        h = ROW_WISE[str(random.choice(list(ROW_WISE)))](graph, h)
    if mixing is not None:
        h = MIXING[mixing](graph, h)
        if random.random() < 0.5:
            h = graph.node(str(random.choice(["Relu", "Tanh", "Neg", "Identity"])), h)
    return graph.save(h, naming), naming, mixing
