#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/status.h"

namespace inferd::fuzz {

// Stops the fuzzer with a finding.
[[noreturn]] inline void Fail(std::string_view why) {
  std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(why.size()), why.data());
  std::abort();
}

inline void Require(bool holds, std::string_view why) {
  if (!holds) Fail(why);
}

// Checks that a body was refused as bad input, with a reason.
inline void RequireRefused(const base::Status& status) {
  Require(status.code() == base::StatusCode::kInvalidArgument, "refused as something else than bad input");
  Require(!status.message().empty(), "refused without a reason");
}

}  // namespace inferd::fuzz
