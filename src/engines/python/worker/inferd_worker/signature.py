"""What a model takes and gives."""

import json
from dataclasses import dataclass

from inferd_worker import tensors

LOG_VERBOSE, LOG_INFO, LOG_WARNING, LOG_ERROR = range(4)
PATIENCE_MS = 300_000  # how long an execution may take, where the configuration does not say


ALTERNATIVE, BODY = 1, 2
# How an input of several requests comes: in a piece for each of them; in one piece, with the rows of one behind those of the other; or
# as one tensor that is all of theirs.
OF_REQUEST, OF_ROWS, OF_BATCH = range(3)
# The datatypes of sequences' controls, by the field with their values. Without one, the control itself says it.
CONTROL_TYPES = {"int32_false_true": tensors.INT32, "fp32_false_true": tensors.FP32, "bool_false_true": tensors.BOOL}


@dataclass(frozen=True)
class TensorSpec:
    name: str
    datatype: int
    shape: tuple | None  # the whole of it; -1: any size; None: any
    optional: bool = False  # inputs: a request may leave it out; outputs: it comes only where a request names it
    labels: tuple = ()  # outputs: what the elements of a row stand for
    any_shape: bool = False  # `shape` is the usual one: the model takes, or gives, others too
    any_datatype: bool = False  # inputs: `datatype` is the usual one, and the model looks at what a request has
    # ALTERNATIVE: clients do not see it, and it stands behind all that they see. Inputs: a request that brings such inputs need not
    # bring the others. Outputs: only such a request may name it. BODY: the same, and front-ends alone name it.
    alternative: int = 0
    pieces: int = OF_REQUEST  # inputs, where the model does not want whole batches

    def described(self, where):
        """As the server reads it. Raises TypeError for a value of another type: handlers take names from files, where they may be
        anything."""
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
    whole_batches: bool  # the inputs of a batch are wanted as one array each
    decoupled: bool = False
    sequences: bool = False
    independent_rows: bool = False  # rows of the first dimension do not influence each other: requests may share executions
    completed_rows: int = 0  # the max_batch_size that the model adds to its configuration; 0: none
    completed_dynamic: bool = False  # it adds dynamic_batching
    checks_readiness: bool = False  # the model says whether it is ready
    may_be_missing: bool = False  # a response may come without some of the outputs
    unchecked: bool = False  # outputs may have other datatypes and shapes than those here
    completed_tensors: bool = False  # the model adds its inputs and outputs to the configuration,
    completed_policy: bool = False  # and says there whether it is decoupled

    def described(self):
        inputs, outputs = (tuple(tensor.described(f"{kind} {index}") for index, tensor in enumerate(specs))
                           for kind, specs in (("input", self.inputs), ("output", self.outputs)))
        return (self.whole_batches, self.decoupled, self.sequences, self.independent_rows, inputs, outputs, self.completed_rows,
                self.completed_dynamic, self.checks_readiness, self.may_be_missing, self.unchecked, self.completed_tensors,
                self.completed_policy)

    def output_index(self, name):
        """-1: there is none."""
        return next((index for index, output in enumerate(self.outputs) if output.name == name), -1)


class Load:
    """The model, as the server describes it. `log(level, text)` writes a line into the server's log."""

    def __init__(self, message, log):
        (_, self.file, self.model_dir, self.version_dir, self.name, self.version, self.config_json, self.batch_rows,
         self.may_unpickle, self.unchecked_outputs) = message
        self.config = json.loads(self.config_json or "{}")
        self.log = log

    @property
    def batches(self):
        return self.batch_rows > 0

    def complete(self, config):
        """In place of the configuration that the server has: the model's own."""
        self.config, self.config_json, self.batch_rows = config, json.dumps(config), config.get("max_batch_size", 0)

    def warn(self, text):
        self.log(LOG_WARNING, text)

    def verbose(self, text):
        self.log(LOG_VERBOSE, text)

    def parameter(self, name, default=""):
        """One of the configuration's `parameters`."""
        return self.config.get("parameters", {}).get(name, {}).get("string_value", default)

    @property
    def patience_ms(self):
        worker = self.config.get("inferd", {}).get("worker", {})
        return int(worker.get("hang_timeout_ms", PATIENCE_MS)) or PATIENCE_MS

    @property
    def decoupled(self):
        return bool(self.config.get("model_transaction_policy", {}).get("decoupled", False))

    def tensors(self, kind):
        """The configuration's inputs or outputs, by name; `kind` is "input" or "output"."""
        return {entry["name"]: self.spec(entry) for entry in self.config.get(kind, [])}

    def made_inputs(self):
        """What the server makes of requests, by name: targets of batch_input, controls and states of sequences. No client sends it,
        and the configuration does not list it under `input`."""
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
        """The states that sequences keep, by name: outputs of the model that clients need not see."""
        states = self.config.get("sequence_batching", {}).get("state", [])
        return {state["output_name"]: self.spec({**state, "name": state["output_name"]}) for state in states}

    def spec(self, entry):
        reshaped = entry.get("reshape", {}).get("shape") if "reshape" in entry else None
        dims = entry.get("dims", []) if reshaped is None else reshaped
        lead = (-1,) if self.batches else ()
        return TensorSpec(entry["name"], tensors.CONFIG_TYPES[entry["data_type"]], lead + tuple(int(dim) for dim in dims),
                          bool(entry.get("optional", False)))
