#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/tfs/request_log.h"

namespace inferd::tfs {

// A log that keeps every call of one model. Not thread-safe.
class FakeRequestLog final : public RequestLog {
 public:
  bool Draw(std::string_view model) override { return model == logged; }
  void Write(LoggedCall call) override { calls.push_back(std::move(call)); }

  std::string logged;  // empty to log none
  std::vector<LoggedCall> calls;
};

}  // namespace inferd::tfs
