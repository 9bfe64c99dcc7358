#include "serving/core/request/output_memory.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/device_memory.h"

namespace inferd::core {

namespace {

base::Status Place(base::Buffer memory, InferTensor& output) {
  base::BufferSlice& data = output.data;
  if (data.size() > memory.size()) {
    return base::InvalidArgument("shared memory size specified with the request for output '" + output.name + "' (" +
                                 std::to_string(memory.size()) + " bytes) should be at least " +
                                 std::to_string(data.size()) + " bytes to hold the results");
  }
  if (data.data() != memory.data() || data.place() != memory.place()) {
    INFERD_RETURN_IF_ERROR(base::CopyBytes(data.data(), data.place(), memory.data(), memory.place(), data.size()));
  }
  data = base::BufferSlice(memory).Sub(0, data.size());
  return base::OkStatus();
}

struct NamedMemory {
  std::string name;
  base::Buffer memory;
};

// The outputs have the request's order, without those that the model left out.
base::Status PlaceAll(const std::vector<NamedMemory>& memories, std::vector<InferTensor>& outputs) {
  auto memory = memories.begin();
  for (InferTensor& output : outputs) {
    memory = std::find_if(memory, memories.end(), [&](const NamedMemory& each) { return each.name == output.name; });
    if (memory == memories.end()) break;
    if (memory->memory) INFERD_RETURN_IF_ERROR(Place(memory->memory, output));
    ++memory;
  }
  return base::OkStatus();
}

}  // namespace

bool NamesOutputMemory(const InferRequest& request) {
  return std::ranges::any_of(request.outputs,
                             [](const RequestedOutput& output) { return static_cast<bool>(output.memory); });
}

Completion IntoOutputMemory(const InferRequest& request, Completion completion) {
  std::vector<NamedMemory> memories;
  for (const RequestedOutput& output : request.outputs) memories.push_back({output.name, output.memory});
  return Completion(
      [memories = std::move(memories), completion = std::move(completion)](InferResponse&& response) mutable {
        if (response.status.ok()) response.status = PlaceAll(memories, response.outputs);
        if (!response.status.ok()) response.outputs.clear();
        completion.Send(std::move(response));
      });
}

}  // namespace inferd::core
