#include "serving/cache/redis_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/masking.h"
#include "base/text/printable.h"
#include "base/thread_pool.h"

namespace inferd::cache {

namespace {

constexpr int kLateMax = 3;                            // late replies in a row
constexpr size_t kShownBytesMax = 256;                 // of an error from the Redis
constexpr size_t kSendingBytesMax = size_t{16} << 20;  // of SET commands that are not confirmed yet

}  // namespace

struct RedisLink::Question {
  Reply reply;  // null if it was called
  Clock::time_point due;

  void Answer(std::optional<std::string_view> value) {
    if (Reply called = std::exchange(reply, nullptr); called != nullptr) called(value);
  }
};

RedisLink::RedisLink(Options options, base::Logger& logger)
    : options_(std::move(options)),
      logger_(logger),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      pause_(options_.pause_min) {
  thread_ = std::thread([this] { Run(); });
}

RedisLink::~RedisLink() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  const uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof one));
  thread_.join();
  ::close(wake_);
}

void RedisLink::Get(std::string key, Reply reply) {
  if (!up()) return reply(std::nullopt);
  auto question = std::make_shared<Question>();
  question->reply = std::move(reply);
  question->due = Clock::now() + options_.timeout;
  Push({.key = std::move(key), .value = {}, .ttl = {}, .question = std::move(question)});
}

void RedisLink::Set(std::string key, std::string value, std::chrono::milliseconds ttl) {
  if (!up() || sending_bytes_.load(std::memory_order_relaxed) + value.size() > kSendingBytesMax) return;
  sending_bytes_.fetch_add(value.size(), std::memory_order_relaxed);
  Push({.key = std::move(key), .value = std::move(value), .ttl = ttl, .question = nullptr});
}

void RedisLink::Push(Command command) {
  bool first = false;
  {
    base::MutexLock lock(mutex_);
    first = commands_.empty();
    commands_.push_back(std::move(command));
  }
  const uint64_t one = 1;
  if (first) static_cast<void>(::write(wake_, &one, sizeof one));
}

std::vector<RedisLink::Command> RedisLink::TakeCommands() {
  base::MutexLock lock(mutex_);
  return std::exchange(commands_, {});
}

void RedisLink::Run() {
  base::SetThreadName("cache redis");
  while (true) {
    if (connection_ == nullptr && Clock::now() >= next_try_) Connect();
    if (connection_ != nullptr && !up() && problem_.empty() && Clock::now() >= connect_by_) {
      problem_ = "no answer in time";
    }
    for (Command& command : TakeCommands()) Send(command);
    AnswerLate();
    if (!problem_.empty()) Drop(std::exchange(problem_, {}));
    {
      base::MutexLock lock(mutex_);
      if (stopping_) break;
    }
    Poll();
  }
  complained_ = true;  // no warning about the end of the link
  Drop("");
  for (Command& command : TakeCommands()) Send(command);
}

void RedisLink::Send(Command& command) {
  const bool set = command.question == nullptr;
  const size_t bytes = command.value.size();
  bool sent = connection_ != nullptr && problem_.empty();
  if (sent && !set) {
    sent = connection_->Send("GET %b", command.key.data(), command.key.size());
  } else if (sent && command.ttl.count() == 0) {
    sent = connection_->Send("SET %b %b", command.key.data(), command.key.size(), command.value.data(), bytes);
  } else if (sent) {
    sent = connection_->Send("SET %b %b PX %lld", command.key.data(), command.key.size(), command.value.data(), bytes,
                             static_cast<long long>(command.ttl.count()));
  }
  if (sent && !set) questions_.push_back(command.question);
  if (sent) {
    awaited_.push_back(
        {.to = set ? Awaited::To::kSet : Awaited::To::kGet, .bytes = bytes, .question = std::move(command.question)});
  } else if (set) {
    sending_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  } else {
    command.question->Answer(std::nullopt);
  }
}

void RedisLink::Connect() {
  connect_by_ = Clock::now() + options_.connect_timeout;
  auto opened = RedisConnection::Open(options_.target, options_.value_bytes_max);
  if (!opened.has_value()) {
    problem_ = opened.error().message();
    return;
  }
  connection_ = *std::move(opened);
  Introduce();
}

void RedisLink::Introduce() {
  const auto say = [this](Awaited::To to, auto... command) {
    if (connection_->Send(command...)) return awaited_.push_back({.to = to, .bytes = 0, .question = nullptr});
    problem_ = "no memory";
  };
  const char* const password = options_.password.c_str();
  if (!options_.user.empty()) {
    say(Awaited::To::kIntroduction, "AUTH %s %s", options_.user.c_str(), password);
  } else if (!options_.password.empty()) {
    say(Awaited::To::kIntroduction, "AUTH %s", password);
  }
  if (options_.database != 0) say(Awaited::To::kIntroduction, "SELECT %u", options_.database);
  say(Awaited::To::kPing, "PING");
}

