#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::cluster {

// Returns the InferenceServices that a graph's steps name, as far as the graph can be parsed. Thread-safe.
std::set<std::string> ServicesNamedBy(const manifest::Value& graph);

// An index from InferenceServices to the graphs whose steps name them. Both are in the same namespace. Thread-safe.
class StepIndex final {
 public:
  // Replaces the services of the graph.
  void Set(const kubernetes::ObjectName& graph, std::set<std::string> services);
  std::vector<kubernetes::ObjectName> GraphsOf(const kubernetes::ObjectName& service) const;

 private:
  mutable base::Mutex mutex_;
  std::map<kubernetes::ObjectName, std::set<std::string>> services_ GUARDED_BY(mutex_);  // by graph
  std::map<kubernetes::ObjectName, std::set<std::string>> graphs_ GUARDED_BY(mutex_);    // by service
};

}  // namespace inferd::cluster
