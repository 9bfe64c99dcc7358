#include "protocols/v2/region_tensors.h"

#include <algorithm>

#include "base/device_memory.h"
#include "protocols/v2/parameters.h"

namespace inferd::v2 {

namespace {

constexpr std::string_view kRegion = "shared_memory_region";
constexpr std::string_view kByteSize = "shared_memory_byte_size";
constexpr std::string_view kOffset = "shared_memory_offset";

base::Status WrongType(std::string_view name, std::string_view expected, std::string_view got) {
  return base::InvalidArgument("parameter '" + std::string(name) + "': expected " + std::string(expected) + ", got " +
                               std::string(got));
}

// Finds an output at `place`, or before it if the model has left out others. Null if there is none.
core::InferTensor* Find(std::vector<core::InferTensor>& outputs, const std::string& name, size_t place) {
  if (place < outputs.size() && outputs[place].name == name) return &outputs[place];
  const auto found = std::ranges::find(outputs, name, &core::InferTensor::name);
  return found == outputs.end() ? nullptr : &*found;
}

// Returns the error for a tensor that names a region if regions are not supported.
base::Status Disabled(std::string_view owner, const core::Parameters& parameters, std::string_view disabled) {
  // Parameters may come in any order.
  const auto named = std::ranges::min_element(parameters, {}, [](const auto& parameter) {
    return parameter.first == kRegion ? 0 : parameter.first.starts_with("shared_memory_") ? 1 : 2;
  });
  return base::Unimplemented(std::string(owner) + ": parameter '" + named->first + "': " + std::string(disabled));
}

}  // namespace

base::Result<std::unique_ptr<RegionTensors>> RegionTensors::Attach(core::InferRequest& request,
                                                                   clientshm::Registry* registry,
                                                                   std::string_view disabled) {
  std::unique_ptr<RegionTensors> tensors;
  const auto attach = [&](auto& tensor, std::string_view kind, auto&& one) -> base::Status {
    if (tensor.parameters.empty() || !NamesRegion(tensor.parameters)) return base::OkStatus();
    const auto owner = [&] { return std::string(kind) + " '" + tensor.name + "'"; };
    if (registry == nullptr) return Disabled(owner(), tensor.parameters, disabled);
    if (tensors == nullptr) tensors = std::make_unique<RegionTensors>();
    base::Status status = one();
    return status.ok() ? status : status.WithContext(owner());
  };
  for (core::InferTensor& input : request.inputs) {
    INFERD_RETURN_IF_ERROR(attach(input, "input", [&] { return tensors->AttachInput(input, *registry); }));
  }
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    core::RequestedOutput& output = request.outputs[i];
    INFERD_RETURN_IF_ERROR(attach(output, "output", [&] { return tensors->AttachOutput(output, i, *registry); }));
  }
  return tensors;
}

base::Result<RegionTensors::Place> RegionTensors::TakePlace(core::Parameters& parameters) {
  Place place;
  bool sized = false;
  for (const auto& [name, value] : parameters) {
    if (name == kRegion) {
      const auto* region = std::get_if<std::string>(&value);
      if (region == nullptr || region->empty()) return std::unexpected(WrongType(name, "a name", Describe(value)));
      place.region = *region;
    } else if (name == kByteSize || name == kOffset) {
      const std::optional<uint64_t> number = AsUnsigned(value);
      if (!number) return std::unexpected(WrongType(name, "a number of bytes", Describe(value)));
      (name == kByteSize ? place.byte_size : place.offset) = *number;
      sized |= name == kByteSize;
    }
  }
  if (place.region.empty()) return std::unexpected(WrongType(kRegion, "a name", "none"));
  if (!sized) return std::unexpected(WrongType(kByteSize, "a number of bytes", "none"));
  std::erase_if(parameters, [](const auto& parameter) { return parameter.first.starts_with("shared_memory_"); });
  return place;
}

base::Result<base::Buffer> RegionTensors::Bytes(const Place& place, clientshm::Registry& registry) {
  auto use = std::ranges::find_if(uses_, [&](const auto& known) { return known->region_name() == place.region; });
  if (use == uses_.end()) {
    INFERD_ASSIGN_OR_RETURN(auto begun, registry.Use(place.region));
    use = uses_.insert(use, std::move(begun));
  }
  return (*use)->Bytes(place.offset, place.byte_size);
}

base::Status RegionTensors::AttachInput(core::InferTensor& input, clientshm::Registry& registry) {
  if (!input.data.empty()) return base::InvalidArgument("expected data or a shared memory region, got both");
  INFERD_ASSIGN_OR_RETURN(const Place place, TakePlace(input.parameters));
  INFERD_ASSIGN_OR_RETURN(base::Buffer bytes, Bytes(place, registry));
  input.data = base::BufferSlice(std::move(bytes));
  if (input.datatype != tensor::DataType::kBytes) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(const base::BufferSlice readable, base::Readable(input.data));
  input.data =
      readable.place() == input.data.place() ? base::BufferSlice(base::Buffer::CopyOf(readable.view())) : readable;
  for (const auto& use : uses_) INFERD_RETURN_IF_ERROR(use->Check());
  return base::OkStatus();
}

base::Status RegionTensors::AttachOutput(core::RequestedOutput& output, size_t index, clientshm::Registry& registry) {
  INFERD_ASSIGN_OR_RETURN(Place place, TakePlace(output.parameters));
  INFERD_ASSIGN_OR_RETURN(output.memory, Bytes(place, registry));
  outputs_.push_back({.index = index, .name = output.name, .place = std::move(place)});
  return base::OkStatus();
}

base::Status RegionTensors::Settle(core::InferResponse& response, Answer answer) {
  if (response.final) End();
  for (const auto& use : uses_) INFERD_RETURN_IF_ERROR(use->Check());
  for (const auto& [index, name, place] : outputs_) {
    core::InferTensor* const found = Find(response.outputs, name, index);
    if (found == nullptr) continue;
    core::InferTensor& output = *found;
    const auto bytes = static_cast<int64_t>(output.data.size());
    output.data = {};
    if (answer == Answer::kShapes) continue;
    output.parameters.reserve(output.parameters.size() + 3);
    output.parameters.emplace_back(kRegion, place.region);
    output.parameters.emplace_back(kByteSize, bytes);
    if (place.offset > 0) output.parameters.emplace_back(kOffset, static_cast<int64_t>(place.offset));
  }
  return base::OkStatus();
}

void RegionTensors::End() {
  for (const auto& use : uses_) use->End();
}

}  // namespace inferd::v2
