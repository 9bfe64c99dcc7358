// Fuzzes the messages that the worker of a Python model sends to the server. Input: the kind of message, the number of
// bytes of its shared memory, then the message. An accepted message must be written and read again as the same. The
// tensors of a response or a call must lie in the memory, must not exceed it, and must be described again as the same.

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engines/python/message/marshal.h"
#include "engines/python/message/model_call_reader.h"
#include "engines/python/message/response_reader.h"
#include "engines/python/message/value_parts.h"
#include "fuzz/require.h"

namespace inferd::fuzz {
namespace {

using python::MarshalWriter;
using python::Value;

constexpr size_t kRequests = 3;

void Write(MarshalWriter& message, const Value& value) {
  struct Visitor {
    MarshalWriter& message;
    void operator()(std::monostate) const { message.None(); }
    void operator()(bool flag) const { message.Bool(flag); }
    void operator()(int64_t number) const { message.Int(number); }
    void operator()(uint64_t number) const { message.Uint(number); }
    void operator()(double number) const { message.Float(number); }
    void operator()(const std::string& text) const { message.Text(text); }
    void operator()(const Value::Items& items) const {
      message.Tuple(items.size());
      for (const Value& item : items) Write(message, item);
    }
  };
  std::visit(Visitor{message}, value.of);
}

bool Same(const Value& a, const Value& b) {
  if (a.of.index() != b.of.index()) return false;
  if (const auto* const number = std::get_if<double>(&a.of)) {
    return std::bit_cast<uint64_t>(*number) == std::bit_cast<uint64_t>(std::get<double>(b.of));
  }
  const Value::Items* const items = a.items();
  if (items == nullptr) {
    MarshalWriter left;
    MarshalWriter right;
    Write(left, a);
    Write(right, b);
    return left.bytes() == right.bytes();
  }
  if (items->size() != b.items()->size()) return false;
  for (size_t i = 0; i < items->size(); ++i) {
    if (!Same((*items)[i], (*b.items())[i])) return false;
  }
  return true;
}

Value ReadBack(const MarshalWriter& message) {
  auto value = python::ReadMarshal(message.bytes());
  Require(value.has_value(), "what was written is not read");
  return *std::move(value);
}

// The tensors of one message: their places, and their description.
class Tensors final {
 public:
  explicit Tensors(std::span<const std::byte> memory) : memory_(memory) {}

  void Add(MarshalWriter& message, int32_t datatype, const int64_t* shape, size_t rank, const inferd_memory& place) {
    Require(datatype >= 0 && datatype <= INFERD_TYPE_QINT32, "a tensor of no datatype");
    Require(place.kind == INFERD_MEMORY_CPU, "a tensor that lies elsewhere");
    const auto offset = static_cast<size_t>(static_cast<const std::byte*>(place.data) - memory_.data());
    Require(offset <= memory_.size() && place.size <= memory_.size() - offset, "a tensor outside of the memory");
    bytes_ += place.size;
    Require(bytes_ <= memory_.size(), "tensors that are more than the memory");
    message.Int(datatype);
    message.Tuple(rank);
    for (size_t i = 0; i < rank; ++i) message.Int(shape[i]);
    message.Uint(offset);
    message.Uint(place.size);
  }

