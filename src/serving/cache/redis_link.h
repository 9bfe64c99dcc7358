#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "serving/cache/redis_connection.h"

namespace inferd::cache {

// A connection to a Redis, on a thread of its own, that never makes a caller wait: what it is asked is answered within
// the timeout, with nothing if need be. While the Redis is away, or too slow, it is answered so at once: after a few
// questions in a row without an answer in time, the connection is given up, and tried again after a pause that grows as
// long as it does not help. Thread-safe.
class RedisLink final {
 public:
  struct Options {
    RedisConnection::Target target = {};
    std::string user = {};      // empty: the default one
    std::string password = {};  // empty: none is asked for
    uint32_t database = 0;
    size_t value_bytes_max = size_t{8} << 20;  // a longer value that is got ends the connection
    std::chrono::milliseconds timeout{10};
    std::chrono::milliseconds connect_timeout{1'000};
    std::chrono::milliseconds pause_min{100};
    std::chrono::milliseconds pause_max{5'000};
  };
  // The logger outlives it.
  RedisLink(Options options, base::Logger& logger);
  // Answers what is open.
  ~RedisLink();
  RedisLink(const RedisLink&) = delete;
  RedisLink& operator=(const RedisLink&) = delete;

  // Whether it is connected, and was answered in time of late.
  bool up() const { return up_.load(std::memory_order_relaxed); }

  // The value, or nothing: there is none, or none in time. Called once, on any thread, and not for long: on that of the
  // link the others wait. The view lasts as long as the call.
  using Reply = std::move_only_function<void(std::optional<std::string_view>)>;
  void Get(std::string key, Reply reply);
  // Forgotten if the link is not up, or has too much to send already. `ttl` 0: for good.
  void Set(std::string key, std::string value, std::chrono::milliseconds ttl);

  uint64_t timeouts() const { return timeouts_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Question;
  struct Command {
    std::string key;
    std::string value;                   // to be set
    std::chrono::milliseconds ttl{0};    // of it
    std::shared_ptr<Question> question;  // null: to be set
  };
  // What a reply will be to; the Redis answers in the order in which it is asked.
  struct Awaited {
    enum class To { kIntroduction, kPing, kSet, kGet };
    To to = To::kIntroduction;
    size_t bytes = 0;                    // kSet: of the value
    std::shared_ptr<Question> question;  // kGet
  };

  void Push(Command command);
  void Run();
  std::vector<Command> TakeCommands();
  void Send(Command& command);
  void Connect();
  void Introduce();
  void AnswerLate();
  int PollTimeoutMs();
  void Poll();
  void Drop(const std::string& why);
  void OnReply(const redisReply& reply);
  void OnIntroduced(const redisReply& reply, bool ping);
  std::string Shown(std::string_view error) const;
  void Proven();

  const Options options_;
  base::Logger& logger_;
  std::atomic<bool> up_{false};
  std::atomic<uint64_t> timeouts_{0};
  std::atomic<size_t> sending_bytes_{0};

  base::Mutex mutex_;
  std::vector<Command> commands_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  const int wake_;  // an eventfd

  // The thread's own.
  std::unique_ptr<RedisConnection> connection_;  // null: not connected, nor about to
  std::string problem_;                          // why the connection is of no use; empty: it is
  std::deque<Awaited> awaited_;
  std::deque<std::shared_ptr<Question>> questions_;
  int late_in_a_row_ = 0;
  Clock::time_point connect_by_;  // while it is not up
  Clock::time_point next_try_;
  std::chrono::milliseconds pause_;
  bool complained_ = false;  // the log says that it is away
  std::thread thread_;       // last: it uses the others
};

}  // namespace inferd::cache
