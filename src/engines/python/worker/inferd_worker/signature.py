"""The inputs and outputs of a model."""

import json
from dataclasses import dataclass

from inferd_worker import tensors

LOG_VERBOSE, LOG_INFO, LOG_WARNING, LOG_ERROR = range(4)
PATIENCE_MS = 300_000  # time limit of an execution if the configuration states none


ALTERNATIVE, BODY = 1, 2
# The form of an input of several requests: one piece per request; one piece with the rows of all requests in order; or
# one tensor for the whole batch.
OF_REQUEST, OF_ROWS, OF_BATCH = range(3)
# The datatypes of sequences' controls, by the field with their values. Without such a field, the control itself states
# the type.
CONTROL_TYPES = {"int32_false_true": tensors.INT32, "fp32_false_true": tensors.FP32, "bool_false_true": tensors.BOOL}


@dataclass(frozen=True)
class TensorSpec:
    name: str
    datatype: int
    shape: tuple | None  # complete; -1 for any size, None for any shape
    optional: bool = False  # inputs: a request may omit it; outputs: only if a request names it
    labels: tuple = ()  # outputs: the meanings of a row's elements
    any_shape: bool = False  # `shape` is only the usual one
    any_datatype: bool = False  # inputs: `datatype` is only the usual one; the model checks the request's
    # ALTERNATIVE: not visible to clients, and placed after all visible tensors. Inputs: a request with such inputs may
    # omit the others. Outputs: only such a request may name it. BODY: the same, for front-ends only.
    alternative: int = 0
    pieces: int = OF_REQUEST  # inputs, if the model does not want whole batches
    # Inputs with allow_ragged_batch: the shape of a row. All elements come as one row, without the requests' shapes.
    row_shape: tuple | None = None

    def described(self, where):
        """Returns the form for the server. Raises TypeError for a value of another type: handlers take names from
        files, which may contain anything."""
        for what, values, kind, expected in (("name", (self.name,), str, "a text"), ("datatype", (self.datatype,), int, "a number"),
                                             ("shape", self.shape or (), int, "whole numbers"), ("labels", self.labels, str, "texts")):
            odd = next((value for value in values if type(value) is not kind), None)
            if odd is not None:
                raise TypeError(f"{where}: its {what} has {odd!r}, a {type(odd).__name__}, where {expected} must be")
        return (self.name, self.datatype, self.shape, self.optional, self.labels, self.any_shape, self.any_datatype,
                self.alternative)


@dataclass
class Signature:
    inputs: list
    outputs: list
    whole_batches: bool  # each input of a batch must be one array
    decoupled: bool = False
    sequences: bool = False
    independent_rows: bool = False  # rows of the first dimension are independent: requests may share executions
    completed_rows: int = 0  # the max_batch_size that the model adds to its configuration; 0 for none
    completed_dynamic: bool = False  # the model adds dynamic_batching
    checks_readiness: bool = False  # the model has a readiness check
    may_be_missing: bool = False  # a response may lack some of the outputs
    unchecked: bool = False  # outputs may differ from the datatypes and shapes here
    completed_tensors: bool = False  # the model adds its inputs and outputs to the configuration
    completed_policy: bool = False  # the model adds its transaction policy

    def described(self):
        inputs, outputs = (tuple(tensor.described(f"{kind} {index}") for index, tensor in enumerate(specs))
                           for kind, specs in (("input", self.inputs), ("output", self.outputs)))
        return (self.whole_batches, self.decoupled, self.sequences, self.independent_rows, inputs, outputs, self.completed_rows,
                self.completed_dynamic, self.checks_readiness, self.may_be_missing, self.unchecked, self.completed_tensors,
                self.completed_policy)

    def output_index(self, name):
        """Returns the output's index, or -1 if there is none."""
        return next((index for index, output in enumerate(self.outputs) if output.name == name), -1)


class Load:
    """The model, as the server describes it. `log(level, text)` writes a line to the server's log."""

    def __init__(self, message, log):
        (_, self.file, self.model_dir, self.version_dir, self.name, self.version, self.config_json, self.batch_rows,
         self.may_unpickle, self.unchecked_outputs) = message
        self.config = json.loads(self.config_json or "{}")
        self.log = log

    @property
    def batches(self):
        return self.batch_rows > 0

    def complete(self, config):
        """Replaces the server's configuration by the model's own."""
        self.config, self.config_json, self.batch_rows = config, json.dumps(config), config.get("max_batch_size", 0)

    def warn(self, text):
        self.log(LOG_WARNING, text)

    def verbose(self, text):
        self.log(LOG_VERBOSE, text)

    def parameter(self, name, default=""):
        """Returns one of the configuration's `parameters`."""
        return self.config.get("parameters", {}).get(name, {}).get("string_value", default)

    @property
    def patience_ms(self):
        worker = self.config.get("inferd", {}).get("worker", {})
        return int(worker.get("hang_timeout_ms", PATIENCE_MS)) or PATIENCE_MS

    @property
    def decoupled(self):
        return bool(self.config.get("model_transaction_policy", {}).get("decoupled", False))

    def tensors(self, kind):
        """Returns the configuration's inputs or outputs, by name. `kind` is "input" or "output"."""
        return {entry["name"]: self.spec(entry) for entry in self.config.get(kind, [])}

    def made_inputs(self):
        """Returns the inputs that the server makes, by name: targets of batch_input, controls and states of sequences.
        Clients do not send them, and the configuration does not list them under `input`."""
        made = {}
        for item in self.config.get("batch_input", []):
            for name in item.get("target_name", []):
                made[name] = TensorSpec(name, tensors.CONFIG_TYPES[item["data_type"]], None, pieces=OF_BATCH)
        sequences = self.config.get("sequence_batching", {})
        lead = (-1,) if self.batches else ()
        for control_input in sequences.get("control_input", []):
            for control in control_input.get("control", []):
                datatype = next((code for field, code in CONTROL_TYPES.items() if control.get(field)), None)
                datatype = datatype or tensors.CONFIG_TYPES[control["data_type"]]
                made[control_input["name"]] = TensorSpec(control_input["name"], datatype, (*lead, 1), pieces=OF_ROWS)
        for state in sequences.get("state", []):
            made[state["input_name"]] = self.spec({**state, "name": state["input_name"]})
        return made

    def made_outputs(self):
        """Returns the states that sequences keep, by name: outputs of the model that clients need not see."""
        states = self.config.get("sequence_batching", {}).get("state", [])
        return {state["output_name"]: self.spec({**state, "name": state["output_name"]}) for state in states}

    def spec(self, entry):
        reshaped = entry.get("reshape", {}).get("shape") if "reshape" in entry else None
        dims = entry.get("dims", []) if reshaped is None else reshaped
        lead = (-1,) if self.batches else ()
        shape = tuple(int(dim) for dim in dims)
        ragged = bool(entry.get("allow_ragged_batch", False))
        if ragged and shape.count(-1) > 1:
            raise ValueError(f"input '{entry['name']}' has allow_ragged_batch and {shape.count(-1)} dimensions of any size, and a model in "
                             "Python can have one: the shape of a request's tensor is found by its elements. Leave allow_ragged_batch out")
        return TensorSpec(entry["name"], tensors.CONFIG_TYPES[entry["data_type"]], (-1,) if ragged else lead + shape,
                          bool(entry.get("optional", False)), row_shape=shape if ragged else None)
