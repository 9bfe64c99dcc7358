#include "serving/enginehost/batch/batch_outputs.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

#include "base/device_memory.h"
#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "serving/enginehost/model/abi_values.h"
#include "serving/enginehost/transfer/staged_outputs.h"

namespace inferd::enginehost {

namespace {

using tensor::DataType;

void CountCopy(const LoadedModel& model, size_t bytes) {
  CopyCounters& counters = model.engine().copies;
  counters.outputs.fetch_add(1, std::memory_order_relaxed);
  counters.output_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

// Returns a place that no runtime knows for memory that the engine cannot have.
base::MemoryPlace PlaceOf(const OpenedEngine& engine, const inferd_memory& memory) {
  if (memory.kind == INFERD_MEMORY_CPU || memory.kind == INFERD_MEMORY_CPU_PINNED) return {};
  base::MemoryPlace place{.kind = base::MemoryKind::kGpu};
  if (memory.kind != INFERD_MEMORY_GPU || memory.device < 0 || memory.device >= engine.device_count) return place;
  place.runtime = engine.runtime;
  place.device = static_cast<uint16_t>(memory.device);
  return place;
}

struct TakenMemory {
  base::BufferSlice data;
  bool stays = false;  // already where the execution wants it
  bool owned = false;  // valid as long as it is in use
};

// Takes over the memory of an output. The model stays loaded while the engine's memory is in use. An output that is not
// wanted is not copied: a dropped response must not need memory, as there may be none.
TakenMemory TakeMemory(const std::shared_ptr<const LoadedModel>& model, const inferd_output& output, bool wanted,
                       OutputAllocations* allocations) {
  const auto* data = static_cast<const std::byte*>(output.memory.data);
  const size_t size = output.memory.size;
  if (auto buffer = allocations->Take(data)) {
    const bool fits = size <= buffer->size();
    base::Buffer owner = *std::move(buffer);
    return {.data = fits ? base::BufferSlice(owner, data, size) : base::BufferSlice(), .stays = true};
  }
  const base::MemoryPlace place = PlaceOf(model->engine(), output.memory);
  auto* const start = const_cast<std::byte*>(data);
  if (output.release != nullptr) {
    auto release = [model, function = output.release, arg = output.release_arg] { function(arg); };
    return {.data = base::BufferSlice(base::Buffer::Wrap(start, size, std::move(release), place)), .owned = true};
  }
  const bool elements = output.datatype == INFERD_TYPE_BYTES && output.bytes_form == INFERD_BYTES_ELEMENTS;
  // This memory is refused, packed, or copied to the CPU before respond() returns.
  if (!place.readable()) return {.data = base::BufferSlice(base::Buffer::Wrap(start, size, nullptr, place))};
  if (data == nullptr || elements || !wanted) return {.data = {base::Buffer(), data, size}};
  CountCopy(*model, size);
  return {.data = base::BufferSlice(base::Buffer::CopyOf({reinterpret_cast<const char*>(data), size}))};
}

std::string Quoted(const core::TensorSpec& spec) { return "output '" + spec.name + "'"; }

bool IsDatatype(int32_t datatype) {
  return datatype > INFERD_TYPE_INVALID && datatype <= static_cast<int32_t>(tensor::kLastDataType);
}

// Returns, for example, "FP64 (float64)": the protocol's name, and the one that most libraries use.
std::string DatatypeText(int32_t datatype) {
  if (!IsDatatype(datatype)) return "that is none (" + std::to_string(datatype) + ")";
  const std::string name(tensor::DataTypeName(static_cast<DataType>(datatype)));
  std::string common = name;
  if (const size_t at = common.find("FP"); at != std::string::npos) common.replace(at, 2, "float");
  if (common.starts_with("BF")) common.insert(2, "loat");
  std::ranges::transform(common, common.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name + " (" + common + ")";
}

base::Result<base::BufferSlice> PackElements(const LoadedModel& model, const core::TensorSpec& spec,
                                             const base::BufferSlice& memory) {
  const std::span<const inferd_text> elements(reinterpret_cast<const inferd_text*>(memory.data()),
                                              memory.size() / sizeof(inferd_text));
  size_t bytes = 0;
  for (const inferd_text& element : elements) bytes += tensor::kLengthSize + element.size;
  tensor::BytesPacker packer(bytes);
  for (const inferd_text& element : elements) {
    const bool readable = element.data != nullptr || element.size == 0;
    const base::Status status = readable ? packer.Append(ToView(element)) : base::Internal("an element is nowhere");
    if (!status.ok()) return std::unexpected(model.Fault("answered " + Quoted(spec) + ": " + status.message()));
  }
  return base::BufferSlice(packer.Take());
}

base::Status ExplainCopy(const LoadedModel& model, const base::Status& status) {
  if (status.ok()) return status;
  return model.Fault("answered in memory that the server cannot read: " + status.message());
}

// Starts a copy to the execution's memory, from the engine's own memory on a device or from pinned memory lent to it.
// The bytes are in place once `copies` are finished.
base::Status BringToCpu(const LoadedModel& model, uint32_t output, core::Execution& execution,
                        core::InferTensor& tensor, StagedOutputs& copies) {
  const base::MemoryKind kind = tensor.data.place().kind;
  if (kind == base::MemoryKind::kCpu) return base::OkStatus();
  const size_t size = tensor.data.size();
  base::Buffer copy = execution.AllocateOutput(static_cast<int>(output), size);
  CountCopy(model, size);
  base::Buffer pinned;
  if (kind == base::MemoryKind::kGpu && model.pins_outputs()) pinned = model.engine().pinned->Take(size);
  const base::Status status = copies.Add(tensor.data, std::move(pinned), copy);
  const std::byte* const data = copy.data();
  tensor.data = base::BufferSlice(std::move(copy), data, size);  // the buffer may be larger
  return ExplainCopy(model, status).WithContext(Quoted(model.signature().outputs[output]));
}

// Returns true if the output is in memory of one of the engine's devices, and is wanted there.
bool StaysOnDevice(const LoadedModel& model, uint32_t output, const core::Execution& execution,
                   const core::InferTensor& tensor) {
  const base::MemoryPlace place = tensor.data.place();
  return !place.readable() && place.runtime == model.engine().runtime && place.runtime != 0 &&
         execution.TakesOnDevice(static_cast<int>(output));
}

base::Result<core::InferTensor> ToTensor(const LoadedModel& model, const inferd_output& output,
                                         base::BufferSlice memory) {
  const core::TensorSpec& spec = model.signature().outputs[output.index];
  core::InferTensor tensor;
  const bool declared = output.datatype == static_cast<int32_t>(spec.datatype);
  if (!declared && !(spec.unchecked && IsDatatype(output.datatype))) {
    return std::unexpected(model.Fault("answered " + Quoted(spec) + " with datatype " + DatatypeText(output.datatype) +
                                       ", not " + std::string(tensor::DataTypeName(spec.datatype))));
  }
  tensor.datatype = static_cast<DataType>(output.datatype);
  if (output.rank > tensor::kRankMax) {
    return std::unexpected(model.Fault("answered " + Quoted(spec) + " with " + std::to_string(output.rank) +
                                       " dimensions; at most " + std::to_string(tensor::kRankMax) +
                                       " can be answered"));
  }
  if (output.rank > 0 && output.shape == nullptr) {
    return std::unexpected(model.Fault("answered " + Quoted(spec) + " without a usable shape"));
  }
  tensor.shape = tensor::Shape(std::span(output.shape, output.rank));
  const bool any_shape = spec.any_shape || spec.unchecked;
  if (spec.shape.rank() > 0 && !any_shape && !tensor::Matches(spec.shape, tensor.shape)) {
    if (!spec.shape_is_hint) {
      return std::unexpected(model.Fault("answered " + Quoted(spec) + " with shape " + tensor.shape.ToString() +
                                         ", which is not " + spec.shape.ToString()));
    }
    model.WarnOfShape(spec, tensor.shape);
  }
  if (memory.data() == nullptr && output.memory.size > 0) {
    return std::unexpected(model.Fault("answered " + Quoted(spec) + " in memory that the server cannot read"));
  }
  if (!memory.place().readable() && tensor.datatype == DataType::kBytes) {
    return std::unexpected(model.Fault("answered " + Quoted(spec) + ", which is BYTES, on a device"));
  }
  tensor.data = std::move(memory);
  if (tensor.datatype == DataType::kBytes && output.bytes_form == INFERD_BYTES_ELEMENTS) {
    INFERD_ASSIGN_OR_RETURN(tensor.data, PackElements(model, spec, tensor.data));
  }
  // For datatypes other than BYTES, this checks the size alone.
  if (const base::Status status = tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes()); !status.ok()) {
    return std::unexpected(model.Fault("answered " + Quoted(spec) + ": " + status.message()));
  }
  return tensor;
}

}  // namespace

void OutputAllocations::Add(base::Buffer buffer) {
  base::MutexLock lock(mutex_);
  buffers_.push_back(std::move(buffer));
}

std::optional<base::Buffer> OutputAllocations::Take(const void* data) {
  base::MutexLock lock(mutex_);
  for (auto it = buffers_.begin(); it != buffers_.end(); ++it) {
    if (it->data() != data) continue;
    base::Buffer buffer = std::move(*it);
    buffers_.erase(it);
    return buffer;
  }
  return std::nullopt;
}

void OutputAllocations::Clear() {
  base::MutexLock lock(mutex_);
  buffers_.clear();
}

base::Result<std::vector<core::InferTensor>> TakeOutputs(const std::shared_ptr<const LoadedModel>& model,
                                                         const std::vector<int>& wanted,
                                                         const inferd_response& response, core::Execution& execution,
                                                         OutputAllocations* allocations) {
  // First take over all memory, so that nothing leaks if one output is wrong.
  boost::container::small_vector<TakenMemory, 4> memories;
  boost::container::small_vector<size_t, 4> places;  // indices in `wanted`, or its size if not wanted
  for (size_t i = 0; i < response.output_count; ++i) {
    const inferd_output& output = *response.outputs[i];
    places.push_back(std::ranges::find(wanted, static_cast<int>(output.index)) - wanted.begin());
    memories.push_back(TakeMemory(model, output, places[i] < wanted.size(), allocations));
  }
  std::vector<core::InferTensor> tensors(wanted.size());
  StagedOutputs copies;
  for (size_t i = 0; i < response.output_count; ++i) {
    const inferd_output& output = *response.outputs[i];
    if (output.index >= model->signature().outputs.size()) {
      return std::unexpected(
          model->Fault("answered an output " + std::to_string(output.index) + ", which it does not have"));
    }
    if (places[i] == wanted.size()) continue;
    core::InferTensor& tensor = tensors[places[i]];
    if (tensor.datatype != DataType::kInvalid) {
      return std::unexpected(model->Fault("answered " + Quoted(model->signature().outputs[output.index]) + " twice"));
    }
    INFERD_ASSIGN_OR_RETURN(tensor, ToTensor(*model, output, std::move(memories[i].data)));
    const bool lent = tensor.data.place().kind == base::MemoryKind::kCpuPinned;
    const bool stays =
        (memories[i].stays && !lent) || (memories[i].owned && StaysOnDevice(*model, output.index, execution, tensor));
    if (!stays) INFERD_RETURN_IF_ERROR(BringToCpu(*model, output.index, execution, tensor, copies));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (tensors[i].datatype != DataType::kInvalid) continue;
    if (model->signature().outputs[wanted[i]].may_be_missing) continue;
    return std::unexpected(model->Fault("answered without " + Quoted(model->signature().outputs[wanted[i]])));
  }
  INFERD_RETURN_IF_ERROR(ExplainCopy(*model, copies.Finish()));
  return tensors;
}

}  // namespace inferd::enginehost
