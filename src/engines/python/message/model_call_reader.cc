#include "engines/python/message/model_call_reader.h"

#include <optional>
#include <string>

#include "engines/kit/parameters.h"

namespace inferd::python {

namespace {

// Writes the beginning of a reply. The caller appends outputs and parameters.
void Begin(uint64_t number, const AskEnd& end, bool final, size_t bytes, MarshalWriter& message) {
  message.Tuple(10);
  message.Text("reply");
  message.Uint(number);
  message.Int(static_cast<int64_t>(end.status.code()));
  message.Text(end.status.message());
  message.Bool(end.submitted);
  message.Bool(final);
  message.Float(end.value);
  message.Uint(bytes);
}

}  // namespace

bool ModelCallReader::Read(ItemReader& items, TensorMemory memory) {
  call_.struct_size = sizeof(call_);
  call_.model = ToText(items.Text());
  call_.version = items.Int();
  call_.id = ToText(items.Text());
  const Value::Items& inputs = items.Items();
  for (const Value& output : items.Items()) {
    if (output.text() == nullptr) return false;
    outputs_.push_back(ToText(*output.text()));
  }
  const Value& sequence = items.Any();
  const uint64_t flags = items.Uint();
  const Value::Items& parameters = items.Items();
  call_.priority = items.Uint();
  call_.timeout_us = items.Uint();
  call_.decoupled = items.Flag() ? 1 : 0;
  if (!items.Finished()) return false;
  call_.outputs = outputs_.data();
  call_.output_count = outputs_.size();
  return ReadInputs(inputs, memory) && ReadSequence(sequence, flags) && ReadParameters(parameters);
}

bool ModelCallReader::ReadInputs(const Value::Items& list, TensorMemory& memory) {
  for (const Value& item : list) {
    ItemReader items(item);
    inferd_call_tensor& input = inputs_.emplace_back();
    PlacedTensor& placed = placed_.emplace_back();
    input.struct_size = sizeof(input);
    input.name = ToText(items.Text());
    if (!ReadPlaced(items, memory, placed) || !items.Finished()) return false;
    input.datatype = placed.datatype;
    input.shape = placed.shape.data();
    input.rank = placed.shape.size();
    input.memory = placed.memory;
    input_list_.push_back(&input);
  }
  call_.inputs = input_list_.data();
  call_.input_count = input_list_.size();
  return true;
}

bool ModelCallReader::ReadSequence(const Value& id, uint64_t flags) {
  sequence_.struct_size = sizeof(sequence_);
  sequence_.start = static_cast<int32_t>(flags & 1);
  sequence_.end = static_cast<int32_t>(flags >> 1 & 1);
  if (const std::string* const text = id.text()) {
    if (text->empty()) return true;
    sequence_.text = ToText(*text);
  } else if (const std::optional<uint64_t> number = id.unsigned_number()) {
    if (*number == 0) return true;
    sequence_.number = *number;
  } else {
    return false;
  }
  call_.sequence = &sequence_;
  return true;
}

bool ModelCallReader::ReadParameters(const Value::Items& list) {
  for (const Value& item : list) {
    ItemReader items(item);
    names_.push_back(ToText(items.Text()));
    inferd_parameter& parameter = parameters_.emplace_back();
    if (!ReadParameter(items.Any(), parameter) || !items.Finished()) return false;
    parameter_list_.push_back(&parameter);
  }
  call_.parameter_names = names_.data();
  call_.parameters = parameter_list_.data();
  call_.parameter_count = parameter_list_.size();
  return true;
}

void WriteReply(uint64_t number, const AskEnd& end, MarshalWriter& message) {
  Begin(number, end, /*final=*/true, 0, message);
  message.Tuple(0);
  message.Tuple(0);
}

void WriteCallResponse(uint64_t number, const inferd_call_response& response,
                       const base::Result<InputBlocks::Block>& block, size_t bytes, MarshalWriter& message) {
  AskEnd end{.status = {static_cast<base::StatusCode>(response.code), std::string(kit::ToView(response.message))},
             .submitted = response.submitted != 0};
  if (!block.has_value()) end.status = block.error();
  Begin(number, end, response.final != 0, bytes, message);
  message.Tuple(block.has_value() ? response.output_count : 0);
  size_t offset = block.has_value() ? block->offset : 0;
  for (size_t i = 0; block.has_value() && i < response.output_count; ++i) {
    const inferd_call_tensor& output = *response.outputs[i];
    message.Tuple(5);
    message.Text(kit::ToView(output.name));
    message.Int(output.datatype);
    message.Tuple(output.rank);
    for (size_t d = 0; d < output.rank; ++d) message.Int(output.shape[d]);
    message.Uint(offset);
    message.Uint(output.memory.size);
    offset += InputBlocks::Aligned(output.memory.size);
  }
  message.Tuple(response.parameter_count);
  for (size_t i = 0; i < response.parameter_count; ++i) {
    AddParameter(message, response.parameter_names[i], *response.parameters[i]);
  }
}

}  // namespace inferd::python
