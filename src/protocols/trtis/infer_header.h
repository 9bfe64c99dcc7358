#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace inferd::trtis {

// An InferRequestHeader: a request's description of its tensors, whose bytes are sent separately. Sizes are those of
// one entry of the batch.
struct InferHeader {
  struct Input {
    std::string name;
    uint64_t byte_size = 0;
  };
  struct Output {
    std::string name;
    uint64_t byte_size = 0;
    std::optional<uint32_t> classes = std::nullopt;  // return this many of the largest elements in place of the tensor
  };

  uint32_t batch_size = 0;
  boost::container::small_vector<Input, 2> inputs;
  boost::container::small_vector<Output, 2> outputs;
};

}  // namespace inferd::trtis
