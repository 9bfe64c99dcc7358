#include "cache/redis_link.h"

#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/thread_pool.h"

namespace inferd::cache {

namespace {

constexpr int kLateMax = 3;                            // in a row
constexpr size_t kSendingBytesMax = size_t{16} << 20;  // what is set and not yet confirmed
constexpr std::chrono::milliseconds kConnectTimeout{1'000};

}  // namespace

struct RedisLink::Question {
  Reply reply;  // null: it was called
  Clock::time_point due;

  void Answer(std::optional<std::string_view> value) {
    if (Reply called = std::exchange(reply, nullptr); called != nullptr) called(value);
  }
};

// Called by hiredis from within its functions, on the link's thread.
struct RedisLink::Handlers {
  static RedisLink& Link(void* data) { return *static_cast<RedisLink*>(data); }

  static void AddRead(void* data) { Link(data).reads_ = true; }
  static void DelRead(void* data) { Link(data).reads_ = false; }
  static void AddWrite(void* data) { Link(data).writes_ = true; }
  static void DelWrite(void* data) { Link(data).writes_ = false; }
  static void Cleanup(void* data) { Link(data).reads_ = Link(data).writes_ = false; }

  // hiredis frees the context in both.
  static void Connected(const redisAsyncContext* context, int status) {
    if (status == REDIS_OK) return;
    RedisLink& link = Link(context->data);
    link.problem_ = context->errstr == nullptr ? "no connection" : context->errstr;
    link.context_ = nullptr;
  }
  static void Disconnected(const redisAsyncContext* context, int) {
    RedisLink& link = Link(context->data);
    if (link.problem_.empty()) {
      link.problem_ = context->errstr == nullptr || *context->errstr == '\0' ? "disconnected" : context->errstr;
    }
    link.context_ = nullptr;
  }

  // Of AUTH, SELECT and PING, which is the last (`data`).
  static void Introduced(redisAsyncContext* context, void* reply, void* data) {
    RedisLink& link = Link(context->data);
    const auto* const answer = static_cast<const redisReply*>(reply);
    if (answer == nullptr) return;
    if (answer->type == REDIS_REPLY_ERROR) {
      link.problem_ = answer->str;
    } else if (data != nullptr) {
      link.Proven();
    }
  }

  static void Got(redisAsyncContext* context, void* reply, void* data) {
    const std::unique_ptr<std::shared_ptr<Question>> question(static_cast<std::shared_ptr<Question>*>(data));
    const auto* const answer = static_cast<const redisReply*>(reply);
    if (answer == nullptr || (*question)->reply == nullptr) return;  // Drop() answers, or AnswerLate() did
    RedisLink& link = Link(context->data);
    link.late_in_a_row_ = 0;
    link.pause_ = link.options_.pause_min;
    if (answer->type == REDIS_REPLY_STRING) return (*question)->Answer(std::string_view(answer->str, answer->len));
    (*question)->Answer(std::nullopt);
  }

