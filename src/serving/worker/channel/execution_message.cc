#include "serving/worker/channel/execution_message.h"

#include <algorithm>
#include <optional>

#include "base/buffer.h"
#include "base/device_memory.h"
#include "serving/core/request/request_trace.h"
#include "serving/core/request/response_parameters.h"

namespace inferd::worker {

namespace {

constexpr size_t kPieceBytes = sizeof(uint8_t) + 2 * sizeof(uint64_t);
constexpr size_t kInputBytesMin = 2 * sizeof(int32_t) + 2 * sizeof(uint64_t);
constexpr size_t kRequestBytesMin = 4 * sizeof(uint64_t) + 2 * sizeof(uint8_t);
constexpr size_t kTensorBytesMin = sizeof(int32_t) + 3 * sizeof(uint64_t) + sizeof(uint32_t);

// Allocates from the area, from its beginning.
class Placement {
 public:
  explicit Placement(std::span<std::byte> area) : area_(area) {}

  // Returns null if there is no room. kBufferSlack follows every piece.
  std::byte* Next(size_t bytes, size_t alignment) {
    const size_t begin = (used_ + alignment - 1) / alignment * alignment;
    if (begin > area_.size() || bytes > area_.size() - begin) return nullptr;
    if (area_.size() - begin - bytes < base::kBufferSlack) return nullptr;
    used_ = begin + bytes;
    return area_.data() + begin;
  }
  uint64_t OffsetOf(const std::byte* place) const { return static_cast<uint64_t>(place - area_.data()); }

