#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/grpc/call_metrics.h"
#include "net/grpc/service.h"

namespace inferd::net::grpc {

// What one loop's handler serves, by path, each method with its numbers. Loop-bound; stays put.
class MethodTable final {
 public:
  struct Entry {
    Method method;
    CallMetrics::OfMethod metrics;
  };

  // `metrics` nullptr: nothing is counted.
  MethodTable(std::vector<Method> methods, CallMetrics* metrics);
  MethodTable(const MethodTable&) = delete;
  MethodTable& operator=(const MethodTable&) = delete;

  // nullptr: unknown.
  Entry* Find(std::string_view path);
  // UNIMPLEMENTED, saying whether it is the service or its method that is unknown.
  base::Status UnknownMethod(std::string_view path) const;
  // Tells each method that wants to know.
  void OnDrain();
  // Counts the calls of unknown methods.
  CallMetrics::OfMethod& unknown() { return unknown_; }

 private:
  std::vector<Entry> entries_;
  boost::unordered_flat_map<std::string_view, Entry*, std::hash<std::string_view>> by_path_;
  CallMetrics::OfMethod unknown_;
};

}  // namespace inferd::net::grpc