void RedisLink::OnReply(const redisReply& reply) {
  if (awaited_.empty()) {
    problem_ = "a reply to nothing";
    return;
  }
  const Awaited awaited = std::move(awaited_.front());
  awaited_.pop_front();
  switch (awaited.to) {
    case Awaited::To::kIntroduction: return OnIntroduced(reply, false);
    case Awaited::To::kPing: return OnIntroduced(reply, true);
    case Awaited::To::kSet: sending_bytes_.fetch_sub(awaited.bytes, std::memory_order_relaxed); return;
    case Awaited::To::kGet: break;
  }
  if (awaited.question->reply == nullptr) return;  // AnswerLate() has answered it
  late_in_a_row_ = 0;
  pause_ = options_.pause_min;
  if (reply.type == REDIS_REPLY_STRING) return awaited.question->Answer(std::string_view(reply.str, reply.len));
  awaited.question->Answer(std::nullopt);
}

void RedisLink::OnIntroduced(const redisReply& reply, bool ping) {
  if (reply.type == REDIS_REPLY_ERROR) {
    if (problem_.empty()) problem_ = Shown(std::string_view(reply.str, reply.len));
  } else if (ping && problem_.empty()) {
    Proven();
  }
}

// Masks the password: a Redis that does not know a command repeats the command in its error.
std::string RedisLink::Shown(std::string_view error) const {
  return base::Printable(base::Masked(error, std::array{options_.password}), kShownBytesMax);
}

// The Redis replies: from now on, lookups use it.
void RedisLink::Proven() {
  late_in_a_row_ = 0;
  up_.store(true, std::memory_order_relaxed);
  if (complained_) logger_.Info("the response cache's Redis answers again", {{"host", options_.target.host}});
  complained_ = false;
}

void RedisLink::AnswerLate() {
  const auto now = Clock::now();
  while (!questions_.empty() && (questions_.front()->reply == nullptr || questions_.front()->due <= now)) {
    const std::shared_ptr<Question> question = std::move(questions_.front());
    questions_.pop_front();
    if (question->reply == nullptr) continue;
    timeouts_.fetch_add(1, std::memory_order_relaxed);
    if (++late_in_a_row_ >= kLateMax && problem_.empty()) problem_ = "no answers in time";
    question->Answer(std::nullopt);
  }
}

void RedisLink::Drop(const std::string& why) {
  up_.store(false, std::memory_order_relaxed);
  connection_.reset();
  problem_.clear();
  for (const Awaited& lost : std::exchange(awaited_, {})) {
    sending_bytes_.fetch_sub(lost.bytes, std::memory_order_relaxed);
  }
  for (const auto& question : std::exchange(questions_, {})) question->Answer(std::nullopt);
  if (!complained_) {
    logger_.Warning("the response cache's Redis is away: models are executed",
                    {{"host", options_.target.host}, {"port", options_.target.port}, {"reason", why}});
  }
  complained_ = true;
  next_try_ = Clock::now() + pause_;
  pause_ = std::min(pause_ * 2, options_.pause_max);
}

int RedisLink::PollTimeoutMs() {
  if (connection_ != nullptr && connection_->has_more()) return 0;
  std::optional<Clock::time_point> next;
  const auto consider = [&next](Clock::time_point at) { next = next.has_value() ? std::min(*next, at) : at; };
  if (connection_ == nullptr) consider(next_try_);
  if (connection_ != nullptr && !up()) consider(connect_by_);
  if (!questions_.empty()) consider(questions_.front()->due);
  if (!next.has_value()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
}

void RedisLink::Poll() {
  pollfd polled[2] = {{.fd = wake_, .events = POLLIN, .revents = 0}, {.fd = -1, .events = 0, .revents = 0}};
  if (connection_ != nullptr) {
    polled[1].fd = connection_->fd();
    polled[1].events = connection_->events();
  }
  if (::poll(polled, 2, PollTimeoutMs()) < 0) return;
  if (polled[0].revents != 0) {
    uint64_t count = 0;
    static_cast<void>(::read(wake_, &count, sizeof count));
  }
  if (connection_ == nullptr || (polled[1].revents == 0 && !connection_->has_more())) return;
  const base::Status status = connection_->Advance([this](const redisReply& reply) {
    OnReply(reply);
    return problem_.empty() ? base::OkStatus() : base::Unavailable(problem_);
  });
  if (!status.ok() && problem_.empty()) problem_ = status.message();
}

}  // namespace inferd::cache
