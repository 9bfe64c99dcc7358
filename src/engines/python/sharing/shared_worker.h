#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace inferd::python {

// A worker that instances of several loads of one model may use, in turns. If only the number of a model's instances
// changes, the model is loaded again, and the new load's instances take over the workers of the old load's. Until the
// old load is gone, an instance that needs the worker takes it from the other one between two executions. `Link` is a
// worker. Thread-safe.
template <typename Link>
class SharedWorker final {
 public:
  // An instance that uses the worker.
  class User {
   public:
    // Gives up the worker. Returns nullopt if an execution is in progress, and null if it had no worker. Called on
    // another user's thread, under the lock of the shared worker.
    virtual std::optional<std::unique_ptr<Link>> Yield() = 0;
    // Gives up the worker for good. Null if it had none. Called by Leave(), under the same lock.
    virtual std::unique_ptr<Link> GiveUp() = 0;

   protected:
    ~User() = default;
  };

  // Adds a user. Returns false if the last user has left: the worker is gone.
  bool Join() {
    const base::MutexLock lock(mutex_);
    if (users_ < 0) return false;
    ++users_;
    return true;
  }

  // Removes the user. Returns the worker, or null if there is none, if this was the last user. Otherwise returns null,
  // and keeps the worker for the others.
  std::unique_ptr<Link> Leave(User& user) {
    const base::MutexLock lock(mutex_);
    if (holder_ == &user) {
      holder_ = nullptr;
      kept_ = user.GiveUp();
    }
    if (--users_ > 0) return nullptr;
    users_ = -1;
    return std::move(kept_);
  }

  // Returns the worker for the user. Blocks while another user has an execution in progress. Null if there is no
  // worker: the user must start it.
  std::unique_ptr<Link> Take(User& user) {
    while (true) {
      {
        const base::MutexLock lock(mutex_);
        if (holder_ == nullptr || holder_ == &user) {
          holder_ = &user;
          return std::move(kept_);
        }
        auto yielded = holder_->Yield();
        if (yielded.has_value()) {
          holder_ = &user;
          return *std::move(yielded);
        }
      }
      std::this_thread::sleep_for(kAskAgain);
    }
  }

  // Returns true if there is a worker, and the user does not hold it.
  bool IsElsewhere(const User& user) {
    const base::MutexLock lock(mutex_);
    return holder_ != &user && (holder_ != nullptr || kept_ != nullptr);
  }

 private:
  // The time between two questions for a worker that is busy.
  static constexpr std::chrono::milliseconds kAskAgain{1};

  base::Mutex mutex_;
  User* holder_ GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<Link> kept_ GUARDED_BY(mutex_);  // while nobody holds it
  int users_ GUARDED_BY(mutex_) = 0;               // -1 when the last one has left
};

// The workers of all loads of a model whose configurations differ in their instance groups alone. Thread-safe.
template <typename Link>
class SharedWorkers final {
 public:
  // Returns a worker for an instance of a load, which has joined it: one of an earlier load's instance of an equal
  // group that no instance of this load has taken yet (true), or else a new one (false).
  std::pair<std::shared_ptr<SharedWorker<Link>>, bool> Share(uint64_t load, const std::string& group) {
    const base::MutexLock lock(mutex_);
    std::erase_if(entries_, [](const Entry& entry) { return entry.worker.expired(); });
    for (Entry& entry : entries_) {
      if (entry.load == load || entry.group != group) continue;
      std::shared_ptr<SharedWorker<Link>> worker = entry.worker.lock();
      if (worker == nullptr || !worker->Join()) continue;
      entry.load = load;
      return {std::move(worker), true};
    }
    auto worker = std::make_shared<SharedWorker<Link>>();
    worker->Join();
    entries_.push_back({.group = group, .load = load, .worker = worker});
    return {std::move(worker), false};
  }

 private:
  struct Entry {
    std::string group;
    uint64_t load = 0;  // the last one that has taken it
    std::weak_ptr<SharedWorker<Link>> worker;
  };
  base::Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
};

// The shared workers of all models of this process, by ModelKey::key. Thread-safe.
template <typename Link>
class SharedWorkerTable final {
 public:
  // Returns the workers of the models with that key, and the load's number among all loads.
  std::pair<std::shared_ptr<SharedWorkers<Link>>, uint64_t> Add(const std::string& key) {
    const base::MutexLock lock(mutex_);
    std::erase_if(workers_, [](const auto& entry) { return entry.second.expired(); });
    std::shared_ptr<SharedWorkers<Link>> workers = workers_[key].lock();
    if (workers == nullptr) workers_[key] = workers = std::make_shared<SharedWorkers<Link>>();
    return {std::move(workers), ++loads_};
  }

 private:
  base::Mutex mutex_;
  std::map<std::string, std::weak_ptr<SharedWorkers<Link>>> workers_ GUARDED_BY(mutex_);
  uint64_t loads_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::python
