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

// The most feeds, fetches and targets of one request, each.
inline constexpr size_t kSessionNamesMax = 4096;

// A tensorflow.serving.SessionRunRequest, its ModelSpec and options aside (these count for nothing there, either), as
// views into its bytes.
struct SessionRequest {
  struct Feed {
    std::string_view name;
    // The parts of its TensorProto, which protobuf merges; ReadTensor takes them.
    boost::container::small_vector<wire::Reader, 1> tensor;
  };
  std::vector<Feed> feeds;
  std::vector<std::string_view> fetches;
  std::vector<std::string_view> targets;
  bool aliases = false;  // names are those of a signature, not of the graph
};

// INVALID_ARGUMENT: no protobuf, more than kSessionNamesMax names, and in TensorFlow's words: what is fed twice, or
// both fed and fetched, and a request for nothing. Pure; any thread.
base::Result<SessionRequest> ReadSessionRequest(std::string_view message);

// Whether the graph's names mean one tensor: "x" and "x:0" do.
bool SameTensor(std::string_view a, std::string_view b);

// What a request feeds and fetches, as inputs and outputs of one of its model's signatures.
struct SessionPlan {
  uint32_t signature = 0;    // by its place in the model's
  std::vector<int> inputs;   // per feed
  std::vector<int> outputs;  // per fetch
};

// Finds the signature: `named`, or, where names are the graph's, else the first one that has them all. An operator's
// name stands for its first output, as in TensorFlow. FAILED_PRECONDITION: there is no signature `named`, whose aliases
// the names would be. UNIMPLEMENTED: no signature has them all.
base::Result<SessionPlan> PlanSession(const SessionRequest& request, const core::PinnedModel& model,
                                      std::string_view named);

}  // namespace inferd::tfs_grpc
