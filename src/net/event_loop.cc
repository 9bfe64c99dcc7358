#include "net/event_loop.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/memory_shortage.h"
#include "base/thread_pool.h"

namespace inferd::net {

namespace {

// The approximate cost for two threads of putting one to sleep and waking it.
constexpr int64_t kExpectNs = 30'000;
// Per turn, for receivers that wait for the turn's end.
constexpr int kLooksMax = 16;

}  // namespace

EventLoop::EventLoop(size_t index, std::string name, bool executes, base::Turn::Watch* watch)
    : index_(index),
      name_(name.empty() ? "loop-" + std::to_string(index) : std::move(name)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      now_ns_(clock_.NowNs()),
      timers_(now_ns_),
      waits_(epoll_.get()),
      turn_(name_, executes, &waits_, this, watch),
      replies_(*this) {
  // Edge-triggered: each write is an event, and nobody needs to read the counter.
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (!epoll_ || !wake_ || epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make an event loop");
  }
  thread_ = std::thread([this] { Run(nullptr); });
}

EventLoop::~EventLoop() { Stop(); }

void EventLoop::Post(base::Task task) {
  if (!tasks_.Push(std::move(task))) return;
  const uint64_t one = 1;
  // Fails only if the counter is full, and then the loop is awake.
  [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof(one));
}

Loop::TimerId EventLoop::RunAfter(std::chrono::milliseconds delay, base::Task task) {
  return timers_.Add(clock_.NowNs(), delay, std::move(task));
}

int64_t EventLoop::TurnNs() const {
  const int64_t began_ns = turn_began_ns_.load(std::memory_order_relaxed);
  return began_ns == 0 ? 0 : std::max<int64_t>(clock_.NowNs() - began_ns, 1);
}

void EventLoop::Stop() {
  if (!thread_.joinable()) return;
  stopping_.store(true, std::memory_order_relaxed);
  Post([] {});
  thread_.join();
  std::vector<LeftThread> left;
  {
    const base::MutexLock lock(left_mutex_);
    left.swap(left_threads_);
  }
  for (LeftThread& it : left) it.thread.join();
  tasks_.Close();
}

bool EventLoop::Watch(int fd, uint32_t epoll_events, Watcher& watcher) {
  epoll_event event{.events = epoll_events, .data = {.ptr = &watcher}};
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void EventLoop::Rewatch(int fd, uint32_t epoll_events, Watcher& watcher) {
  epoll_event event{.events = epoll_events, .data = {.ptr = &watcher}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::Unwatch(int fd, Watcher& watcher) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  for (epoll_event& event : dispatching_) {
    if (event.data.ptr == &watcher) event.data.ptr = nullptr;
  }
}

bool EventLoop::MoveIfHeld(int64_t now_ns) {
  base::Turn::Scope* const scope = scope_.load(std::memory_order_acquire);
  if (scope == nullptr || !scope->lent()) return false;
  if (!scope->Take(now_ns)) return true;
  {
    // The new thread waits for this lock before it continues.
    const base::MutexLock lock(left_mutex_);
    std::erase_if(left_threads_, [](LeftThread& left) {
      if (left.ended) left.thread.join();
      return left.ended;
    });
    try {
      left_threads_.reserve(left_threads_.size() + 1);
      std::thread next([this, scope] { Run(scope); });
      left_threads_.push_back({.thread = std::exchange(thread_, std::move(next))});
    } catch (const std::exception&) {  // no memory, or no thread available
      scope->Return();
      return true;
    }
  }
  moved_.acquire();
  return false;
}

bool EventLoop::AwaitLeftThreads(std::chrono::steady_clock::time_point deadline) {
  const base::MutexLock lock(left_mutex_);
  while (HasLeftThreads()) {
    if (left_changed_.WaitUntil(left_mutex_, deadline) == std::cv_status::timeout) return !HasLeftThreads();
  }
  return true;
}

bool EventLoop::HasLeftThreads() const {
  return std::ranges::any_of(left_threads_, [](const LeftThread& left) { return !left.ended; });
}

void EventLoop::EndLeftThread() {
  const base::MutexLock lock(left_mutex_);
  for (LeftThread& left : left_threads_) left.ended |= left.thread.get_id() == std::this_thread::get_id();
  left_changed_.NotifyAll();
}

void EventLoop::Continue(base::Turn::Scope& held) {
  {
    const base::MutexLock lock(left_mutex_);
  }
  held.Move();
  moved_.release();
  now_ns_ = clock_.NowNs();
  turn_began_ns_.store(now_ns_, std::memory_order_relaxed);
}

// A connection lends nothing itself: work that it would run at once becomes the turn's step, which runs with nothing of
// the connection on the stack.
[[gnu::always_inline]] inline bool EventLoop::Dispatch() {
  while (!dispatching_.empty()) {
    const epoll_event event = dispatching_.front();
    dispatching_ = dispatching_.subspan(1);
    {
      const base::Turn::More more(&turn_, !dispatching_.empty());
      if (event.data.ptr != nullptr) static_cast<Watcher*>(event.data.ptr)->OnReady(event.events);
    }
    if (!turn_.RunStep()) return false;
  }
  return true;
}

[[gnu::always_inline]] inline bool EventLoop::Flush() {
  // A connection that has room again passes on output that it held back.
  for (;;) {
    if (!turn_.End()) return false;
    if (flushes_.empty()) return true;
    std::swap(flushes_, flushing_);
    for (base::Task& flush : flushing_) base::RunUnlessOutOfMemory(flush);
    flushing_.clear();
  }
}

// Runs the turn from its first event, or from the point where another thread has left it.
[[gnu::always_inline]] inline bool EventLoop::FinishTurn() {
  if (!Dispatch()) return false;
  for (int looks = 0; looks < kLooksMax && turn_.TakeLookAgain(); ++looks) {
    dispatching_ = std::span(events_).first(static_cast<size_t>(std::max(Poll(0), 0)));
    if (!Dispatch()) return false;
  }
  timers_.Advance(now_ns_);
  tasks_.RunAll();
  return Flush();
}

void EventLoop::Run(base::Turn::Scope* held) {
  thread_id_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  base::SetThreadName(name_);
  base::Turn::Scope scope(turn_);
  scope_.store(&scope, std::memory_order_release);
  if (held != nullptr) Continue(*held);
  if ((held != nullptr && !FinishTurn()) || !RunTurns()) EndLeftThread();
}

bool EventLoop::RunTurns() {
  while (!stopping_.load(std::memory_order_relaxed)) {
    turn_began_ns_.store(0, std::memory_order_relaxed);
    const int ready = Wait();
    now_ns_ = clock_.NowNs();
    turn_began_ns_.store(now_ns_, std::memory_order_relaxed);
    turn_.Begin();
    dispatching_ = std::span(events_).first(static_cast<size_t>(std::max(ready, 0)));
    if (!FinishTurn()) return false;
  }
  // Deferred work is not dropped.
  while (turn_.continues()) {
    turn_.Begin();
    if (!turn_.End()) return false;
  }
  waits_.End();
  return turn_.End();
}

int EventLoop::Poll(int wait_ms) {
  return epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), wait_ms);
}

int EventLoop::Wait() {
  const int wait_ms = WaitMs();
  if (std::exchange(expects_soon_, false) && wait_ms != 0) {
    const int64_t until_ns = clock_.NowNs() + kExpectNs;
    do {
      if (const int ready = Poll(0); ready != 0) return ready;
      sched_yield();  // let the thread run that may send it
    } while (clock_.NowNs() < until_ns);
  }
  return Poll(wait_ms);
}

int EventLoop::WaitMs() {
  if (turn_.continues()) return 0;
  const std::optional<int64_t> next_ns = timers_.NextNs();
  int wait_ms = -1;
  if (next_ns.has_value()) {
    const int64_t left_ns = *next_ns - clock_.NowNs();
    wait_ms = left_ns <= 0 ? 0 : static_cast<int>(std::min<int64_t>(left_ns / 1'000'000 + 1, 60'000));
  }
  return tasks_.Sleep() ? wait_ms : 0;
}

}  // namespace inferd::net
