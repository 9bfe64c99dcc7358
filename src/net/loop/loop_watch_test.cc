#include "net/loop/loop_watch.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace inferd::net {
namespace {

// A loop that lends its turn if the test says so.
class WatchedLoop final : public LoopWatch::Subject {
 public:
  bool MoveIfHeld(int64_t now_ns) override {
    const base::MutexLock lock(mutex_);
    ++looks_;
    latest_ns_ = now_ns;
    changed_.NotifyAll();
    return lends_;
  }
  void StopWatching() override {
    const base::MutexLock lock(mutex_);
    ++stops_;
    changed_.NotifyAll();
  }

  void Lend(bool lends) {
    const base::MutexLock lock(mutex_);
    lends_ = lends;
  }
  int AwaitLooks(int more) {
    const base::MutexLock lock(mutex_);
    for (const int until = looks_ + more; looks_ < until;) changed_.Wait(mutex_);
    return looks_;
  }
  void AwaitStops(int stops) {
    const base::MutexLock lock(mutex_);
    while (stops_ < stops) changed_.Wait(mutex_);
  }
  int looks() {
    const base::MutexLock lock(mutex_);
    return looks_;
  }
  int stops() {
    const base::MutexLock lock(mutex_);
    return stops_;
  }
  int64_t latest_ns() {
    const base::MutexLock lock(mutex_);
    return latest_ns_;
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  bool lends_ GUARDED_BY(mutex_) = false;
  int looks_ GUARDED_BY(mutex_) = 0;
  int stops_ GUARDED_BY(mutex_) = 0;
  int64_t latest_ns_ GUARDED_BY(mutex_) = 0;
};

TEST(LoopWatchTest, LooksAtAllLoopsOnceOneLendsItsTurn) {
  WatchedLoop first;
  WatchedLoop second;
  LoopWatch watch;
  watch.Start({&first, &second});
  EXPECT_EQ(first.looks(), 0);
  const int64_t before_ns = base::SystemClock().NowNs();
  watch.WatchLent();
  first.AwaitLooks(2);
  second.AwaitLooks(1);
  EXPECT_GE(first.latest_ns(), before_ns);
}

TEST(LoopWatchTest, SleepsWhenNoLoopLendsItsTurnForAWhileAndWakesAgain) {
  WatchedLoop loop;
  LoopWatch watch;
  watch.Start({&loop});
  for (int round = 1; round <= 2; ++round) {
    watch.WatchLent();
    loop.AwaitStops(round);
  }
}

TEST(LoopWatchTest, DoesNotSleepWhileATurnIsLent) {
  WatchedLoop loop;
  loop.Lend(true);
  LoopWatch watch;
  watch.Start({&loop});
  watch.WatchLent();
  loop.AwaitLooks(30);
  EXPECT_EQ(loop.stops(), 0);
  loop.Lend(false);
  loop.AwaitStops(1);
}

TEST(LoopWatchTest, EndsWithoutLoops) {
  LoopWatch watch;
  watch.Stop();
  watch.Start({});
  watch.WatchLent();
  watch.Stop();
  watch.Stop();
}

}  // namespace
}  // namespace inferd::net
