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

// Writes that wait for a disk, on threads of their own, which the store commits together. Of an object, the last write
// that was asked for is the one that stands: one that has not begun is replaced by the next, and no two are under way
// at a time. Those that fail are tried again. Thread-safe.
class WriteQueue final {
 public:
  // False: it cannot be done now, as where the disk is full.
  using Write = std::function<bool()>;

  explicit WriteQueue(size_t threads, std::chrono::milliseconds retry_after = std::chrono::milliseconds(500));
  // Writes what waits; what fails then is dropped, as is what has failed.
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  void Submit(const apiserver::ObjectKey& key, Write write);

 private:
  void Run();
  // Until there is one to begin; false: there will be none.
  bool Await() REQUIRES(mutex_);
  void RetryFailed() REQUIRES(mutex_);
  void Do() REQUIRES(mutex_);

  const std::chrono::milliseconds retry_after_;
  base::Mutex mutex_;
  base::CondVar ready_;
  std::map<apiserver::ObjectKey, Write> waiting_ GUARDED_BY(mutex_);
  std::deque<apiserver::ObjectKey> order_ GUARDED_BY(mutex_);  // of those that may begin
  std::set<apiserver::ObjectKey> under_way_ GUARDED_BY(mutex_);
  std::map<apiserver::ObjectKey, Write> failed_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point retry_at_ GUARDED_BY(mutex_);  // if some have failed
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace inferd::local
