#pragma once

#include <string>

namespace inferd::config {

// What the CloudEvents that answer KServe V1's predictions say of themselves.
struct EventOptions {
  std::string type = "io.kserve.inference.response";
  std::string source = {};  // empty: "io.kserve.inference.<model>"
  bool merge = false;       // they keep what else the request's event said of itself
};

}  // namespace inferd::config
