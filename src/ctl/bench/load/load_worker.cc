#include "ctl/bench/load/load_worker.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/clock.h"
#include "net/client/dial.h"

namespace inferd::ctl {

namespace {

constexpr size_t kInboxBytes = 256 * 1024;
constexpr uint64_t kTimerKey = ~uint64_t{0};
constexpr uint64_t kStopKey = kTimerKey - 1;

int64_t Now() { return base::SystemClock().NowNs(); }

// The CPU time and the waiting time of a thread so far, in nanoseconds.
struct CoreTime {
  double used = 0;
  double waited = 0;
};

// Reads proc(5), /proc/PID/schedstat. If the kernel does not provide it, only the CPU time is known.
CoreTime ThisThread() {
  CoreTime time;
  if (std::ifstream("/proc/thread-self/schedstat") >> time.used >> time.waited) return time;
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return {static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec), 0};
}

}  // namespace

LoadWorker::LoadWorker(const LoadOptions& options, size_t share, size_t shares)
    : options_(options), share_(share), shares_(shares), inbox_(kInboxBytes) {
  const size_t count = options.connections / shares + (share < options.connections % shares ? 1 : 0);
  connections_.resize(count);
  epoll_fd_ = ::epoll_create1(EPOLL_CLOEXEC);
  timer_fd_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = kTimerKey}};
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, timer_fd_, &event);
  stop_fd_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  event.data.u64 = kStopKey;
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, stop_fd_, &event);
}

LoadWorker::~LoadWorker() {
  for (const Connection& connection : connections_) {
    if (connection.fd >= 0) ::close(connection.fd);
  }
  ::close(stop_fd_);
  ::close(timer_fd_);
  ::close(epoll_fd_);
}

base::Status LoadWorker::Connect() {
  for (Connection& connection : connections_) INFERD_RETURN_IF_ERROR(Open(connection));
  return base::OkStatus();
}

base::Status LoadWorker::Open(Connection& connection) {
  INFERD_ASSIGN_OR_RETURN(connection.fd, net::Dial(options_.url, options_.unix_socket));
  connection.protocol = options_.protocol();
  connection.start_ns.assign(options_.in_flight, kIdle);
  connection.proven = false;
  connection.mute = false;
  ++alive_;
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.u64 = IndexOf(connection)}};
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, connection.fd, &event);
  return base::OkStatus();
}

void LoadWorker::SetTimes(int64_t count_from_ns, int64_t end_ns) {
  count_from_ns_ = count_from_ns;
  end_ns_ = end_ns;
}

void LoadWorker::Stop(int64_t now_ns) {
  end_ns_ = now_ns;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_fd_, &one, sizeof one);
}

void LoadWorker::Run() {
  const CoreTime before = ThisThread();
  begin_ns_ = Now();
  if (options_.rate > 0) arrivals_.emplace(options_.arrivals, options_.rate, options_.seed, share_, shares_);
  for (Connection& connection : connections_) BeginAll(connection);
  int64_t now = begin_ns_;
  for (; !Finished(now); now = Now()) WaitOnce(now);
  // Calls that never found a free connection were due too.
  for (; arrivals_ && begin_ns_ + arrivals_->next_ns() < end_ns(); arrivals_->Advance()) {
    if (begin_ns_ + arrivals_->next_ns() >= count_from_ns_) ++report_.due;
  }
  const CoreTime after = ThisThread();
  const auto wall_ns = static_cast<double>(std::max<int64_t>(now - begin_ns_, 1));
  report_.cpu_share = (after.used - before.used) / wall_ns;
  report_.busiest_thread = report_.cpu_share + (after.waited - before.waited) / wall_ns;
}

bool LoadWorker::Finished(int64_t now_ns) const {
  if (alive_ == 0) return true;
  if (now_ns < end_ns()) return false;
  if (!arrivals_ || now_ns >= end_ns() + std::chrono::nanoseconds(options_.drain).count()) return true;
  return under_way_ == 0 && begin_ns_ + arrivals_->next_ns() >= end_ns();
}

void LoadWorker::WaitOnce(int64_t now_ns) {
  const int64_t until_ns = now_ns < end_ns() ? end_ns() : end_ns() + std::chrono::nanoseconds(options_.drain).count();
  const auto wait_ms = static_cast<int>((until_ns - now_ns) / 1'000'000 + 1);
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_fd_, events.data(), static_cast<int>(events.size()), wait_ms);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    if (event.data.u64 == kTimerKey) {
      armed_ns_ = 0;
      BeginDue();
      continue;
    }
    if (event.data.u64 == kStopKey) continue;  // the loop checks the time
    Connection& connection = connections_[event.data.u64];
    if (connection.fd >= 0) Flush(connection);
    if ((event.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && connection.fd >= 0) Receive(connection);
  }
}

void LoadWorker::Begin(Connection& connection, size_t call, int64_t start_ns) {
  ++under_way_;
  connection.start_ns[call] = start_ns;
  connection.protocol->Begin(call);
}

void LoadWorker::BeginAll(Connection& connection) {
  for (size_t call = 0; call < options_.in_flight; ++call) GoOn(connection, call);
  Flush(connection);
}

