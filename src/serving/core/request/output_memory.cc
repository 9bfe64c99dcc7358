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

// A request that names its outputs has them answered in its own order.
base::Status PlaceAll(const std::vector<base::Buffer>& memories, std::vector<InferTensor>& outputs) {
  const size_t count = std::min(memories.size(), outputs.size());
  for (size_t i = 0; i < count; ++i) {
    if (memories[i]) INFERD_RETURN_IF_ERROR(Place(memories[i], outputs[i]));
  }
  return base::OkStatus();
}

}  // namespace

bool NamesOutputMemory(const InferRequest& request) {
  return std::ranges::any_of(request.outputs,
                             [](const RequestedOutput& output) { return static_cast<bool>(output.memory); });
}

Completion IntoOutputMemory(const InferRequest& request, Completion completion) {
  std::vector<base::Buffer> memories;
  for (const RequestedOutput& output : request.outputs) memories.push_back(output.memory);
  return Completion(
      [memories = std::move(memories), completion = std::move(completion)](InferResponse&& response) mutable {
        if (response.status.ok()) response.status = PlaceAll(memories, response.outputs);
        if (!response.status.ok()) response.outputs.clear();
        completion.Send(std::move(response));
      });
}

}  // namespace inferd::core
