#pragma once

#include <condition_variable>
#include <mutex>

// Clang's thread-safety annotations; empty for other compilers. The fuzz and tidy presets check them.
#if defined(__clang__)
#define INFERD_TSA(x) __attribute__((x))
#else
#define INFERD_TSA(x)
#endif
#define GUARDED_BY(x) INFERD_TSA(guarded_by(x))
#define REQUIRES(...) INFERD_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) INFERD_TSA(locks_excluded(__VA_ARGS__))

namespace inferd::base {

// A std::mutex with annotations.
class INFERD_TSA(capability("mutex")) Mutex {
 public:
  void lock() INFERD_TSA(acquire_capability()) { mutex_.lock(); }
  void unlock() INFERD_TSA(release_capability()) { mutex_.unlock(); }
  bool try_lock() INFERD_TSA(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

// Holds a Mutex for a scope. It may be released and taken again within the scope.
class INFERD_TSA(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) INFERD_TSA(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() INFERD_TSA(release_capability()) {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() INFERD_TSA(release_capability()) {
    mutex_.unlock();
    held_ = false;
  }
  void lock() INFERD_TSA(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

// A condition variable for a base::Mutex that the caller holds. Write the condition as a loop around Wait(), so that
// the annotations are checked.
class CondVar {
 public:
  void Wait(Mutex& mutex) REQUIRES(mutex) { cv_.wait(mutex); }
  template <typename TimePoint>
  std::cv_status WaitUntil(Mutex& mutex, TimePoint deadline) REQUIRES(mutex) {
    return cv_.wait_until(mutex, deadline);
  }
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable_any cv_;
};

}  // namespace inferd::base
