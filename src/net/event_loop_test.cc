#include "net/event_loop.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <latch>
#include <memory>
#include <thread>

#include "net/loop_group.h"

namespace inferd::net {
namespace {

TEST(EventLoopTest, RunsPostedTasksOnItsThreadInOrder) {
  EventLoop loop(3);
  EXPECT_EQ(loop.index(), 3u);
  EXPECT_FALSE(loop.InLoopThread());
  std::promise<std::vector<int>> result;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    loop.Post([&order, &loop, i] { order.push_back(loop.InLoopThread() ? i : -1); });
  }
  loop.Post([&] { result.set_value(order); });
  const std::vector<int> got = result.get_future().get();
  ASSERT_EQ(got.size(), 100u);
  EXPECT_EQ(got.front(), 0);
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
}

TEST(EventLoopTest, TimersFireInOrder) {
  EventLoop loop(0);
  std::promise<std::string> result;
  std::string order;
  loop.Post([&] {
    loop.RunAfter(std::chrono::milliseconds(40), [&] { result.set_value(order + "b"); });
    loop.RunAfter(std::chrono::milliseconds(10), [&] { order += "a"; });
    loop.CancelTimer(loop.RunAfter(std::chrono::milliseconds(10), [&] { order += "x"; }));
  });
  EXPECT_EQ(result.get_future().get(), "ab");
}

// Reads one byte at a time, and reports the end.
class ByteWatcher final : public EventLoop::Watcher {
 public:
  ByteWatcher(EventLoop& loop, int fd) : loop_(loop), fd_(fd) {}
  void OnReady(uint32_t) override {
    char byte = 0;
    if (recv(fd_, &byte, 1, 0) == 1) {
      text_ += byte;
      return;
    }
    loop_.Unwatch(fd_, *this);
    loop_.AtEndOfTurn([this] { result.set_value(text_); });
  }
  std::promise<std::string> result;

 private:
  EventLoop& loop_;
  const int fd_;
  std::string text_;
};

TEST(EventLoopTest, WatchesADescriptorLevelTriggered) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const base::FileDescriptor ours(pair[0]);
  base::FileDescriptor theirs(pair[1]);
  EventLoop loop(0);
  ByteWatcher watcher(loop, ours.get());
  loop.Post([&] { loop.Watch(ours.get(), EPOLLIN, watcher); });
  ASSERT_EQ(send(theirs.get(), "hello", 5, 0), 5);
  theirs.Close();
  EXPECT_EQ(watcher.result.get_future().get(), "hello");
}

// Makes the other end of a pair ready when it is ready itself.
class ChainWatcher final : public EventLoop::Watcher {
 public:
  ChainWatcher(EventLoop& loop, bool looks_again) : loop_(loop), looks_again_(looks_again) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    first_ = base::FileDescriptor(pair[0]);
    second_ = base::FileDescriptor(pair[1]);
  }
  void Start() {
    loop_.Watch(first_.get(), EPOLLIN, *this);
    EXPECT_EQ(send(second_.get(), "1", 1, 0), 1);
  }
  void OnReady(uint32_t) override {
    char byte = 0;
    EXPECT_EQ(recv(first_.get(), &byte, 1, 0), 1);
    order_ += byte;
    if (byte == '2') return;
    EXPECT_EQ(send(second_.get(), "2", 1, 0), 1);
    base::Turn& turn = *base::Turn::Current();
    if (looks_again_) turn.LookAgain();
    turn.AtEnd([this] { order_ += 'e'; });
    loop_.RunAfter(std::chrono::milliseconds(1), [this] {
      loop_.Unwatch(first_.get(), *this);
      result.set_value(order_);
    });
  }
  std::promise<std::string> result;

 private:
  EventLoop& loop_;
  const bool looks_again_;
  base::FileDescriptor first_;
  base::FileDescriptor second_;
  std::string order_;
};

TEST(EventLoopTest, WhoAsksForItGetsWhatHasBecomeReadyInTheSameTurn) {
  for (const bool looks_again : {false, true}) {
    EventLoop loop(0);
    ChainWatcher watcher(loop, looks_again);
    loop.Post([&] { watcher.Start(); });
    EXPECT_EQ(watcher.result.get_future().get(), looks_again ? "12e" : "1e2");
    loop.Stop();
  }
}

TEST(EventLoopTest, WhoExpectsMoreMissesNothingElse) {
  EventLoop loop(0);
  for (int round = 0; round < 100; ++round) {
    std::promise<void> posted, fired;
    loop.Post([&] {
      loop.ExpectSoon();
      loop.RunAfter(std::chrono::milliseconds(1), [&] { fired.set_value(); });
    });
    loop.Post([&] { posted.set_value(); });
    posted.get_future().wait();
    fired.get_future().wait();
  }
  loop.Post([&] { loop.ExpectSoon(); });
  loop.Stop();
}

// A foreign descriptor, which the test writes to.
class AwaitReadableTest : public ::testing::Test {
 protected:
  AwaitReadableTest() { MakePair(); }

