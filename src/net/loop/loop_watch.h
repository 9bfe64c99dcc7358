#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/turn.h"

namespace inferd::net {

// Moves loops away from threads that are stuck in an execution (base::Turn). Looks every 10 ms while loops lend their
// turns; its thread sleeps when none has for 0.2 s. WatchLent() is thread-safe; the other methods are for the owner
// only.
class LoopWatch final : public base::Turn::Watch {
 public:
  // A loop as its watch sees it. The watch's thread calls both methods.
  class Subject {
   public:
    // Moves the loop if its turn's loan ended at `now_ns` or earlier. Returns true if the turn is lent.
    virtual bool MoveIfHeld(int64_t now_ns) = 0;
    // Makes the next loan call WatchLent() again.
    virtual void StopWatching() = 0;

   protected:
    ~Subject() = default;
  };

  static constexpr int64_t kLookEveryNs = 20'000'000;

  LoopWatch() = default;
  ~LoopWatch() { Stop(); }
  LoopWatch(const LoopWatch&) = delete;
  LoopWatch& operator=(const LoopWatch&) = delete;

  // Call once. The loops must outlive Stop().
  void Start(std::vector<Subject*> loops);
  // Stops the thread and waits for it. Idempotent.
  void Stop();

  void WatchLent() override;

 private:
  void Run();
  void Look();

  const base::SystemClock clock_{};
  std::vector<Subject*> loops_;
  int looks_left_ = 0;  // passes of the thread before it sleeps
  base::Mutex mutex_;
  base::CondVar changed_;
  bool lent_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace inferd::net
