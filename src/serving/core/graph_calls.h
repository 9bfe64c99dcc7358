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

// What one load of a version was asked for besides its signatures: each graph call is made a version of its own once,
// which lives as long as the load. Thread-safe.
class GraphCalls final {
 public:
  // An engine keeps what it compiles for each, so that they are bounded for good.
  static constexpr size_t kCallsMax = 256;

  // Makes the version of one; errors as Dispatcher::CallGraph's. Any thread.
  using Make = std::function<base::Result<std::shared_ptr<const ModelVersion>>(const GraphCall&)>;
  explicit GraphCalls(Make make) : make_(std::move(make)) {}
  ~GraphCalls();

  // Errors are Make's; RESOURCE_EXHAUSTED: there are kCallsMax others.
  base::Result<std::shared_ptr<const ModelVersion>> Find(const GraphCall& call);

 private:
  const Make make_;
  base::Mutex mutex_;
  std::map<GraphCall, std::shared_ptr<const ModelVersion>> made_ GUARDED_BY(mutex_);
};

}  // namespace inferd::core