  void MakePair() {
    std::array<int, 2> sockets{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
    ours_ = base::FileDescriptor(sockets[0]);
    theirs_ = base::FileDescriptor(sockets[1]);
  }

  // Awaits the descriptor on the loop. The future is ready when the callback has been called once.
  std::future<void> Await() {
    auto called = std::make_shared<std::promise<void>>();
    std::future<void> future = called->get_future();
    std::promise<bool> waits;
    loop_->Post(
        [&] { waits.set_value(base::Turn::Current()->AwaitReadable(ours_.get(), [called] { called->set_value(); })); });
    EXPECT_TRUE(waits.get_future().get());
    return future;
  }

  void Write() { ASSERT_EQ(write(theirs_.get(), "x", 1), 1); }
  void Read() {
    char byte = 0;
    ASSERT_EQ(read(ours_.get(), &byte, 1), 1);
  }
  static bool IsReady(const std::future<void>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  std::unique_ptr<EventLoop> loop_ = std::make_unique<EventLoop>(0);
  base::FileDescriptor ours_;
  base::FileDescriptor theirs_;
};

TEST_F(AwaitReadableTest, RunsOnceForEachTimeThatItIsAskedFor) {
  for (int i = 0; i < 3; ++i) {
    std::future<void> called = Await();
    EXPECT_FALSE(IsReady(called));
    Write();
    called.get();
    Read();
  }
  // Bytes that came before are reported too, and so is the end.
  Write();
  Await().get();
  Read();
  theirs_.Close();
  Await().get();
}

TEST_F(AwaitReadableTest, AskedAgainItRunsForNothing) {
  std::future<void> first = Await();
  const std::future<void> second = Await();
  first.get();
  EXPECT_FALSE(IsReady(second));
}

TEST_F(AwaitReadableTest, ADescriptorMayBeClosedAndItsNumberBeAnothers) {
  const int number = ours_.get();
  std::future<void> first = Await();
  ours_.Close();
  theirs_.Close();
  MakePair();
  ASSERT_EQ(ours_.get(), number);
  std::future<void> second = Await();
  first.get();
  Write();
  second.get();
}

TEST_F(AwaitReadableTest, TheEndOfTheLoopRunsWhatStillWaits) {
  std::future<void> called = Await();
  loop_.reset();
  called.get();
}

TEST_F(AwaitReadableTest, AtTheEndOfTheLoopNothingIsWaitedForAnew) {
  std::promise<bool> waits_again;
  std::promise<void> waits;
  loop_->Post([&] {
    base::Turn* const turn = base::Turn::Current();
    turn->AwaitReadable(
        ours_.get(), [this, turn, &waits_again] { waits_again.set_value(turn->AwaitReadable(theirs_.get(), [] {})); });
    waits.set_value();
  });
  waits.get_future().get();
  loop_.reset();
  EXPECT_FALSE(waits_again.get_future().get());
}

TEST_F(AwaitReadableTest, OtherThreadsDoNotWaitSo) {
  base::Turn turn;
  EXPECT_FALSE(turn.AwaitReadable(ours_.get(), [] {}));
  std::promise<bool> waits;
  loop_->Post([&] { waits.set_value(base::Turn::Current()->AwaitReadable(-1, [] {})); });
  EXPECT_FALSE(waits.get_future().get());
}

TEST(EventLoopTest, StoppedDestroysWhatIsPosted) {
  EventLoop loop(0);
  loop.Stop();
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  loop.Post([held = std::move(held)] { FAIL(); });
  EXPECT_TRUE(watched.expired());
}

// A task of a loop that stays in foreign code until Release().
class ForeignCode final : public base::Turn::Borrower {
 public:
  explicit ForeignCode(Loop& loop) : loop_(loop) {
    loop.Post([this] {
      base::Turn::Current()->AtEnd([this] {
        thread_ = std::this_thread::get_id();
        {
          const base::Turn::Loan loan(base::Turn::Scope::Current(), 1, *this);  // which is over already
          release_.wait();
        }
        lost_.set_value(base::Turn::Current() == nullptr && !loop_.InLoopThread());
      });
    });
    moved_.wait();
  }
  void OnMoved() override { moved_.count_down(); }
  void Release() { release_.count_down(); }
  bool AwaitLost() { return lost_.get_future().get(); }
  std::thread::id thread() const { return thread_; }

 private:
  Loop& loop_;
  std::thread::id thread_;
  std::latch moved_{1};
  std::latch release_{1};
  std::promise<bool> lost_;
};

TEST(LoopGroupTest, ALoopGoesOnOnAnotherThreadWhileATaskIsInForeignCodeForTooLong) {
  LoopGroup loops(1);
  Loop& loop = loops.at(0);
  for (int round = 0; round < 3; ++round) {
    ForeignCode held(loop);
    std::promise<bool> elsewhere;
    std::promise<void> fired;
    loop.Post([&] {
      elsewhere.set_value(loop.InLoopThread() && held.thread() != std::this_thread::get_id());
      loop.RunAfter(std::chrono::milliseconds(1), [&] { fired.set_value(); });
    });
    EXPECT_TRUE(elsewhere.get_future().get());
    fired.get_future().get();
    held.Release();
    EXPECT_TRUE(held.AwaitLost());
  }
}

TEST(LoopGroupTest, ALoopIsMovedAgainWhileAThreadIsHeld) {
  LoopGroup loops(2);
  ForeignCode first(loops.at(0));
  ForeignCode second(loops.at(0));
  ForeignCode other(loops.at(1));
  std::latch ran(2);
  for (size_t i = 0; i < 2; ++i) loops.at(i).Post([&ran] { ran.count_down(); });
  ran.wait();
  for (ForeignCode* const held : {&second, &other, &first}) {
    held->Release();
    EXPECT_TRUE(held->AwaitLost());
  }
}

TEST(LoopGroupTest, HasTheLoopsAskedFor) {
  LoopGroup loops(3);
  ASSERT_EQ(loops.size(), 3u);
  std::latch ran(3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(loops.at(i).index(), i);
    loops.at(i).Post([&ran] { ran.count_down(); });
  }
  ran.wait();
  loops.Stop();
  EXPECT_GE(LoopGroup().size(), 1u);
  EXPECT_LE(LoopGroup().size(), 8u);
}

}  // namespace
}  // namespace inferd::net
