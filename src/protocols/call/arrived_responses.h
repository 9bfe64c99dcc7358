#pragma once

#include <utility>
#include <vector>

#include "base/memory_shortage.h"
#include "base/mutex.h"
#include "serving/core/request/infer_response.h"
#include "serving/core/request/response_flow.h"

namespace inferd::call {

// A response, and its place among those that the client has not taken.
struct ArrivedResponse {
  core::InferResponse response;
  core::ResponseFlow::Place place = {};
};

// The responses to one request on their way from the threads of engines to the loop of its client, in the order in
// which they come. However many come before the loop looks, they are one task of its queue, and lie in room that is
// used again: memory that one thread allocates and another frees makes the two wait for the allocator's lock, which was
// a fifth of what a stream of small responses cost.
//
// Push is thread-safe. TakeEach is the loop's.
class ArrivedResponses final {
 public:
  // True: the first since the loop looked, for which the caller posts a task that calls TakeEach.
  bool Push(ArrivedResponse arrived) {
    const base::MutexLock lock(mutex_);
    arrived_.push_back(std::move(arrived));
    return arrived_.size() == 1;
  }

  // Calls `take(ArrivedResponse&&)` for each that is there. What arrives meanwhile has a task of its own.
  template <typename Take>
  void TakeEach(Take take) {
    {
      const base::MutexLock lock(mutex_);
      arrived_.swap(taken_);
    }
    for (ArrivedResponse& arrived : taken_) {
      base::RunUnlessOutOfMemory([&] { take(std::move(arrived)); });  // the others' turns come all the same
    }
    taken_.clear();
  }

 private:
  base::Mutex mutex_;
  std::vector<ArrivedResponse> arrived_ GUARDED_BY(mutex_);
  std::vector<ArrivedResponse> taken_;  // the loop's; empty but within TakeEach
};

}  // namespace inferd::call
