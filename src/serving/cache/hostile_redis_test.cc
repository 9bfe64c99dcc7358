// Tests a Redis that replies to lookups with invalid replies, or with endless ones. In every case, each lookup is
// answered in time, little memory is used, and a Redis that behaves well afterwards is used again.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "serving/cache/cache_fixture.h"
#include "serving/cache/redis_link.h"
#include "serving/cache/redis_store.h"
#include "tests/support/allocated_bytes.h"
#include "tests/support/loopback_listener.h"

namespace inferd::cache {
namespace {

constexpr std::chrono::seconds kGuard{30};
constexpr size_t kMemoryMaxMb = 64;      // for one Redis
constexpr size_t kAllMemoryMaxMb = 512;  // for all of them at once

// A client's connection, to which a behaviour writes.
class Client final {
 public:
  Client(int socket, const std::atomic<bool>& ending) : socket_(socket), ending_(ending) {}

  // Returns false if the peer has closed the connection, or the test is over.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      if (ending_) return false;
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      if (errno != EAGAIN) return false;
      Await(POLLOUT, 10);
    }
    return !ending_;
  }
  // Holds the connection until the peer closes it.
  void Hold() const {
    char bytes[4096];
    while (!ending_ && (!Await(POLLIN, 10) || ::recv(socket_, bytes, sizeof bytes, 0) > 0)) {
    }
  }
  void Pause() const { Await(0, 1); }

 private:
  bool Await(int16_t events, int time_ms) const {
    pollfd polled{.fd = socket_, .events = events, .revents = 0};
    return ::poll(&polled, 1, time_ms) > 0;
  }

  const int socket_;
  const std::atomic<bool>& ending_;
};

using Behaviour = std::function<void(const Client& client)>;

// Greets like a Redis, and replies to each GET by a behaviour, after which it closes the connection.
class HostileRedis final {
 public:
  HostileRedis() : thread_([this] { Run(); }) {}
  ~HostileRedis() {
    ending_ = true;
    thread_.join();
  }
  uint16_t port() const { return listener_.port(); }
  // Returns the number of lookups that it has begun to answer.
  int asked() const { return asked_; }
  void Become(Behaviour behaviour) {
    const base::MutexLock lock(mutex_);
    behaviour_ = std::move(behaviour);
  }

 private:
  void Run() {
    while (!ending_) {
      const base::FileDescriptor client = listener_.Accept();
      if (client) Serve(client.get());
    }
  }
  void Serve(int socket) {
    const Client client(socket, ending_);
    std::string in;
    char bytes[4096];
    while (!ending_) {
      pollfd polled{.fd = socket, .events = POLLIN, .revents = 0};
      if (::poll(&polled, 1, 10) <= 0) continue;
      const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
      if (count <= 0) return;
      in.append(bytes, static_cast<size_t>(count));
      if (in.contains("PING")) client.Send("+PONG\r\n");
      const bool asked = in.contains("GET");
      in.clear();
      if (!asked) continue;
      Behaviour behaviour;
      {
        const base::MutexLock lock(mutex_);
        behaviour = behaviour_;
      }
      ++asked_;
      return behaviour(client);
    }
  }

  support::LoopbackListener listener_;
  std::atomic<bool> ending_{false};
  std::atomic<int> asked_{0};
  base::Mutex mutex_;
  Behaviour behaviour_ GUARDED_BY(mutex_);
  std::thread thread_;
};

// Returns the allocated memory. The resident memory is several times that under a sanitizer.
size_t MemoryMb() { return support::AllocatedBytes() >> 20; }

Behaviour Once(std::string bytes) {
  return [bytes = std::move(bytes)](const Client& client) {
    client.Send(bytes);
    client.Hold();
  };
}

Behaviour Endless(std::string begin, std::string piece) {
  return [begin = std::move(begin), piece = std::move(piece)](const Client& client) {
    for (bool goes_on = client.Send(begin); goes_on; goes_on = client.Send(piece)) {
    }
  };
}

Behaviour ByteByByte(std::string bytes) {
  return [bytes = std::move(bytes)](const Client& client) {
    for (const char byte : bytes) {
      if (!client.Send({&byte, 1})) return;
      client.Pause();
    }
    client.Hold();
  };
}

struct Named {
  std::string name;
  Behaviour behaviour;
};

