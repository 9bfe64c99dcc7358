#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "kserve/apiserver/store/stored_object.h"

namespace inferd::local {

// A queue of object writes, which threads of its own do, because they wait for the disk. The store commits concurrent
// writes together. For one object, the last submitted write wins: it replaces a write that has not begun, and two never
// run at the same time. Failed writes are retried. Thread-safe.
class WriteQueue final {
 public:
  // Returns false if the write must be retried, for example because the disk is full.
  using Write = std::function<bool()>;

  explicit WriteQueue(size_t threads, std::chrono::milliseconds retry_after = std::chrono::milliseconds(500));
  // Does the waiting writes. Writes that have failed, or fail now, are dropped.
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  void Submit(const apiserver::ObjectKey& key, Write write);

 private:
  void Run();
  // Waits for a write to begin. Returns false if there will be none.
  bool Await() REQUIRES(mutex_);
  void RetryFailed() REQUIRES(mutex_);
  void Do() REQUIRES(mutex_);

  const std::chrono::milliseconds retry_after_;
  base::Mutex mutex_;
  base::CondVar ready_;
  std::map<apiserver::ObjectKey, Write> waiting_ GUARDED_BY(mutex_);
  std::deque<apiserver::ObjectKey> order_ GUARDED_BY(mutex_);  // of writes that may begin
  std::set<apiserver::ObjectKey> under_way_ GUARDED_BY(mutex_);
  std::map<apiserver::ObjectKey, Write> failed_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point retry_at_ GUARDED_BY(mutex_);  // set if writes have failed
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace inferd::local
