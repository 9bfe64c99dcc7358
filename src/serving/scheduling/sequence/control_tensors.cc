#include "serving/scheduling/sequence/control_tensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace inferd::scheduling {

namespace {

using config::SequenceControlKind;
using tensor::DataType;

// Also accepts a text that is a number, so that clients with one kind of id can use models with the other.
std::optional<uint64_t> NumberOf(const core::Sequence& sequence) {
  if (const auto* number = std::get_if<uint64_t>(&sequence.id)) return *number;
  const std::string& text = std::get<std::string>(sequence.id);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string TextOf(const core::Sequence& sequence) {
  if (const auto* text = std::get_if<std::string>(&sequence.id)) return *text;
  return std::to_string(std::get<uint64_t>(sequence.id));
}

uint64_t LargestOf(DataType datatype) {
  switch (datatype) {
    case DataType::kInt32: return std::numeric_limits<int32_t>::max();
    case DataType::kUint32: return std::numeric_limits<uint32_t>::max();
    case DataType::kInt64: return std::numeric_limits<int64_t>::max();
    default: return std::numeric_limits<uint64_t>::max();
  }
}

// Writes elements in sequence.
class Writer final {
 public:
  explicit Writer(std::byte* at) : at_(at) {}

  template <typename T>
  void Write(T value) {
    std::memcpy(at_, &value, sizeof(value));
    at_ += sizeof(value);
  }
  void WriteText(std::string_view text) {
    Write(static_cast<uint32_t>(text.size()));
    at_ = std::ranges::copy(std::as_bytes(std::span(text)), at_).out;
  }

 private:
  std::byte* at_;
};

bool IsSet(SequenceControlKind kind, const QueueEntry& entry) {
  if (entry.idle) return false;
  const core::Sequence& sequence = entry.queued.request->sequence;
  switch (kind) {
    case SequenceControlKind::kStart: return sequence.start;
    case SequenceControlKind::kEnd: return sequence.end;
    case SequenceControlKind::kReady: return true;
    case SequenceControlKind::kCorrid: return false;
  }
  return false;
}

void WriteFlag(const ControlTensor& control, bool set, Writer& writer) {
  const double value = set ? control.true_value : control.false_value;
  switch (control.datatype) {
    case DataType::kInt32: return writer.Write(static_cast<int32_t>(value));
    case DataType::kFp32: return writer.Write(static_cast<float>(value));
    default: return writer.Write(static_cast<uint8_t>(value != 0 ? 1 : 0));
  }
}

void WriteNumber(DataType datatype, uint64_t id, Writer& writer) {
  if (tensor::ElementSize(datatype) == sizeof(uint32_t)) return writer.Write(static_cast<uint32_t>(id));
  writer.Write(id);
}

int64_t RowsOf(const ControlTensor& control, const QueueEntry& entry) {
  return control.by_rows ? entry.queued.layout.rows : 1;
}

base::Buffer MakeFlags(const ControlTensor& control, std::span<const std::unique_ptr<QueueEntry>> members,
                       int64_t rows) {
  base::Buffer buffer = base::Buffer::Allocate(static_cast<size_t>(rows) * tensor::ElementSize(control.datatype));
  Writer writer(buffer.data());
  int64_t left = rows;
  for (const auto& member : members) {
    const bool set = IsSet(control.kind, *member);
    for (int64_t row = RowsOf(control, *member); row > 0; --row, --left) WriteFlag(control, set, writer);
  }
  for (; left > 0; --left) WriteFlag(control, false, writer);
  return buffer;
}

base::Buffer MakeNumbers(const ControlTensor& control, std::span<const std::unique_ptr<QueueEntry>> members,
                         int64_t rows) {
  base::Buffer buffer = base::Buffer::Allocate(static_cast<size_t>(rows) * tensor::ElementSize(control.datatype));
  Writer writer(buffer.data());
  int64_t left = rows;
  for (const auto& member : members) {
    const uint64_t id = member->idle ? 0 : NumberOf(member->queued.request->sequence).value_or(0);
    for (int64_t row = RowsOf(control, *member); row > 0; --row, --left) WriteNumber(control.datatype, id, writer);
  }
  for (; left > 0; --left) WriteNumber(control.datatype, 0, writer);
  return buffer;
}

base::Buffer MakeTexts(const ControlTensor& control, std::span<const std::unique_ptr<QueueEntry>> members,
                       int64_t rows) {
  std::vector<std::string> texts;
  size_t bytes = 0;
  for (const auto& member : members) {
    const std::string text = member->idle ? std::string() : TextOf(member->queued.request->sequence);
    for (int64_t row = RowsOf(control, *member); row > 0; --row) texts.push_back(text);
  }
  texts.resize(static_cast<size_t>(rows));
  for (const std::string& text : texts) bytes += sizeof(uint32_t) + text.size();
  base::Buffer buffer = base::Buffer::Allocate(bytes);
  Writer writer(buffer.data());
  for (const std::string& text : texts) writer.WriteText(text);
  return buffer;
}

}  // namespace

base::Result<std::vector<ControlTensor>> MakeControlTensors(const config::ModelConfig& config,
                                                            const core::ModelSignature& signature,
                                                            const core::ModelSignature& engine) {
  std::vector<ControlTensor> controls;
  if (!config.sequence_batching.has_value()) return controls;
  for (const config::SequenceControl& control : config.sequence_batching->controls) {
    const int index = engine.FindInput(control.name);
    if (index < 0) {
      return std::unexpected(
          base::InvalidArgument("the model has no input '" + control.name + "', which sequence_batching makes"));
    }
    const bool by_rows = signature.max_batch_size > 0;
    const core::TensorSpec& spec = engine.inputs[static_cast<size_t>(index)];
    controls.push_back({.engine_input = index,
                        .kind = control.kind,
                        .datatype = control.datatype,
                        .false_value = control.false_value,
                        .true_value = control.true_value,
                        .by_rows = by_rows,
                        .column = by_rows && (spec.unknown_rank || spec.shape.rank() != 1)});
  }
  return controls;
}

base::Status CheckCorrid(const core::Sequence& sequence, DataType datatype) {
  if (datatype == DataType::kBytes) return base::OkStatus();
  const std::string type = " for CONTROL_SEQUENCE_CORRID of type " + std::string(tensor::DataTypeName(datatype));
  const std::optional<uint64_t> number = NumberOf(sequence);
  if (!number.has_value()) {
    return base::InvalidArgument("correlation ID '" + TextOf(sequence) + "' is not a number" + type);
  }
  if (*number <= LargestOf(datatype)) return base::OkStatus();
  return base::InvalidArgument("correlation ID " + TextOf(sequence) + " is too large" + type);
}

void LayOutControl(const ControlTensor& control, std::span<const std::unique_ptr<QueueEntry>> members, int64_t padding,
                   core::ExecutionInput& input) {
  int64_t rows = padding;
  for (const auto& member : members) rows += RowsOf(control, *member);
  base::Buffer data = control.kind != SequenceControlKind::kCorrid ? MakeFlags(control, members, rows)
                      : control.datatype == DataType::kBytes       ? MakeTexts(control, members, rows)
                                                                   : MakeNumbers(control, members, rows);
  input.index = control.engine_input;
  input.datatype = control.datatype;
  input.shape = control.column ? tensor::Shape{rows, 1} : tensor::Shape{rows};
  input.pieces.clear();
  input.pieces.push_back(base::BufferSlice(std::move(data)));
}

}  // namespace inferd::scheduling