 private:
  const std::span<const std::byte> memory_;
  size_t bytes_ = 0;
};

std::string TextOf(inferd_text text) { return {text.data, text.size}; }

void AddParameters(MarshalWriter& message, const inferd_text* names, const inferd_parameter* const* values,
                   size_t count) {
  message.Tuple(count);
  for (size_t i = 0; i < count; ++i) python::AddParameter(message, names[i], *values[i]);
}

// A host that writes the description of each response that it receives.
struct Described {
  std::span<const std::byte> memory;
  std::vector<std::string> responses = {};
};
Described* described = nullptr;

void Describe(const inferd_batch* /*batch*/, size_t request, const inferd_response* response) {
  Require(request < kRequests || request == INFERD_ALL_REQUESTS, "a response to no request");
  Require(response->code >= INFERD_OK && response->code <= INFERD_UNAUTHENTICATED, "a response with no code");
  MarshalWriter message;
  message.Tuple(7);
  message.Int(request == INFERD_ALL_REQUESTS ? -1 : static_cast<int64_t>(request));
  message.Bool(response->final != 0);
  message.Int(response->code);
  message.Text(TextOf(response->message));
  message.Tuple(response->output_count);
  Tensors tensors(described->memory);
  for (size_t i = 0; i < response->output_count; ++i) {
    const inferd_output& output = *response->outputs[i];
    message.Tuple(5);
    message.Uint(output.index);
    tensors.Add(message, output.datatype, output.shape, output.rank, output.memory);
  }
  AddParameters(message, response->parameter_names, response->parameters, response->parameter_count);
  message.Bool(response->reschedule != 0);
  described->responses.push_back(message.bytes());
}

void CheckResponse(const Value& value, std::span<const std::byte> bytes) {
  inferd_host host = {};
  host.struct_size = sizeof(host);
  host.respond = Describe;
  inferd_batch batch = {};
  batch.struct_size = sizeof(batch);
  batch.request_count = kRequests;
  Described all{.memory = bytes};
  described = &all;
  const auto send = [&](const Value& description) {
    python::TensorMemory memory(bytes);
    return python::SendResponse(host, batch, description, memory);
  };
  const auto sent = send(value);
  if (!sent.has_value()) {
    Require(sent.error().code() == base::StatusCode::kInternal, "refused as something else than the worker's fault");
    Require(all.responses.empty(), "refused, and handed over");
    return;
  }
  Require(all.responses.size() == 1, "not handed over once");
  const auto again = python::ReadMarshal(all.responses[0]);
  Require(again.has_value() && send(*again).has_value(), "what was taken is not taken again");
  Require(all.responses[1] == all.responses[0], "it is taken as something else");
}

// Returns an empty text if the message is no call.
std::string DescribedCall(const Value& value, std::span<const std::byte> bytes) {
  python::ItemReader items(value);
  python::ModelCallReader reader;
  if (!reader.Read(items, python::TensorMemory(bytes))) return {};
  const inferd_model_call& call = *reader.call();
  MarshalWriter message;
  message.Tuple(11);
  message.Text(TextOf(call.model));
  message.Int(call.version);
  message.Text(TextOf(call.id));
  message.Tuple(call.input_count);
  Tensors tensors(bytes);
  for (size_t i = 0; i < call.input_count; ++i) {
    const inferd_call_tensor& input = *call.inputs[i];
    message.Tuple(5);
    message.Text(TextOf(input.name));
    tensors.Add(message, input.datatype, input.shape, input.rank, input.memory);
  }
  message.Tuple(call.output_count);
  for (size_t i = 0; i < call.output_count; ++i) message.Text(TextOf(call.outputs[i]));
  const inferd_sequence* const sequence = call.sequence;
  if (sequence == nullptr) {
    message.Int(0);
  } else if (sequence->text.size > 0) {
    message.Text(TextOf(sequence->text));
  } else {
    message.Uint(sequence->number);
  }
  message.Int(sequence == nullptr ? 0 : (sequence->start != 0 ? 1 : 0) | (sequence->end != 0 ? 2 : 0));
  AddParameters(message, call.parameter_names, call.parameters, call.parameter_count);
  message.Uint(call.priority);
  message.Uint(call.timeout_us);
  message.Bool(call.decoupled != 0);
  return message.bytes();
}

void CheckCall(const Value& value, std::span<const std::byte> bytes) {
  const std::string first = DescribedCall(value, bytes);
  if (first.empty()) return;
  const auto again = python::ReadMarshal(first);
  Require(again.has_value(), "what was taken is not read again");
  Require(DescribedCall(*again, bytes) == first, "it is taken as something else");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  if (size < 2) return 0;
  const std::vector<char> copy(data + 2, data + size);
  const std::vector<std::byte> memory(data[1]);
  const auto value = python::ReadMarshal({copy.data(), copy.size()});
  if (!value.has_value()) {
    fuzz::RequireRefused(value.error());
    return 0;
  }
  python::MarshalWriter written;
  fuzz::Write(written, *value);
  fuzz::Require(fuzz::Same(*value, fuzz::ReadBack(written)), "what was read is read as something else");
  if (data[0] % 2 == 0) {
    fuzz::CheckResponse(*value, memory);
  } else {
    fuzz::CheckCall(*value, memory);
  }
  return 0;
}
