#include "serving/cache/redis_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <semaphore>

#include "serving/cache/cache_fixture.h"
#include "serving/cache/redis_store.h"
#include "tests/support/loopback_listener.h"
#include "tests/support/temp_dir.h"

namespace inferd::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Implements a Redis' AUTH, SELECT, PING, GET and SET on a thread of its own, with faults on demand.
class FakeRedis final {
 public:
  FakeRedis() : thread_([this] { Run(); }) {}
  ~FakeRedis() {
    ending_ = true;
    thread_.join();
  }

  uint16_t port() const { return listener_.port(); }
  // Faults of GET: no reply; a closed connection; an invalid reply.
  std::atomic<bool> silent{false}, hangs_up{false}, babbles{false};
  std::atomic<bool> refuses{false}, repeats{false};  // AUTH: Redis' own error; the error for an unknown command
  std::atomic<int> connections{0};

  std::vector<std::string> commands() {
    base::MutexLock lock(mutex_);
    return commands_;
  }

 private:
  void Run() {
    while (!ending_) {
      const base::FileDescriptor client = listener_.Accept();
      if (!client) continue;
      ++connections;
      Serve(client.get());
    }
  }
  void Serve(int client) {
    std::string in;
    while (!ending_) {
      pollfd polled{.fd = client, .events = POLLIN, .revents = 0};
      if (::poll(&polled, 1, 10) <= 0) continue;
      char bytes[4096];
      const ssize_t count = ::read(client, bytes, sizeof bytes);
      if (count <= 0) return;
      in.append(bytes, static_cast<size_t>(count));
      while (std::optional<std::vector<std::string>> words = Take(in)) {
        const std::string answer = Answer(*words);
        if (words->front() == "GET" && hangs_up) return;
        if (::send(client, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return;
      }
    }
  }
  // Takes one command if it has arrived completely.
  static std::optional<std::vector<std::string>> Take(std::string& in) {
    size_t at = 0;
    const auto number = [&](char kind) -> long {
      const size_t end = in.find("\r\n", at);
      if (end == std::string::npos || in[at] != kind) return -1;
      const long value = std::stol(in.substr(at + 1, end - at - 1));
      at = end + 2;
      return value;
    };
    std::vector<std::string> words;
    for (long left = number('*'); left != 0; --left) {
      if (left < 0) return std::nullopt;
      const long size = number('$');
      if (size < 0 || in.size() < at + static_cast<size_t>(size) + 2) return std::nullopt;
      words.push_back(in.substr(at, static_cast<size_t>(size)));
      at += static_cast<size_t>(size) + 2;
    }
    in.erase(0, at);
    return words;
  }
  std::string Answer(const std::vector<std::string>& words) {
    base::MutexLock lock(mutex_);
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    commands_.push_back(line);
    if (words[0] == "AUTH" && repeats) {
      return "-ERR unknown command `AUTH`, with args beginning with: `" + words.back() + "`, \r\n";
    }
    if (words[0] == "AUTH" && refuses) return "-WRONGPASS no\r\n";
    if (words[0] == "PING") return "+PONG\r\n";
    if (words[0] == "SET") kept_[words[1]] = words[2];
    if (words[0] != "GET") return "+OK\r\n";
    if (silent) return "";
    if (babbles) return "what\r\n";
    const auto found = kept_.find(words[1]);
    if (found == kept_.end()) return "$-1\r\n";
    return "$" + std::to_string(found->second.size()) + "\r\n" + found->second + "\r\n";
  }

  support::LoopbackListener listener_;
  std::atomic<bool> ending_{false};
  base::Mutex mutex_;
  std::map<std::string, std::string> kept_ GUARDED_BY(mutex_);
  std::vector<std::string> commands_ GUARDED_BY(mutex_);
  std::thread thread_;
};

class RedisLinkTest : public ::testing::Test {
 protected:
  RedisLink::Options To(uint16_t port, std::chrono::milliseconds timeout = std::chrono::seconds(20)) const {
    RedisLink::Options options;
    options.target = {.host = "127.0.0.1", .port = port, .tls = nullptr, .tls_name = {}};
    options.timeout = timeout;
    options.pause_min = std::chrono::milliseconds(1);
    options.pause_max = std::chrono::milliseconds(20);
    return options;
  }
  static void AwaitUp(const RedisLink& link, bool up = true) {
    while (link.up() != up) std::this_thread::yield();
  }
  static std::string Get(RedisLink& link, const std::string& key) {
    std::string value;
    std::binary_semaphore answered(0);
    link.Get(key, [&](std::optional<std::string_view> reply) {
      value = reply.has_value() ? std::string(*reply) : "none";
      answered.release();
    });
    answered.acquire();
    return value;
  }

  const std::unique_ptr<base::Logger> silent_ = base::Logger::Silent();
  base::Logger& logger_ = *silent_;
  FakeRedis redis_;
};

TEST_F(RedisLinkTest, WhatIsSetIsFound) {
  RedisLink link(To(redis_.port()), logger_);
  AwaitUp(link);
  EXPECT_EQ(Get(link, "a"), "none");
  const std::string binary("\0\r\n$5\r\n", 8);
  link.Set("a", binary, std::chrono::milliseconds(0));
  link.Set("b", std::string(1 << 20, 'x'), std::chrono::milliseconds(1500));
  EXPECT_EQ(Get(link, "a"), binary);
  EXPECT_EQ(Get(link, "b").size(), size_t{1} << 20);
  EXPECT_EQ(link.timeouts(), 0u);
}

TEST_F(RedisLinkTest, SaysWhoAsks) {
  RedisLink::Options options = To(redis_.port());
  options.user = "u";
  options.password = "a b";
  options.database = 3;
  RedisLink link(options, logger_);
  AwaitUp(link);
  link.Set("k", "v", std::chrono::milliseconds(1500));
  Get(link, "k");
  EXPECT_THAT(redis_.commands(), ElementsAre("AUTH u a b", "SELECT 3", "PING", "SET k v PX 1500", "GET k"));
}

TEST_F(RedisLinkTest, WhoIsRefusedIsNotUp) {
  redis_.refuses = true;
  RedisLink::Options options = To(redis_.port());
  options.password = "wrong";
  RedisLink link(options, logger_);
  while (redis_.connections < 3) std::this_thread::yield();
  EXPECT_FALSE(link.up());
  EXPECT_EQ(Get(link, "a"), "none");
  redis_.refuses = false;
  AwaitUp(link);
}

TEST_F(RedisLinkTest, APasswordThatTheRedisRepeatsIsNotLogged) {
  redis_.repeats = true;
  RedisLink::Options options = To(redis_.port());
  options.password = "hunter2-hunter2";
  const support::TempDir folder;
  const std::string file = (folder.path() / "log").string();
  {
    const auto logger = base::Logger::Create({.file = file});
    ASSERT_TRUE(logger.has_value()) << logger.error().ToString();
    RedisLink link(options, **logger);
    while (redis_.connections < 2) std::this_thread::yield();
  }
  std::ifstream in(file);
  const std::string lines(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(lines, HasSubstr("with args beginning with: `...`"));
  EXPECT_THAT(lines, Not(HasSubstr("hunter2")));
}

TEST_F(RedisLinkTest, WithoutAnAnswerInTimeThereIsNone) {
  RedisLink link(To(redis_.port(), std::chrono::milliseconds(5)), logger_);
  AwaitUp(link);
  redis_.silent = true;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Get(link, "a"), "none");
  EXPECT_GE(link.timeouts(), 3u);
  // A connection without replies is dropped.
  while (redis_.connections < 2) std::this_thread::yield();
}

TEST_F(RedisLinkTest, WhatIsLostOnTheWayIsNone) {
  RedisLink link(To(redis_.port()), logger_);
  for (std::atomic<bool>* const fault : {&redis_.hangs_up, &redis_.babbles}) {
    AwaitUp(link);
    *fault = true;
    EXPECT_EQ(Get(link, "a"), "none");
    *fault = false;
  }
  AwaitUp(link);
  link.Set("a", "A", std::chrono::milliseconds(0));
  while (Get(link, "a") != "A") link.Set("a", "A", std::chrono::milliseconds(0));
}

TEST_F(RedisLinkTest, WithNobodyThereNothingWaits) {
  uint16_t port = 0;
  {
    const FakeRedis gone;
    port = gone.port();
  }
  RedisLink link(To(port), logger_);
  EXPECT_EQ(Get(link, "a"), "none");
  link.Set("a", "A", std::chrono::milliseconds(0));
  EXPECT_FALSE(link.up());
}

TEST_F(RedisLinkTest, WhatIsOpenAtTheEndIsAnswered) {
  redis_.silent = true;
  int answers = 0;
  {
    RedisLink link(To(redis_.port()), logger_);
    AwaitUp(link);
    for (int i = 0; i < 10; ++i) link.Get("a", [&answers](std::optional<std::string_view>) { ++answers; });
  }
  EXPECT_EQ(answers, 10);
}

// Tests the whole path of requests, with threads and a Redis that fails now and then.
TEST_F(RedisLinkTest, RequestsAreAnsweredWhateverItDoes) {
  const KeySecret secret;
  const base::SystemClock clock;
  base::ThreadPool goes_on("goes on", 2);
  RedisStore store(To(redis_.port(), std::chrono::milliseconds(20)), std::chrono::milliseconds(60'000), goes_on,
                   logger_);
  AwaitUp(store.link());
  std::atomic<int> wrong{0}, answered{0}, executed{0};
  constexpr int kClients = 3;
  constexpr int kRequests = 600;
  {
    CachedModel model(store, secret, clock, [&executed](core::QueuedRequest&& queued) {
      ++executed;
      core::InferResponse response = AnswerOf(queued);
      queued.Answer(std::move(response));
    });
    std::vector<std::thread> clients;
    for (int client = 0; client < kClients; ++client) {
      clients.emplace_back([&, client] {
        for (int i = 0; i < kRequests; ++i) {
          if (client == 0 && i % 100 == 50) redis_.hangs_up = true;
          if (client == 0 && i % 100 == 51) redis_.hangs_up = false;
          if (client == 0 && i % 100 == 80) redis_.silent = true;
          if (client == 0 && i % 100 == 83) redis_.silent = false;
          std::binary_semaphore done(0);
          const std::string bytes = std::to_string(i % 10);
          model.Send(CachedModel::Request(bytes), [&](core::InferResponse&& response) {
            if (!response.status.ok() || !response.outputs[0].data.view().contains("[1]" + bytes)) ++wrong;
            ++answered;
            done.release();
          });
          done.acquire();
        }
      });
    }
    for (std::thread& client : clients) client.join();
    // The code that continues after a response holds the version a moment longer.
    while (model.version().use_count() > 1) std::this_thread::yield();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(answered, kClients * kRequests);
  EXPECT_LT(executed, kClients * kRequests);
}

}  // namespace
}  // namespace inferd::cache
