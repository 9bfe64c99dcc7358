#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "protocols/clientshm/registry.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

namespace inferd::v2 {

// The tensors of one request in regions of its client's shared memory (Triton's extension), until it is answered. Its
// regions cannot be unregistered meanwhile. Used by one thread at a time, except End().
class RegionTensors final {
 public:
  // Attaches inputs and requested outputs to the regions that they name, and removes the parameters that name them.
  // BYTES inputs are copied: their lengths must not change between a check and a use. Null if the request names no
  // region. `registry` is null if the server has none; then the error is `disabled`, after the tensor and its
  // parameter.
  //
  // UNIMPLEMENTED in that case. INVALID_ARGUMENT for invalid parameters, or bytes outside of the region. NOT_FOUND if
  // there is no such region. FAILED_PRECONDITION if its object was made smaller. Each error names the tensor.
  static base::Result<std::unique_ptr<RegionTensors>> Attach(core::InferRequest& request, clientshm::Registry* registry,
                                                             std::string_view disabled);

  // The response's information about outputs in regions: only their shapes, or also their places, in the parameters
  // `shared_memory_region`, `shared_memory_byte_size` and, if there was one, `shared_memory_offset`.
  enum class Answer { kShapes, kPlaces };

  // `response` is a success, with its outputs in the order of the request. Those in regions lose their bytes here. A
  // final response ends the use. FAILED_PRECONDITION if a region was missing at any time, so that the model may not
  // have seen the client's bytes.
  base::Status Settle(core::InferResponse& response, Answer answer);

  // Call when the response, of any kind, is about to be sent: the regions may then be unregistered.
  void End();

 private:
  struct Place {
    std::string region;  // empty if none
    uint64_t offset = 0;
    uint64_t byte_size = 0;
  };
  // Removes the parameters and returns their place.
  static base::Result<Place> TakePlace(core::Parameters& parameters);
  base::Status AttachInput(core::InferTensor& input, clientshm::Registry& registry);
  base::Status AttachOutput(core::RequestedOutput& output, size_t index, clientshm::Registry& registry);
  base::Result<base::Buffer> Bytes(const Place& place, clientshm::Registry& registry);

  std::vector<std::shared_ptr<clientshm::RegionUse>> uses_;
  struct Output {
    size_t index = 0;  // index in the request
    std::string name;
    Place place;
  };
  std::vector<Output> outputs_;
};

}  // namespace inferd::v2