  static void Has(redisAsyncContext* context, void*, void* data) {
    Link(context->data).sending_bytes_.fetch_sub(reinterpret_cast<size_t>(data), std::memory_order_relaxed);
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
  // A connection that the Redis closed is no reason to end.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  while (true) {
    if (context_ == nullptr && problem_.empty() && Clock::now() >= next_try_) Connect();
    if (context_ != nullptr && !up() && problem_.empty() && Clock::now() >= connect_by_) problem_ = "no answer in time";
    for (Command& command : TakeCommands()) Send(command);
    AnswerLate();
    if (!problem_.empty()) Drop(std::exchange(problem_, {}));
    {
      base::MutexLock lock(mutex_);
      if (stopping_) break;
    }
    Poll();
  }
  complained_ = true;  // that it ends is nothing to say
  Drop("");
  for (Command& command : TakeCommands()) Send(command);
}

void RedisLink::Send(Command& command) {
  if (context_ == nullptr || !problem_.empty()) {
    if (command.question != nullptr) return command.question->Answer(std::nullopt);
    sending_bytes_.fetch_sub(command.value.size(), std::memory_order_relaxed);
    return;
  }
  if (command.question == nullptr) {
    auto* const bytes = reinterpret_cast<void*>(command.value.size());
    const auto set = [&](auto... more) {
      return redisAsyncCommand(context_, Handlers::Has, bytes, sizeof...(more) == 0 ? "SET %b %b" : "SET %b %b PX %lld",
                               command.key.data(), command.key.size(), command.value.data(), command.value.size(),
                               more...);
    };
    const int sent = command.ttl.count() == 0 ? set() : set(static_cast<long long>(command.ttl.count()));
    if (sent != REDIS_OK) sending_bytes_.fetch_sub(command.value.size(), std::memory_order_relaxed);
    return;
  }
  questions_.push_back(command.question);
  auto data = std::make_unique<std::shared_ptr<Question>>(std::move(command.question));
  if (redisAsyncCommand(context_, Handlers::Got, data.get(), "GET %b", command.key.data(), command.key.size()) ==
      REDIS_OK) {
    [[maybe_unused]] const auto* const passed_on = data.release();
  }
}

void RedisLink::Connect() {
  context_ = redisAsyncConnect(options_.host.c_str(), options_.port);
  connect_by_ = Clock::now() + kConnectTimeout;
  if (context_ == nullptr) {
    problem_ = "no connection";
    return;
  }
  if (context_->err != 0) {
    problem_ = context_->errstr;
    return;
  }
  context_->data = this;
  context_->ev.data = this;
  context_->ev.addRead = Handlers::AddRead;
  context_->ev.delRead = Handlers::DelRead;
  context_->ev.addWrite = Handlers::AddWrite;
  context_->ev.delWrite = Handlers::DelWrite;
  context_->ev.cleanup = Handlers::Cleanup;
  redisAsyncSetConnectCallback(context_, Handlers::Connected);
  redisAsyncSetDisconnectCallback(context_, Handlers::Disconnected);
  Introduce();
}

void RedisLink::Introduce() {
  const char* const password = options_.password.c_str();
  if (!options_.user.empty()) {
    redisAsyncCommand(context_, Handlers::Introduced, nullptr, "AUTH %s %s", options_.user.c_str(), password);
  } else if (!options_.password.empty()) {
    redisAsyncCommand(context_, Handlers::Introduced, nullptr, "AUTH %s", password);
  }
  if (options_.database != 0) {
    redisAsyncCommand(context_, Handlers::Introduced, nullptr, "SELECT %u", options_.database);
  }
  redisAsyncCommand(context_, Handlers::Introduced, this, "PING");
}

// It answers: from now on it is asked.
void RedisLink::Proven() {
  late_in_a_row_ = 0;
  up_.store(true, std::memory_order_relaxed);
  if (complained_) logger_.Info("the response cache's Redis answers again", {{"host", options_.host}});
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
  // Calls back with what is open, and may have been freed by hiredis itself.
  if (redisAsyncContext* const context = std::exchange(context_, nullptr); context != nullptr) redisAsyncFree(context);
  problem_.clear();
  reads_ = writes_ = false;
  for (const auto& question : std::exchange(questions_, {})) question->Answer(std::nullopt);
  if (!complained_) {
    logger_.Warning("the response cache's Redis is away: models are executed",
                    {{"host", options_.host}, {"port", options_.port}, {"reason", why}});
  }
  complained_ = true;
  next_try_ = Clock::now() + pause_;
  pause_ = std::min(pause_ * 2, options_.pause_max);
}

int RedisLink::PollTimeoutMs() {
  std::optional<Clock::time_point> next;
  const auto consider = [&next](Clock::time_point at) { next = next.has_value() ? std::min(*next, at) : at; };
  if (context_ == nullptr) consider(next_try_);
  if (context_ != nullptr && !up()) consider(connect_by_);
  if (!questions_.empty()) consider(questions_.front()->due);
  if (!next.has_value()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
}

void RedisLink::Poll() {
  pollfd polled[2] = {{.fd = wake_, .events = POLLIN, .revents = 0}, {.fd = -1, .events = 0, .revents = 0}};
  if (context_ != nullptr) {
    polled[1].fd = context_->c.fd;
    polled[1].events = static_cast<int16_t>((reads_ ? POLLIN : 0) | (writes_ ? POLLOUT : 0));
  }
  if (::poll(polled, 2, PollTimeoutMs()) <= 0) return;
  if (polled[0].revents != 0) {
    uint64_t count = 0;
    static_cast<void>(::read(wake_, &count, sizeof count));
  }
  const int16_t happened = polled[1].revents;
  if (context_ != nullptr && (happened & (POLLOUT | POLLERR | POLLHUP)) != 0 && writes_)
    redisAsyncHandleWrite(context_);
  if (context_ != nullptr && (happened & (POLLIN | POLLERR | POLLHUP)) != 0) redisAsyncHandleRead(context_);
}

}  // namespace inferd::cache
