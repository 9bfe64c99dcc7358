#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/grpc/call_metrics.h"
#include "net/grpc/service.h"

namespace inferd::net::grpc {

// The methods of one loop's handler by path, each with its metrics. Loop-bound; must not move.
class MethodTable final {
 public:
  struct Entry {
    Method method;
    CallMetrics::OfMethod metrics;
  };

  // If `metrics` is nullptr, nothing is counted.
  MethodTable(std::vector<Method> methods, CallMetrics* metrics);
  MethodTable(const MethodTable&) = delete;
  MethodTable& operator=(const MethodTable&) = delete;

  // Returns nullptr if the method is unknown.
  Entry* Find(std::string_view path);
  // Returns UNIMPLEMENTED, with a text that says whether the service or the method is unknown.
  base::Status UnknownMethod(std::string_view path) const;
  // Calls Method::on_drain of each method that has it.
  void OnDrain();
  // Counts the calls of unknown methods.
  CallMetrics::OfMethod& unknown() { return unknown_; }

 private:
  std::vector<Entry> entries_;
  boost::unordered_flat_map<std::string_view, Entry*, std::hash<std::string_view>> by_path_;
  CallMetrics::OfMethod unknown_;
};

}  // namespace inferd::net::grpc
