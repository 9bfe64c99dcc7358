"""MXNet's symbols and parameters, run by MXNet's own library: for models that the engine onnxruntime, which rewrites
them, cannot read."""

import ast
import collections
import glob
import os
import re
import sys

import numpy

from inferd_worker import tensors
from inferd_worker.predictor import Predictor
from inferd_worker.signature import TensorSpec

# MXNet binds a symbol to the shapes of its inputs. This is the number of bindings to keep.
BINDINGS_MAX = 8
# Settings for MXNet's threads and logs, which it reads when it is imported.
ENVIRONMENT = {"MXNET_ENGINE_TYPE": "NaiveEngine", "MXNET_SUBGRAPH_BACKEND": "NONE", "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}


def open_model(load):
    os.environ.update(ENVIRONMENT)
    try:
        import mxnet
    except ImportError as error:
        raise ImportError(f"'{load.file}' needs the package mxnet, and the interpreter {sys.executable} lacks it: {error} "
                          "(tools/install_mxnet installs an environment that has it; without `backend: \"python\"` the engine onnxruntime "
                          "reads the model)") from error
    symbol = mxnet.symbol.load(load.file)
    arrays = mxnet.nd.load(params_of(load)) or {}  # a list if it is empty
    return MxnetPredictor(mxnet, symbol, {name.partition(":")[2] or name: value for name, value in arrays.items()}, load)


def params_of(load):
    """Returns the file of the last epoch, or of the parameter `epoch`."""
    prefix = load.file.removesuffix("-symbol.json")
    epochs = {int(match[1]): file for file in glob.glob(glob.escape(prefix) + "-*.params")
              if (match := re.fullmatch(r"-(\d+)\.params", file[len(prefix):]))}
    wanted = load.parameter("epoch")
    if not epochs or (wanted and int(wanted) not in epochs):
        raise ValueError(f"'{load.file}' needs {os.path.basename(prefix)}-{int(wanted or 0):04d}.params beside it")
    return epochs[int(wanted) if wanted else max(epochs)]


class MxnetPredictor(Predictor):
    independent_rows = False  # a symbol does not state it

    def __init__(self, mxnet, symbol, arrays, load):
        self._mxnet, self._symbol, self._load = mxnet, symbol, load
        names = [name for name in symbol.list_arguments() if name not in arrays]
        configured = load.tensors("input")
        self.inputs = [configured[name] if name in configured else self._stated(name) for name in names
                       if name in configured or not name.endswith("_label")]
        given = {spec.name for spec in self.inputs}
        if missing := configured.keys() - given:
            raise ValueError(f"the configuration has an input '{min(missing)}', which the symbol has not: its inputs are {sorted(given)}")
        self._labels = [name for name in names if name not in given]
        self._weights = {name: arrays[name] for name in symbol.list_arguments() if name in arrays}
        self._moments = {name: arrays[name] for name in symbol.list_auxiliary_states()}
        self._bound = collections.OrderedDict()
        self.outputs = [TensorSpec(name, datatype, shape) for name, datatype, shape in
                        zip(symbol.list_outputs(), self._output_datatypes(), self._output_shapes())]

    def _stated(self, name):
        attributes = self._symbol.attr_dict().get(name, {})
        shape = ast.literal_eval(attributes.get("__shape__", "()"))
        if not shape:
            raise ValueError(f"input '{name}' is no parameter, and the symbol does not state its shape: the configuration must, as in "
                             f'input {{ name: "{name}" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }}')
        return TensorSpec(name, tensors.FP32, (-1, *(size if size > 0 else -1 for size in shape[1:])))

    def _output_datatypes(self):
        types = {spec.name: tensors.NUMPY_TYPES[spec.datatype].type for spec in self.inputs}
        _, outputs, _ = self._symbol.infer_type(**{name: value.dtype for name, value in self._weights.items()}, **types)
        return [tensors.datatype_of(each) for each in outputs or [numpy.float32] * len(self._symbol.list_outputs())]

    def _inferred(self, shapes):
        """Returns ({argument: shape}, shapes of the outputs) for these shapes of the inputs."""
        weights = {name: value.shape for name, value in self._weights.items()}
        try:
            arguments, outputs, _ = self._symbol.infer_shape_partial(**weights, **shapes)
        except self._mxnet.base.MXNetError as error:
            raise ValueError(f"the symbol takes no such shapes: {str(error).strip().splitlines()[-1]}") from error
        return dict(zip(self._symbol.list_arguments(), arguments)), outputs

    def _output_shapes(self):
        """Dimensions that are equal for two batch sizes are fixed; others may have any size."""
        tried = []
        for any_size in 2, 3:
            shapes = {spec.name: tuple(any_size if size < 0 else size for size in spec.shape) for spec in self.inputs}
            try:
                tried.append(self._inferred(shapes)[1])
            except ValueError:
                tried.append(None)
        if None in tried or any(len(one) != len(other) for one, other in zip(*tried)):
            return [None] * len(self._symbol.list_outputs())
        return [tuple(a if a == b and a > 0 else -1 for a, b in zip(one, other)) for one, other in zip(*tried)]

    def predict(self, arrays, outputs, parameters):
        bound = self._binding(arrays)
        for name, values in arrays.items():
            bound.arg_dict[name][:] = self._mxnet.nd.array(values, dtype=values.dtype)
        return dict(zip(self._symbol.list_outputs(), (each.asnumpy() for each in bound.forward(is_train=False))))

    def _binding(self, arrays):
        shapes = tuple((name, arrays[name].shape) for name in sorted(arrays))
        if shapes in self._bound:
            self._bound.move_to_end(shapes)
            return self._bound[shapes]
        given = {name: self._mxnet.nd.empty(values.shape, dtype=values.dtype) for name, values in arrays.items()}
        every, _ = self._inferred(dict(shapes))
        labels = {name: self._mxnet.nd.zeros(every[name]) for name in self._labels}
        # All bindings share the weights.
        bound = self._symbol.bind(self._mxnet.cpu(), {**self._weights, **labels, **given}, grad_req="null", aux_states=self._moments)
        self._bound[shapes] = bound
        if len(self._bound) > BINDINGS_MAX:
            self._bound.popitem(last=False)
        return bound
