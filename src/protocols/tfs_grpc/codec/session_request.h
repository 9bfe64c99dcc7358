#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/wire/reader.h"
#include "serving/core/dispatcher.h"

namespace inferd::tfs_grpc {

// The maximum number of feeds, fetches and targets of one request, each.
inline constexpr size_t kSessionNamesMax = 4096;

// A tensorflow.serving.SessionRunRequest as views into its bytes, without its ModelSpec and options (TensorFlow Serving
// ignores these options, too).
struct SessionRequest {
  struct Feed {
    std::string_view name;
    // The parts of its TensorProto, which protobuf merges; for ReadTensor().
    boost::container::small_vector<wire::Reader, 1> tensor;
  };
  std::vector<Feed> feeds;
  std::vector<std::string_view> fetches;
  std::vector<std::string_view> targets;
  bool aliases = false;  // names are those of a signature, not of the graph
};

// INVALID_ARGUMENT for malformed protobuf, more than kSessionNamesMax names, and, in TensorFlow's words, for a repeated
// feed, a tensor that is both fed and fetched, and an empty request. Pure; any thread.
base::Result<SessionRequest> ReadSessionRequest(std::string_view message);

// Returns true if two names of the graph denote one tensor, like "x" and "x:0".
bool SameTensor(std::string_view a, std::string_view b);

// A request's feeds and fetches as inputs and outputs of one of its model's signatures.
struct SessionPlan {
  uint32_t signature = 0;    // index in the model's signatures
  std::vector<int> inputs;   // per feed
  std::vector<int> outputs;  // per fetch
};

// Finds the signature: `named` or, if names are the graph's, the first one that has all of them. An operator's name
// denotes its first output, as in TensorFlow. FAILED_PRECONDITION if there is no signature `named` for names that are
// aliases. UNIMPLEMENTED if no signature has all names.
base::Result<SessionPlan> PlanSession(const SessionRequest& request, const core::PinnedModel& model,
                                      std::string_view named);

}  // namespace inferd::tfs_grpc
