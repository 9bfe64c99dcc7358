#pragma once

#include <vector>

#include "base/executor.h"

namespace inferd::repository {

// Tasks of a step that run after the manager's lock is released: answers, and the end of versions.
using Deferred = std::vector<base::Task>;

inline void RunAll(Deferred& deferred) {
  for (base::Task& task : deferred) task();
}

}  // namespace inferd::repository
