#include "serving/enginehost/batch/batch_inputs.h"

#include <cstring>
#include <string>

#include "base/device_memory.h"
#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "serving/enginehost/model/abi_values.h"
#include "serving/enginehost/transfer/staged_input.h"

namespace inferd::enginehost {

namespace {

size_t TotalBytes(const core::ExecutionInput& input) {
  size_t bytes = 0;
  for (const base::BufferSlice& piece : input.pieces) bytes += piece.size();
  return bytes;
}

// Never returns null: engines may pass the pointer of an empty tensor to a library that checks it.
const std::byte* NotNull(const std::byte* data) {
  alignas(base::kBufferAlignment) static constexpr std::byte kNothing[base::kBufferSlack] = {};
  return data == nullptr ? kNothing : data;
}

base::Status CheckSize(const core::TensorSpec& spec, const core::ExecutionInput& input) {
  if (input.datatype == tensor::DataType::kBytes) return base::OkStatus();  // checked when an engine wants elements
  const auto expected = tensor::ByteSize(input.datatype, input.shape);
  if (!expected) return expected.error().WithContext("input '" + spec.name + "'");
  const size_t bytes = TotalBytes(input);
  if (*expected == bytes) return base::OkStatus();
  return base::InvalidArgument("input '" + spec.name + "' has " + std::to_string(bytes) + " bytes, but " +
                               std::to_string(*expected) + " are expected for shape " + input.shape.ToString() +
                               " of " + std::string(tensor::DataTypeName(input.datatype)));
}

}  // namespace

base::Status BatchInputs::Prepare(const LoadedModel& model, const InstanceSeat& seat,
                                  const core::Execution& execution) {
  // Reserve room first: the vectors below are pointed into while they grow.
  size_t pieces = 0;
  for (const core::ExecutionInput& input : execution.inputs) pieces += input.pieces.size();
  inputs_.reserve(execution.inputs.size());
  list_.reserve(execution.inputs.size());
  pieces_.reserve(pieces);
  elements_.reserve(pieces);
  for (const core::ExecutionInput& input : execution.inputs) INFERD_RETURN_IF_ERROR(Add(model, seat, input));
  return pending_.Await();
}

void BatchInputs::Clear() {
  static_cast<void>(pending_.Await());  // after an error, some may still be running
  inputs_.clear();
  list_.clear();
  pieces_.clear();
  elements_.clear();
  copies_.clear();
}

base::Status BatchInputs::Add(const LoadedModel& model, const InstanceSeat& seat, const core::ExecutionInput& input) {
  const auto& specs = model.signature().inputs;
  if (input.index < 0 || static_cast<size_t>(input.index) >= specs.size()) {
    return base::Internal("an execution names input " + std::to_string(input.index) + " of " +
                          std::to_string(specs.size()));
  }
  const core::TensorSpec& spec = specs[input.index];
  const InputWish& wish = model.wish(input.index);
  if (input.datatype != spec.datatype && !spec.any_datatype) {
    return base::InvalidArgument("input '" + spec.name + "' has datatype " +
                                 std::string(tensor::DataTypeName(input.datatype)) + ", but " +
                                 std::string(tensor::DataTypeName(spec.datatype)) + " is expected");
  }
  INFERD_RETURN_IF_ERROR(CheckSize(spec, input));
  inferd_input abi = {};
  abi.struct_size = sizeof(abi);
  abi.index = static_cast<uint32_t>(input.index);
  abi.datatype = static_cast<int32_t>(input.datatype);
  abi.shape = input.shape.dims().data();
  abi.rank = input.shape.rank();
  abi.bytes_form = wish.elements ? INFERD_BYTES_ELEMENTS : INFERD_BYTES_PACKED;
  const size_t first = pieces_.size();
  if (wish.elements) {
    INFERD_RETURN_IF_ERROR(AddElements(spec, wish, input));
  } else {
    INFERD_RETURN_IF_ERROR(AddBytes(model, seat, wish, input));
  }
  abi.pieces = pieces_.data() + first;
  abi.piece_count = pieces_.size() - first;
  inputs_.push_back(abi);
  list_.push_back(&inputs_.back());
  return base::OkStatus();
}

base::Status BatchInputs::AddBytes(const LoadedModel& model, const InstanceSeat& seat, const InputWish& wish,
                                   const core::ExecutionInput& input) {
  const InputPlaces places(model, seat, static_cast<uint32_t>(input.index), wish);
  if (wish.one_piece && input.pieces.size() != 1) return Copy(model, places, input.pieces, wish.alignment);
  for (const base::BufferSlice& piece : input.pieces) {
    const base::MemoryPlace place = piece.place();
    const std::byte* const data = NotNull(piece.data());
    const bool misaligned = (reinterpret_cast<uintptr_t>(data) & (wish.alignment - 1)) != 0;
    if (misaligned || !places.Takes(place)) {
      INFERD_RETURN_IF_ERROR(Copy(model, places, {&piece, 1}, wish.alignment));
    } else {
      pieces_.push_back({data, piece.size(), static_cast<int32_t>(place.kind), place.device});
    }
  }
  return base::OkStatus();
}

base::Status BatchInputs::AddElements(const core::TensorSpec& spec, const InputWish& wish,
                                      const core::ExecutionInput& input) {
  size_t first = elements_.size();
  size_t total = 0;
  for (const base::BufferSlice& piece : input.pieces) {
    const base::Result<size_t> count = tensor::CountPacked(piece.bytes());
    if (!count) return count.error().WithContext("input '" + spec.name + "'");
    total += *count;
    if (elements_.size() == first || !wish.one_piece) elements_.emplace_back();
    elements_.back().reserve(elements_.back().size() + *count);
    for (const std::string_view element : tensor::PackedElements(piece.bytes())) {
      elements_.back().push_back(ToText(element));
    }
  }
  INFERD_ASSIGN_OR_RETURN(const size_t expected, tensor::ElementCount(input.shape));
  if (total != expected) {
    return base::InvalidArgument("input '" + spec.name + "': expected " + std::to_string(expected) +
                                 " BYTES elements, got " + std::to_string(total));
  }
  for (; first < elements_.size(); ++first) {
    const std::vector<inferd_text>& elements = elements_[first];
    pieces_.push_back({elements.data(), elements.size() * sizeof(inferd_text), INFERD_MEMORY_CPU, 0});
  }
  return base::OkStatus();
}

base::Status BatchInputs::Copy(const LoadedModel& model, const InputPlaces& places,
                               std::span<const base::BufferSlice> pieces, size_t alignment) {
  size_t bytes = 0;
  for (const base::BufferSlice& piece : pieces) bytes += piece.size();
  INFERD_ASSIGN_OR_RETURN(base::Buffer copy, places.Allocate(bytes));
  const base::MemoryPlace place = copy.place();
  std::byte* start = copy.data();
  copies_.push_back(std::move(copy));
  if (const auto over = reinterpret_cast<uintptr_t>(start) & (alignment - 1); over != 0) start += alignment - over;
  INFERD_RETURN_IF_ERROR(StartCopies(model, pieces, copies_.back(), start));
  pieces_.push_back({start, bytes, static_cast<int32_t>(place.kind), place.device});
  CopyCounters& counters = model.engine().copies;
  counters.inputs.fetch_add(1, std::memory_order_relaxed);
  counters.input_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return base::OkStatus();
}

base::Status BatchInputs::StartCopies(const LoadedModel& model, std::span<const base::BufferSlice> pieces,
                                      const base::Buffer& to, std::byte* at) {
  base::Buffer pinned;
  if (!to.place().readable() && model.pins_inputs()) {
    size_t pageable = 0;
    for (const base::BufferSlice& piece : pieces) {
      pageable += piece.place().kind == base::MemoryKind::kCpu ? piece.size() : 0;
    }
    pinned = model.engine().pinned->Take(pageable);
  }
  StagedInput staged(pending_, std::move(pinned), to, at);
  for (const base::BufferSlice& piece : pieces) INFERD_RETURN_IF_ERROR(staged.Add(piece));
  return staged.Finish();
}

}  // namespace inferd::enginehost
