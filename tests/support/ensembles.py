"""Ensembles, and the models of the fake engine that are their steps."""

from support import models

ADD_SUB = """backend: "fake"
max_batch_size: 8
input { name: "INPUT0" data_type: TYPE_INT32 dims: [ 2 ] }
input { name: "INPUT1" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "OUTPUT1" data_type: TYPE_INT32 dims: [ 2 ] }
parameters { key: "behavior" value { string_value: "add_sub" } }
dynamic_batching { }
"""

# SUM = (A + B) + (A - B) = 2 A, DIFFERENCE = (A + B) - (A - B) = 2 B
TWICE = """platform: "ensemble"
max_batch_size: 8
input { name: "A" data_type: TYPE_INT32 dims: [ 2 ] }
input { name: "B" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "SUM" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "DIFFERENCE" data_type: TYPE_INT32 dims: [ 2 ] }
ensemble_scheduling {
  step {
    model_name: "second" model_version: -1
    input_map { key: "INPUT0" value: "plus" } input_map { key: "INPUT1" value: "minus" }
    output_map { key: "OUTPUT0" value: "SUM" } output_map { key: "OUTPUT1" value: "DIFFERENCE" }
  }
  step {
    model_name: "first" model_version: -1
    input_map { key: "INPUT0" value: "A" } input_map { key: "INPUT1" value: "B" }
    output_map { key: "OUTPUT0" value: "plus" } output_map { key: "OUTPUT1" value: "minus" }
  }
}
"""


def add(repository, name, config, version=1):
    models.write_whole(repository / name / "config.pbtxt", config.encode())
    (repository / name / str(version)).mkdir(exist_ok=True)


def twice(repository):
    add(repository, "first", ADD_SUB)
    add(repository, "second", ADD_SUB)
    add(repository, "twice", TWICE)


SPLIT = """backend: "repeat"
model_transaction_policy { decoupled: true }
input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
input { name: "DELAY" data_type: TYPE_UINT32 dims: [ -1 ] optional: true }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "IDX" data_type: TYPE_UINT32 dims: [ 1 ] }
"""

PLUS = """backend: "fake"
input { name: "INPUT0" data_type: TYPE_INT32 dims: [ 1 ] }
input { name: "INPUT1" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUTPUT1" data_type: TYPE_INT32 dims: [ 1 ] }
parameters { key: "behavior" value { string_value: "add_sub" } }
"""

# Returns the sum of ADDEND, which comes once, with each of VALUES in turn.
EACH = """platform: "ensemble"
input { name: "VALUES" data_type: TYPE_INT32 dims: [ -1 ] }
input { name: "DELAYS" data_type: TYPE_UINT32 dims: [ -1 ] optional: true }
input { name: "ADDEND" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "SUM" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "PLACE" data_type: TYPE_UINT32 dims: [ 1 ] }
ensemble_scheduling {
  step {
    model_name: "split"
    input_map { key: "IN" value: "VALUES" } input_map { key: "DELAY" value: "DELAYS" }
    output_map { key: "OUT" value: "one" } output_map { key: "IDX" value: "PLACE" }
  }
  step {
    model_name: "plus"
    input_map { key: "INPUT0" value: "one" } input_map { key: "INPUT1" value: "ADDEND" }
    output_map { key: "OUTPUT0" value: "SUM" }
  }
  MORE
}
"""


def each(repository, more="", plus=PLUS, split=SPLIT):
    add(repository, "split", split)
    add(repository, "plus", plus)
    add(repository, "each", EACH.replace("MORE", more))


ECHO = """backend: "fake"
input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
"""


def branches(repository, steps, inputs="", outputs='output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }'):
    add(repository, "echo", ECHO)
    add(repository, "plus", PLUS)
    add(repository, "choose", f"""platform: "ensemble"
input {{ name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }} {inputs}
{outputs}
ensemble_scheduling {{ {steps} }}
""")


def echo_step(options="", to="OUT", model="echo", taken="IN"):
    return f"""step {{ model_name: "{model}" input_map {{ key: "IN" value: "{taken}" }}
  output_map {{ key: "OUT" value: "{to}" }} inferd {{ {options} }} }}
"""


def double_step(options="", to="OUT"):
    return f"""step {{ model_name: "plus" input_map {{ key: "INPUT0" value: "IN" }} input_map {{ key: "INPUT1" value: "IN" }}
  output_map {{ key: "OUTPUT0" value: "{to}" }} inferd {{ {options} }} }}
"""