std::vector<Named> Behaviours() {
  std::vector<Named> all;
  // Replies that announce more than is allowed, or another type than expected.
  for (const char* head : {"*2147483647\r\n",
                           "*1000000\r\n",
                           "*1\r\n*1\r\n*1\r\n*1\r\n",
                           "*-1\r\n",
                           "%1000000\r\n",
                           "~1000000\r\n",
                           ">1000000\r\n",
                           "|1\r\n",
                           "=1000000000\r\n",
                           "_\r\n",
                           "#t\r\n",
                           ",1.5\r\n",
                           "(123\r\n",
                           "$2147483647\r\n",
                           "$1073741824\r\n",
                           "$9223372036854775807\r\n",
                           "$99999999999999999999\r\n",
                           "$-2\r\n",
                           "$x\r\n",
                           "$\r\n",
                           "+OK\n*2147483647\r\n",
                           "what\r\n",
                           "\r\n",
                           "\r\n\r\n",
                           "HTTP/1.1 400 Bad Request\r\n\r\n"}) {
    all.push_back({head, Once(head)});
    all.push_back({std::string(head) + " byte by byte", ByteByByte(head)});
  }
  const std::string piece(64 << 10, 'x');
  std::string values;
  while (values.size() < piece.size()) values += "$1\r\nx\r\n";
  all.push_back({"zeros", Endless("", std::string(piece.size(), '\0'))});
  all.push_back({"a line without end", Endless("+", piece)});
  all.push_back({"an error without end", Endless("-", piece)});
  all.push_back({"a number without end", Endless(":", std::string(piece.size(), '1'))});
  all.push_back({"a size without end", Endless("$", std::string(piece.size(), '1'))});
  all.push_back({"a value without end", Endless("$2147483647\r\n", piece)});
  all.push_back({"values without end", Endless("", values)});
  all.push_back({"arrays in arrays without end", Endless("", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n")});
  all.push_back({"a value that never comes", Once("$5\r\n")});
  all.push_back({"a value that stops", Once("$1000000\r\nabc")});
  all.push_back({"a value byte by byte", ByteByByte("$5000\r\n" + std::string(5000, 'x') + "\r\n")});
  all.push_back({"two values for one", Once("$1\r\na\r\n$1\r\nb\r\n")});
  all.push_back({"nothing", Once("")});
  all.push_back({"the end", [](const Client&) {}});
  all.push_back({"half of a head, and the end", [](const Client& client) { client.Send("$5"); }});
  all.push_back({"half of a value, and the end", [](const Client& client) { client.Send("$5\r\nab"); }});
  return all;
}

RedisLink::Options Hasty(const HostileRedis& redis) {
  RedisLink::Options options;
  options.target = {.host = "127.0.0.1", .port = redis.port(), .tls = nullptr, .tls_name = {}};
  options.timeout = std::chrono::milliseconds(20);
  options.pause_min = options.pause_max = std::chrono::milliseconds(1);
  return options;
}

TEST(HostileRedisTest, NoLookupWaitsAndLittleMemoryIsTaken) {
  const std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  HostileRedis redis;
  RedisLink link(Hasty(redis), *logger);
  // Returns the value, "none", or "late".
  const auto get = [&link](const std::string& key) {
    auto told = std::make_shared<std::promise<std::string>>();
    std::future<std::string> value = told->get_future();
    link.Get(key,
             [told](std::optional<std::string_view> reply) { told->set_value(std::string(reply.value_or("none"))); });
    return value.wait_for(kGuard) == std::future_status::ready ? value.get() : "late";
  };
  const auto await_up = [&link] {
    const auto until = std::chrono::steady_clock::now() + kGuard;
    while (!link.up() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return link.up();
  };
  const size_t before_mb = MemoryMb();
  const std::vector<Named> behaviours = Behaviours();
  EXPECT_GE(behaviours.size(), 30u);
  for (const auto& [name, behaviour] : behaviours) {
    redis.Become(behaviour);
    // A connection without replies is dropped after a few lookups. The behaviour then applies to the next connection.
    const int asked = redis.asked();
    while (redis.asked() == asked) {
      ASSERT_TRUE(await_up()) << name;
      const std::string got = get("a");
      ASSERT_NE(got, "late") << name;
      EXPECT_TRUE(got == "none" || name.contains("value")) << name << ": " << got.substr(0, 20);
    }
    EXPECT_LE(MemoryMb(), before_mb + kMemoryMaxMb) << name;
  }
  redis.Become(Once("$4\r\ngood\r\n"));
  std::string got;
  const auto until = std::chrono::steady_clock::now() + kGuard;
  while (got != "good" && std::chrono::steady_clock::now() < until) got = await_up() ? get("a") : "down";
  EXPECT_EQ(got, "good");
}

TEST(HostileRedisTest, AllAtOnceTakeLittleMemory) {
  const std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  const size_t before_mb = MemoryMb();
  struct Peer {
    HostileRedis redis;
    std::unique_ptr<RedisLink> link;
  };
  std::vector<std::unique_ptr<Peer>> peers;
  for (const auto& [name, behaviour] : Behaviours()) {
    Peer& peer = *peers.emplace_back(std::make_unique<Peer>());
    peer.redis.Become(behaviour);
    RedisLink::Options options = Hasty(peer.redis);
    // Long enough for all of them to reply before the first is given up.
    options.timeout = std::chrono::seconds(1);
    peer.link = std::make_unique<RedisLink>(options, *logger);
  }
  const auto until = std::chrono::steady_clock::now() + kGuard;
  std::atomic<size_t> told{0};
  size_t asked = 0;
  size_t most_mb = 0;
  const auto all_asked = [&] {
    return std::ranges::all_of(peers, [](const auto& peer) { return peer->redis.asked() > 0; });
  };
  while ((!all_asked() || told < asked) && std::chrono::steady_clock::now() < until) {
    for (const std::unique_ptr<Peer>& peer : peers) {
      if (peer->redis.asked() > 0 || !peer->link->up()) continue;
      ++asked;
      peer->link->Get("a", [&told](std::optional<std::string_view>) { ++told; });
    }
    most_mb = std::max(most_mb, MemoryMb());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(all_asked());
  EXPECT_EQ(told, asked) << "a lookup was not answered";
  EXPECT_LE(most_mb, before_mb + kAllMemoryMaxMb);
  for (const std::unique_ptr<Peer>& peer : peers) peer->link.reset();
}

// Returns the model's response, or "late".
std::string Ask(CachedModel& model, const std::string& what) {
  auto told = std::make_shared<std::promise<std::string>>();
  std::future<std::string> answer = told->get_future();
  model.Send(CachedModel::Request(what), [told](core::InferResponse&& response) {
    told->set_value(response.status.ok() ? std::string(response.outputs[0].data.view()) : response.status.ToString());
  });
  return answer.wait_for(kGuard) == std::future_status::ready ? answer.get() : "late";
}

// Sends requests to a model without a pause, each one different.
class Asking final {
 public:
  explicit Asking(CachedModel& model) : thread_([this, &model] { Run(model); }) {}
  ~Asking() {
    ending_ = true;
    thread_.join();
  }
  int answered() const { return answered_; }

 private:
  void Run(CachedModel& model) {
    while (!ending_) {
      const std::string what = "other " + std::to_string(answered_);
      const std::string answer = Ask(model, what);
      if (!answer.contains(what)) {
        ADD_FAILURE() << "another model answered " << answer.substr(0, 100);
        return;
      }
      ++answered_;
    }
  }

  std::atomic<bool> ending_{false};
  std::atomic<int> answered_{0};
  std::thread thread_;
};

// A model whose responses are in the Redis executes its requests, and another model answers all of its own. Both
// execute on the threads that continue after lookups.
TEST(HostileRedisTest, ModelsAnswerMeanwhile) {
  const std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  const base::SystemClock clock;
  const KeySecret secret;
  HostileRedis redis;
  base::ThreadPool pool("requests", 2);
  RedisStore store(Hasty(redis), std::chrono::minutes(1), pool, *logger);
  LocalStore local({.bytes_max = 1 << 20}, clock);
  const auto execute = [&pool](core::QueuedRequest&& queued) {
    pool.Post([held = std::move(queued)]() mutable {
      core::InferResponse response = AnswerOf(held);
      held.Answer(std::move(response));
    });
  };
  CachedModel asked(store, secret, clock, execute, true);
  CachedModel other(local, secret, clock, execute, true);
  const Asking others(other);
  const size_t before_mb = MemoryMb();
  size_t number = 0;
  for (const auto& [name, behaviour] : Behaviours()) {
    redis.Become(behaviour);
    const int lookups = redis.asked();
    const int answered = others.answered();
    const auto until = std::chrono::steady_clock::now() + kGuard;
    while ((redis.asked() == lookups || others.answered() == answered) && std::chrono::steady_clock::now() < until) {
      const std::string what = "mine " + std::to_string(++number);
      const std::string answer = Ask(asked, what);
      ASSERT_TRUE(answer.contains(what)) << name << ": " << answer.substr(0, 100);
    }
    ASSERT_GT(redis.asked(), lookups) << name;
    ASSERT_GT(others.answered(), answered) << name;
    EXPECT_LE(MemoryMb(), before_mb + kMemoryMaxMb) << name;
  }
}

}  // namespace
}  // namespace inferd::cache