 private:
  const std::span<std::byte> area_;
  size_t used_ = 0;
};

base::Status TooLarge(const core::Execution& execution, size_t area_bytes) {
  uint64_t bytes = 0;
  for (const core::ExecutionInput& input : execution.inputs) {
    for (const base::BufferSlice& piece : input.pieces) bytes += piece.size();
  }
  return base::InvalidArgument("the inputs of an execution have " + std::to_string(bytes) +
                               " bytes; the model's worker process shares " + std::to_string(area_bytes) +
                               " for them (inferd { worker { shared_memory_bytes } })");
}

enum class Area : uint8_t { kCall = 0, kBodies = 1 };

void AddPlace(MessageWriter& writer, Area area, uint64_t offset, size_t bytes) {
  writer.Add(static_cast<uint8_t>(area));
  writer.Add(offset);
  writer.Add(static_cast<uint64_t>(bytes));
}

// Returns the piece's offset among the bodies. nullopt if it is elsewhere, or placed so that the engine could not take
// it.
std::optional<uint64_t> FindAmongBodies(const base::BufferSlice& piece, std::span<const std::byte> bodies,
                                        size_t alignment) {
  const auto address = reinterpret_cast<uintptr_t>(piece.data());
  const auto begin = reinterpret_cast<uintptr_t>(bodies.data());
  if (piece.empty() || address < begin || address >= begin + bodies.size()) return std::nullopt;
  const uint64_t offset = address - begin;
  if (offset % alignment != 0 || piece.size() > bodies.size() - offset) return std::nullopt;
  return offset;
}

// Returns false if there is no room.
base::Result<bool> PlaceInput(const core::ExecutionInput& input, const ModelDescription::Input& wish,
                              std::span<const std::byte> bodies, Placement& placement, MessageWriter& writer) {
  const size_t alignment = std::max(wish.alignment, base::kBufferAlignment);
  writer.Add(static_cast<int32_t>(input.index));
  writer.Add(static_cast<int32_t>(input.datatype));
  writer.AddShape(input.shape);
  if (wish.one_piece && input.pieces.size() > 1) {
    size_t bytes = 0;
    for (const base::BufferSlice& piece : input.pieces) bytes += piece.size();
    std::byte* place = placement.Next(bytes, alignment);
    if (place == nullptr) return false;
    writer.Add(uint64_t{1});
    AddPlace(writer, Area::kCall, placement.OffsetOf(place), bytes);
    for (const base::BufferSlice& piece : input.pieces) {
      INFERD_RETURN_IF_ERROR(base::CopyBytes(piece.data(), piece.place(), place, {}, piece.size()));
      place += piece.size();
    }
    return true;
  }
  writer.Add(static_cast<uint64_t>(input.pieces.size()));
  for (const base::BufferSlice& piece : input.pieces) {
    if (const auto offset = FindAmongBodies(piece, bodies, wish.alignment)) {
      AddPlace(writer, Area::kBodies, *offset, piece.size());
      continue;
    }
    std::byte* const place = placement.Next(piece.size(), alignment);
    if (place == nullptr) return false;
    AddPlace(writer, Area::kCall, placement.OffsetOf(place), piece.size());
    INFERD_RETURN_IF_ERROR(base::CopyBytes(piece.data(), piece.place(), place, {}, piece.size()));
  }
  return true;
}

bool ReadInput(MessageReader& reader, const InputAreas& areas, core::ExecutionInput& input) {
  input.index = reader.Take<int32_t>();
  input.datatype = static_cast<tensor::DataType>(reader.Take<int32_t>());
  input.shape = reader.TakeShape(0);
  const size_t pieces = reader.TakeCount(kPieceBytes);
  for (size_t i = 0; i < pieces; ++i) {
    const auto which = reader.Take<uint8_t>();
    const auto offset = reader.Take<uint64_t>();
    const auto bytes = reader.Take<uint64_t>();
    if (which > static_cast<uint8_t>(Area::kBodies)) return false;
    const std::span<const std::byte> area = which == static_cast<uint8_t>(Area::kBodies) ? areas.bodies : areas.call;
    if (offset > area.size() || bytes > area.size() - offset) return false;
    input.pieces.emplace_back(base::Buffer(), area.data() + offset, bytes);
  }
  return reader.ok();
}

base::Status Unreadable(std::string_view what) {
  return base::Internal("the worker process and its server do not understand each other: " + std::string(what) +
                        " cannot be read");
}

}  // namespace

base::Result<PlacedCall> PlaceCall(const core::Execution& execution, const ModelDescription& model,
                                   const InputAreas& areas, MessageWriter& writer) {
  Placement placement(areas.call);
  writer.Clear();
  writer.Add(static_cast<uint64_t>(execution.rows.size()));
  for (size_t i = 0; i < execution.rows.size(); ++i) {
    writer.Add(execution.rows[i]);
    writer.Add(static_cast<uint8_t>(execution.FillsUp(i)));
    writer.AddText(execution.request(i).id);
    writer.AddParameters(execution.request(i).parameters);
    writer.AddSequence(execution.request(i).sequence);
    writer.Add(execution.request(i).timeout_us);
    writer.AddText(core::TraceparentOf(execution.request(i)));
  }
  writer.Add(static_cast<uint64_t>(execution.outputs.size()));
  for (const int output : execution.outputs) writer.Add(static_cast<int32_t>(output));
  writer.Add(static_cast<uint64_t>(execution.inputs.size()));
  for (const core::ExecutionInput& input : execution.inputs) {
    if (input.index < 0 || static_cast<size_t>(input.index) >= model.inputs.size()) {
      return std::unexpected(base::Internal("an execution names input " + std::to_string(input.index) + " of " +
                                            std::to_string(model.inputs.size())));
    }
    INFERD_ASSIGN_OR_RETURN(const bool fits,
                            PlaceInput(input, model.inputs[input.index], areas.bodies, placement, writer));
    if (!fits) return std::unexpected(TooLarge(execution, areas.call.size()));
  }
  const std::string_view message = writer.text();
  std::byte* place = placement.Next(message.size(), base::kBufferAlignment);
  if (place == nullptr) return std::unexpected(TooLarge(execution, areas.call.size()));
  std::memcpy(place, message.data(), message.size());
  return PlacedCall{.offset = placement.OffsetOf(place), .bytes = message.size()};
}

base::Status ReadCall(std::string_view message, const InputAreas& areas, core::Execution& execution,
                      std::vector<CalledRequest>& requests) {
  MessageReader reader(message);
  const size_t request_count = reader.TakeCount(sizeof(int64_t) + kRequestBytesMin);
  execution.rows.clear();
  requests.resize(request_count);
  for (CalledRequest& called : requests) {
    execution.rows.push_back(reader.Take<int64_t>());
    called.fills_up = reader.TakeBool();
    called.request.id = reader.TakeText();
    called.request.parameters = reader.TakeParameters();
    called.request.sequence = reader.TakeSequence();
    called.request.timeout_us = reader.Take<uint64_t>();
    called.request.traceparent = reader.TakeText();
  }
  execution.outputs.clear();
  const size_t outputs = reader.TakeCount(sizeof(int32_t));
  for (size_t i = 0; i < outputs; ++i) execution.outputs.push_back(reader.Take<int32_t>());
  execution.inputs.clear();
  const size_t inputs = reader.TakeCount(kInputBytesMin);
  for (size_t i = 0; i < inputs; ++i) {
    if (!ReadInput(reader, areas, execution.inputs.emplace_back())) return Unreadable("a call");
  }
  return reader.Finished() ? base::OkStatus() : Unreadable("a call");
}

void WriteAnswer(const PlacedAnswer& answer, MessageWriter& writer) {
  writer.Clear();
  writer.Add(static_cast<int32_t>(answer.status.code()));
  writer.AddText(answer.status.message());
  writer.Add(static_cast<uint64_t>(answer.outputs.size()));
  for (const PlacedTensor& output : answer.outputs) {
    writer.Add(static_cast<int32_t>(output.datatype));
    writer.AddShape(output.shape);
    writer.Add(output.offset);
    writer.Add(output.bytes);
    writer.Add(output.block);
  }
  writer.AddParameters(answer.parameters);
  writer.Add(static_cast<uint32_t>(answer.reschedule ? 1 : 0));
}

base::Result<PlacedAnswer> ReadAnswer(std::string_view message) {
  MessageReader reader(message);
  PlacedAnswer answer;
  const auto code = reader.Take<int32_t>();
  const std::string_view why = reader.TakeText();
  const bool known = code >= 0 && code <= static_cast<int32_t>(base::StatusCode::kUnauthenticated);
  if (!known) reader.Refuse();
  answer.status = base::Status(static_cast<base::StatusCode>(code), std::string(why));
  const size_t outputs = reader.TakeCount(kTensorBytesMin);
  for (size_t i = 0; i < outputs; ++i) {
    PlacedTensor& output = answer.outputs.emplace_back();
    output.datatype = static_cast<tensor::DataType>(reader.Take<int32_t>());
    output.shape = reader.TakeShape(0);
    output.offset = reader.Take<uint64_t>();
    output.bytes = reader.Take<uint64_t>();
    output.block = reader.Take<uint32_t>();
  }
  answer.parameters = reader.TakeParameters(core::kResponseParametersMax);
  answer.reschedule = reader.Take<uint32_t>() != 0;
  if (!reader.Finished()) return std::unexpected(Unreadable("an answer"));
  INFERD_RETURN_IF_ERROR(core::CheckResponseParameters(answer.parameters).WithContext("an answer"));
  return answer;
}

}  // namespace inferd::worker
