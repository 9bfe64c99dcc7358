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

// A connection to a Redis, on a thread of its own, that never blocks a caller. Every lookup is answered within the
// timeout, if need be with nothing. While the Redis is unreachable or too slow, lookups are answered with nothing at
// once. After a few lookups in a row without a reply in time, the link drops the connection. It connects again after a
// pause, which grows with each failure. Thread-safe.
class RedisLink final {
 public:
  struct Options {
    RedisConnection::Target target = {};
    std::string user = {};      // empty means the default user
    std::string password = {};  // empty if none is needed
    uint32_t database = 0;
    size_t value_bytes_max = size_t{8} << 20;  // a reply with a longer value ends the connection
    std::chrono::milliseconds timeout{10};
    std::chrono::milliseconds connect_timeout{1'000};
    std::chrono::milliseconds pause_min{100};
    std::chrono::milliseconds pause_max{5'000};
  };
  // The logger outlives this object.
  RedisLink(Options options, base::Logger& logger);
  // Answers all open lookups.
  ~RedisLink();
  RedisLink(const RedisLink&) = delete;
  RedisLink& operator=(const RedisLink&) = delete;

  // Returns true if the link is connected and the last lookups were answered in time.
  bool up() const { return up_.load(std::memory_order_relaxed); }

  // Looks up a value. `reply` is called once, on any thread, with nothing if there is no value, or none in time. It
  // must be quick: on the link's thread, other lookups wait for it. The view is valid during the call.
  using Reply = std::move_only_function<void(std::optional<std::string_view>)>;
  void Get(std::string key, Reply reply);
  // Stores a value. Does nothing if the link is not up, or has too much to send already. `ttl` 0 means for ever.
  void Set(std::string key, std::string value, std::chrono::milliseconds ttl);

  uint64_t timeouts() const { return timeouts_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Question;
  struct Command {
    std::string key;
    std::string value;                   // only of a SET
    std::chrono::milliseconds ttl{0};    // of the value
    std::shared_ptr<Question> question;  // null for a SET
  };
  // The command whose reply is expected. The Redis replies in the order of the commands.
  struct Awaited {
    enum class To { kIntroduction, kPing, kSet, kGet };
    To to = To::kIntroduction;
    size_t bytes = 0;                    // of kSet: the value's bytes
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

  // Used by the link's thread alone.
  std::unique_ptr<RedisConnection> connection_;  // null if there is no connection, not even a starting one
  std::string problem_;                          // why the connection is unusable; empty if it is usable
  std::deque<Awaited> awaited_;
  std::deque<std::shared_ptr<Question>> questions_;
  int late_in_a_row_ = 0;
  Clock::time_point connect_by_;  // while it is not up
  Clock::time_point next_try_;
  std::chrono::milliseconds pause_;
  bool complained_ = false;  // the log says that the Redis is unreachable
  std::thread thread_;       // last, as it uses the other members
};

}  // namespace inferd::cache
