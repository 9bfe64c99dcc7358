#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "base/status.h"
#include "serving/core/graph_call.h"

namespace inferd::core {

class ModelVersion;

// The graph calls of one load of a version. Each distinct graph call becomes a version of its own, once, which lives as
// long as the load. Thread-safe.
class GraphCalls final {
 public:
  // The engine keeps what it compiles for each call, so their number is limited for the lifetime of the load.
  static constexpr size_t kCallsMax = 256;

  // Makes the version of a graph call. Errors as Dispatcher::CallGraph's. Called on any thread.
  using Make = std::function<base::Result<std::shared_ptr<const ModelVersion>>(const GraphCall&)>;
  explicit GraphCalls(Make make) : make_(std::move(make)) {}
  ~GraphCalls();

  // Returns the version of a graph call, making it if needed. Errors are those of Make. RESOURCE_EXHAUSTED if there are
  // kCallsMax others.
  base::Result<std::shared_ptr<const ModelVersion>> Find(const GraphCall& call);

 private:
  const Make make_;
  base::Mutex mutex_;
  std::map<GraphCall, std::shared_ptr<const ModelVersion>> made_ GUARDED_BY(mutex_);
};

}  // namespace inferd::core