void LoadWorker::Flush(Connection& connection) {
  while (!connection.mute) {
    const std::string_view output = connection.protocol->Output();
    if (output.empty()) return;
    const ssize_t n = ::send(connection.fd, output.data(), output.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      connection.protocol->Sent(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      // A server that refuses a body early answers before it closes, so Receive must still read that answer.
      connection.mute = errno != EAGAIN;
      return;
    }
  }
}

void LoadWorker::Receive(Connection& connection) {
  for (;;) {
    const ssize_t n = ::recv(connection.fd, inbox_.data(), inbox_.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return Break(connection, n == 0 ? "the server closed the connection" : std::strerror(errno));
    answers_.clear();
    const LoadProtocol::State state = connection.protocol->Read({inbox_.data(), static_cast<size_t>(n)}, answers_);
    for (LoadProtocol::Answer& answer : answers_) OnAnswer(connection, answer);
    if (state != LoadProtocol::State::kOpen) return Break(connection, connection.protocol->error());
    for (const LoadProtocol::Answer& answer : answers_) GoOn(connection, answer.call);
    Flush(connection);
    // After a short read nothing remains; the next event reports new data.
    if (static_cast<size_t>(n) < inbox_.size()) return;
  }
}

void LoadWorker::OnAnswer(Connection& connection, LoadProtocol::Answer& answer) {
  const int64_t now = Now();
  const int64_t start_ns = std::exchange(connection.start_ns[answer.call], kIdle);
  connection.proven = true;
  --under_way_;
  if (answer.error.empty() && now >= count_from_ns_ && now <= end_ns()) {
    completed_.store(++report_.completed, std::memory_order_relaxed);
  }
  if (!Counts(start_ns, now)) return;
  if (answer.error.empty()) {
    ++report_.answered;
    report_.latency.Record(static_cast<uint64_t>(now - start_ns));
  } else {
    ++report_.refused;
    NoteRefusal(answer.error);
  }
}

void LoadWorker::Break(Connection& connection, std::string_view why) {
  for (const int64_t start_ns : connection.start_ns) {
    if (start_ns == kIdle) continue;
    --under_way_;
    if (Counts(start_ns, Now())) ++report_.broken;
    NoteError(why);
  }
  ::close(connection.fd);
  connection.fd = -1;
  --alive_;
  std::erase_if(idle_, [index = IndexOf(connection)](const IdleCall& idle) { return idle.connection == index; });
  // A new connection would only fail again if this one never got a response.
  if (!connection.proven) return;
  if (const base::Status status = Open(connection); !status.ok()) {
    NoteError(status.message());
    return;
  }
  BeginAll(connection);
}

void LoadWorker::GoOn(Connection& connection, size_t call) {
  const int64_t now = Now();
  if (!arrivals_) {
    if (now < end_ns()) Begin(connection, call, now);
    return;
  }
  idle_.push_back({IndexOf(connection), call, now});
  BeginDue();
}

bool LoadWorker::Counts(int64_t start_ns, int64_t now_ns) const {
  if (arrivals_) return start_ns >= count_from_ns_ && start_ns < end_ns();
  return now_ns >= count_from_ns_ && now_ns <= end_ns();
}

void LoadWorker::BeginDue() {
  const int64_t now = Now();
  while (!idle_.empty()) {
    const int64_t due = begin_ns_ + arrivals_->next_ns();
    if (due >= end_ns()) return;
    if (due > now) return ArmTimer(due);
    BeginNext(due, now);
  }
  // No connection is free. The next response calls this again.
}

void LoadWorker::BeginNext(int64_t due_ns, int64_t now_ns) {
  // The first idle slot has been free for longest. If a call was due after that, its delay is the generator's.
  const int64_t idle_since_ns = idle_.front().since_ns;
  const IdleCall idle = idle_.back();
  idle_.pop_back();
  arrivals_->Advance();
  Connection& connection = connections_[idle.connection];
  Begin(connection, idle.call, due_ns);
  Flush(connection);
  if (due_ns < count_from_ns_) return;
  ++report_.due;
  report_.lag.Record(static_cast<uint64_t>(std::max<int64_t>(now_ns - std::max(due_ns, idle_since_ns), 0)));
}

void LoadWorker::ArmTimer(int64_t due_ns) {
  if (armed_ns_ == due_ns) return;
  armed_ns_ = due_ns;
  const itimerspec at{.it_interval = {},
                      .it_value = {.tv_sec = due_ns / 1'000'000'000, .tv_nsec = due_ns % 1'000'000'000}};
  ::timerfd_settime(timer_fd_, TFD_TIMER_ABSTIME, &at, nullptr);
}

void LoadWorker::NoteRefusal(std::string_view text) {
  NoteError(text);
  const std::string kind(text.substr(0, text.find(':')));
  if (report_.refused_as.contains(kind) || report_.refused_as.size() < LoadReport::kErrorKindsMax) {
    ++report_.refused_as[kind];
  }
}

void LoadWorker::NoteError(std::string_view text) {
  if (report_.first_error.empty()) report_.first_error = text;
}

}  // namespace inferd::ctl
