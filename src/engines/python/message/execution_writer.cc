#include "engines/python/message/execution_writer.h"

#include <string_view>

#include "engines/kit/parameters.h"
#include "engines/python/message/value_parts.h"

namespace inferd::python {

namespace {

// The fields of a request, without its tensors.
struct Said {
  inferd_text id;
  inferd_sequence sequence;  // valid if `in_sequence`
  bool in_sequence;
  uint64_t timeout_us;
  inferd_text traceparent;
  size_t parameter_count;

  bool nothing() const {
    return id.size == 0 && !in_sequence && timeout_us == 0 && traceparent.size == 0 && parameter_count == 0;
  }
};

size_t CountParameters(const ExecutionOrder& order, size_t request) {
  inferd_text name = {};
  inferd_parameter value = {};
  value.struct_size = sizeof(value);
  size_t count = 0;
  while (order.host.parameter_at(&order.batch, request, count, &name, &value) != 0) ++count;
  return count;
}

Said WhatIsSaid(const ExecutionOrder& order, size_t request) {
  const inferd_host& host = order.host;
  Said said = {};
  said.id = host.request_id(&order.batch, request);
  said.sequence.struct_size = sizeof(said.sequence);
  said.in_sequence = host.sequence(&order.batch, request, &said.sequence) != 0;
  if (INFERD_HAS_FIELD(inferd_host, &host, traceparent)) {
    said.timeout_us = host.timeout_us(&order.batch, request);
    said.traceparent = host.traceparent(&order.batch, request);
  }
  said.parameter_count = CountParameters(order, request);
  return said;
}

void WriteSequence(const Said& said, MarshalWriter& message) {
  const inferd_sequence& sequence = said.sequence;
  if (!said.in_sequence) {
    message.Int(0);
    message.Int(0);
    return;
  }
  if (sequence.text.size > 0) {
    message.Text(kit::ToView(sequence.text));
  } else {
    message.Uint(sequence.number);
  }
  message.Int((sequence.start != 0 ? 1 : 0) | (sequence.end != 0 ? 2 : 0));
}

void WriteParameters(const ExecutionOrder& order, size_t request, size_t count, MarshalWriter& message) {
  inferd_text name = {};
  inferd_parameter value = {};
  value.struct_size = sizeof(value);
  message.Tuple(count);
  for (size_t i = 0; i < count; ++i) {
    order.host.parameter_at(&order.batch, request, i, &name, &value);
    AddParameter(message, name, value);
  }
}

// Writes the rows alone if all other fields are empty.
void WriteRequest(const ExecutionOrder& order, size_t request, MarshalWriter& message) {
  const Said said = WhatIsSaid(order, request);
  if (said.nothing()) return message.Int(order.batch.rows[request]);
  message.Tuple(7);
  message.Text(kit::ToView(said.id));
  message.Int(order.batch.rows[request]);
  WriteSequence(said, message);
  message.Uint(said.timeout_us);
  message.Text(kit::ToView(said.traceparent));
  WriteParameters(order, request, said.parameter_count, message);
}

// Writes an input whose pieces begin at `offset`. Returns the offset after them.
size_t WriteInput(const inferd_input& input, size_t offset, MarshalWriter& message) {
  message.Tuple(4);
  message.Uint(input.index);
  message.Int(input.datatype);
  message.Tuple(input.rank);
  for (size_t d = 0; d < input.rank; ++d) message.Int(input.shape[d]);
  message.Tuple(input.piece_count);
  for (size_t p = 0; p < input.piece_count; ++p) {
    message.Tuple(2);
    message.Uint(offset);
    message.Uint(input.pieces[p].size);
    offset += InputBlocks::Aligned(input.pieces[p].size);
  }
  return offset;
}

}  // namespace

void WriteExecution(const ExecutionOrder& order, MarshalWriter& message) {
  const inferd_batch& batch = order.batch;
  message.Clear();
  message.Tuple(6);
  message.Text("execute");
  message.Uint(order.number);
  message.Uint(order.bytes);
  message.Tuple(batch.output_count);
  for (size_t i = 0; i < batch.output_count; ++i) message.Uint(batch.outputs[i]);
  message.Tuple(batch.request_count);
  for (size_t request = 0; request < batch.request_count; ++request) WriteRequest(order, request, message);
  message.Tuple(batch.input_count);
  size_t offset = order.block.offset;
  for (size_t i = 0; i < batch.input_count; ++i) offset = WriteInput(*batch.inputs[i], offset, message);
}

}  // namespace inferd::python
