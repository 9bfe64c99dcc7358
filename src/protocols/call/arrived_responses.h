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

// The responses to one request on their way from engines' threads to the loop of its client, in the order of arrival.
// All that arrive before the loop handles them form one task of its queue, and their memory is reused. (Memory that one
// thread allocates and another frees makes both wait for the allocator's lock, which was a fifth of the cost of a
// stream of small responses.)
//
// Push() is thread-safe. TakeEach() is for the loop only.
class ArrivedResponses final {
 public:
  // Returns true if it is the first one since TakeEach(). The caller must then post a task that calls TakeEach().
  bool Push(ArrivedResponse arrived) {
    const base::MutexLock lock(mutex_);
    arrived_.push_back(std::move(arrived));
    return arrived_.size() == 1;
  }

  // Calls `take(ArrivedResponse&&)` for each response. Those that arrive meanwhile get a task of their own.
  template <typename Take>
  void TakeEach(Take take) {
    {
      const base::MutexLock lock(mutex_);
      arrived_.swap(taken_);
    }
    for (ArrivedResponse& arrived : taken_) {
      base::RunUnlessOutOfMemory([&] { take(std::move(arrived)); });  // a failure does not affect the others
    }
    taken_.clear();
  }

 private:
  base::Mutex mutex_;
  std::vector<ArrivedResponse> arrived_ GUARDED_BY(mutex_);
  std::vector<ArrivedResponse> taken_;  // the loop's; empty outside of TakeEach
};

}  // namespace inferd::call
