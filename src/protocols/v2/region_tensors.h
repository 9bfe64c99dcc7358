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

// The tensors of one request that lie in regions of its client's shared memory (Triton's extension), until it is
// answered. Its regions cannot be unregistered meanwhile. Used by one thread at a time, but for End().
class RegionTensors final {
 public:
  // Has inputs and requested outputs that name regions lie there, and takes the parameters that say so from them. BYTES
  // inputs are copied: their lengths must not change between a check and a use. Null: the request names no region.
  // `registry`: null where the server has none; `disabled` is what it says then, after the tensor and its parameter.
  //
  // UNIMPLEMENTED: that. INVALID_ARGUMENT: parameters that do not fit, or bytes outside of the region. NOT_FOUND: no
  // such region. FAILED_PRECONDITION: its object was made smaller. Each names the tensor.
  static base::Result<std::unique_ptr<RegionTensors>> Attach(core::InferRequest& request, clientshm::Registry* registry,
                                                             std::string_view disabled);

  // What an answer says of outputs in regions: nothing but their shapes, or also where they are, by the parameters
  // `shared_memory_region`, `shared_memory_byte_size` and, if there was one, `shared_memory_offset`.
  enum class Answer { kShapes, kPlaces };

  // `response` is a success, its outputs in the order asked for. Those in regions have no bytes any more. A final one
  // is the end of the use. FAILED_PRECONDITION: a region was not there all the time, and what the model saw is not what
  // the client wrote.
  base::Status Settle(core::InferResponse& response, Answer answer);

  // The answer is about to leave, whatever it is: the regions may be unregistered.
  void End();

 private:
  struct Place {
    std::string region;  // empty: none
    uint64_t offset = 0;
    uint64_t byte_size = 0;
  };
  // Takes the parameters out.
  static base::Result<Place> TakePlace(core::Parameters& parameters);
  base::Status AttachInput(core::InferTensor& input, clientshm::Registry& registry);
  base::Status AttachOutput(core::RequestedOutput& output, size_t index, clientshm::Registry& registry);
  base::Result<base::Buffer> Bytes(const Place& place, clientshm::Registry& registry);

  std::vector<std::shared_ptr<clientshm::RegionUse>> uses_;
  struct Output {
    size_t index = 0;  // its place in the request
    std::string name;
    Place place;
  };
  std::vector<Output> outputs_;
};

}  // namespace inferd::v2
