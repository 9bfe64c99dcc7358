#pragma once

#include <string>

namespace inferd::config {

// The attributes of CloudEvents that answer KServe V1's predictions.
struct EventOptions {
  std::string type = "io.kserve.inference.response";
  std::string source = {};  // "io.kserve.inference.<model>" if empty
  bool merge = false;       // keep the other attributes of the request's event
};

}  // namespace inferd::config
