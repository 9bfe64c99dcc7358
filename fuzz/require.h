#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace inferd::fuzz {

// Stops the fuzzer with a finding.
[[noreturn]] inline void Fail(std::string_view why) {
  std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(why.size()), why.data());
  std::abort();
}

inline void Require(bool holds, std::string_view why) {
  if (!holds) Fail(why);
}

}  // namespace inferd::fuzz
