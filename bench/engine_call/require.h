#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace inferd::bench {

// Ends the program with `what` unless `ok`.
inline void Require(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

}  // namespace inferd::bench
