#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "net/body/body.h"
#include "net/body/memory_budget.h"
#include "net/grpc/handler.h"
#include "net/grpc/service.h"
#include "net/http/exchange.h"

// For tests, benchmarks and fuzzing: a handler's environment, and calls to it without a connection.

namespace inferd::net::grpc {

// A loop that runs tasks and timers on demand, on the thread that made it. Post is thread-safe, as a loop's is.
class ManualLoop final : public Loop {
 public:
  void Post(base::Task task) override {
    const base::MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  bool InLoopThread() const override { return std::this_thread::get_id() == thread_ && in_loop; }
  TimerId RunAfter(std::chrono::milliseconds delay, base::Task task) override {
    timers_[++last_timer_] = {now + delay, std::move(task)};
    return last_timer_;
  }
  void CancelTimer(TimerId id) override { timers_.erase(id); }
  size_t index() const override { return 0; }

  void RunPosted() {
    while (base::Task task = Next()) task();
  }
  void Advance(std::chrono::milliseconds by) {
    now += by;
    for (;;) {
      const auto due = std::find_if(timers_.begin(), timers_.end(), [&](const auto& t) { return t.second.at <= now; });
      if (due == timers_.end()) return RunPosted();
      base::Task task = std::move(due->second.task);
      timers_.erase(due);
      task();
    }
  }
  size_t timers() const { return timers_.size(); }

  bool in_loop = true;
  std::chrono::milliseconds now{0};

 private:
  struct Timer {
    std::chrono::milliseconds at;
    base::Task task;
  };

  base::Task Next() {
    const base::MutexLock lock(mutex_);
    if (tasks_.empty()) return {};
    base::Task task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

  const std::thread::id thread_ = std::this_thread::get_id();
  base::Mutex mutex_;
  std::deque<base::Task> tasks_ GUARDED_BY(mutex_);
  std::map<TimerId, Timer> timers_;
  TimerId last_timer_ = 0;
};

// A pool that runs its tasks on demand.
class ManualPool final : public base::Executor {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  size_t waiting() const { return tasks_.size(); }
  void Run() {
    for (base::Task& task : std::exchange(tasks_, {})) task();
  }

 private:
  std::vector<base::Task> tasks_;
};

// Returns a message in its wire form.
inline std::string Framed(std::string_view message, char flag = 0) {
  const auto size = static_cast<uint32_t>(message.size());
  std::string frame = {flag, static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                       static_cast<char>(size)};
  return frame.append(message);
}

inline Message MessageOf(std::string_view text) {
  Message message;
  message.emplace_back(base::Buffer::CopyOf(text));
  return message;
}

// The environment of a handler.
struct FakeServer {
  explicit FakeServer(uint64_t budget_bytes = uint64_t{1} << 40)
      : budget(std::make_shared<MemoryBudget>(budget_bytes)) {}

  Options options;
  ManualPool pool;
  base::FakeClock clock;
  ManualLoop loop;
  std::shared_ptr<MemoryBudget> budget;
  BodyPool bodies{budget};
  Reply::Target replies{loop};
  CallMetrics* metrics = nullptr;
  std::unique_ptr<HttpHandler> handler;

  void Serve(std::vector<Method> methods, std::unique_ptr<HttpHandler> fallback = nullptr) {
    handler = MakeHandler({.options = options, .pool = pool, .clock = clock, .metrics = metrics}, std::move(methods),
                          std::move(fallback));
  }
};

// One call as a transport would carry it, and its result.
class FakeCall final : public Exchange {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  FakeCall(FakeServer& server, std::string path, Fields fields = {}, std::string content_type = "application/grpc",
           net::Method method = net::Method::kPost, bool http2 = true)
      : Exchange(server.replies), server_(server), path_(std::move(path)), fields_(std::move(fields)) {
    fields_.emplace_back("te", "trailers");
    if (!content_type.empty()) fields_.emplace_back("content-type", content_type);
    RequestHead head;
    FillHead(head);
    head.method = method;
    head.http2 = http2;
    BodyPlan plan = server.handler->OnHead(head);
    sink_ = std::move(plan.sink);
    foreign = sink_ == nullptr && !plan.refuse.has_value();
    if (plan.refuse.has_value()) Send(*std::move(plan.refuse));
    if (sink_ != nullptr) sink_->Begin(server.bodies);
  }
  ~FakeCall() override { Vanish(); }

  // Simulates one read: `bytes` in pieces of `step`, optionally with the end of the stream.
  FakeCall& Bytes(std::string_view bytes, bool end = false, size_t step = SIZE_MAX) {
    if (sink_ == nullptr || answered()) return *this;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
      sink_->OnBody(std::as_bytes(std::span(bytes.substr(0, step))));
    }
    if (end) sink_->OnBodyEnd();
    if (!std::exchange(opened_, true)) {
      HttpRequest request;
      FillHead(request.head);
      request.received_ns = server_.clock.NowNs();
      sink_->Open(std::move(request), Open());
    }
    if (open()) sink_->Proceed();
    return *this;
  }
  FakeCall& Message(std::string_view message) { return Bytes(Framed(message)); }
  FakeCall& End() { return Bytes("", true); }
  // Sends a complete unary request.
  FakeCall& Unary(std::string_view message) { return Bytes(Framed(message), true); }
  // Simulates that the client cancels, or that its connection is gone.
  void Vanish() {
    TellPeerGone();
    Close();
    sink_.reset();
  }
  bool AwaitsMore() const { return sink_->AwaitsMore(); }

  bool answered() const { return ended; }
  // Returns a trailer, from the trailers or the headers, or "" if there is none.
  std::string Trailer(std::string_view name) const { return Find(trailers, name) + Find(headers, name); }
  std::string status() const { return Trailer("grpc-status"); }
  std::string message() const { return Trailer("grpc-message"); }
  std::string Header(std::string_view name) const { return Find(headers, name); }
  // Returns the messages of the body, each with its flag: "0:text".
  std::vector<std::string> Messages() const {
    std::vector<std::string> messages;
    for (std::string_view rest = body; rest.size() >= 5;) {
      uint32_t size = 0;
      for (size_t i = 1; i < 5; ++i) size = size << 8 | static_cast<unsigned char>(rest[i]);
      messages.push_back(std::to_string(static_cast<unsigned char>(rest[0])) + ":" + std::string(rest.substr(5, size)));
      rest.remove_prefix(std::min<size_t>(rest.size(), 5 + size));
    }
    return messages;
  }

  int http_status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Trailers trailers;
  size_t sends = 0;  // number of complete responses sent
  bool started = false;
  bool ended = false;
  bool paused = false;
  bool abandoned = false;
  bool foreign = false;     // true if it is not gRPC and goes to the fallback
  bool window_open = true;  // the result of Write
  base::Task writable;

 private:
  static std::string Find(const std::vector<std::pair<std::string, std::string>>& fields, std::string_view name) {
    for (const auto& [key, value] : fields) {
      if (key == name) return value;
    }
    return "";
  }

  void FillHead(RequestHead& head) const {
    head.method = net::Method::kPost;
    head.method_text = "POST";
    head.target = path_;
    head.http2 = true;
    for (const auto& [name, value] : fields_) head.headers.emplace_back(name, value);
  }

  void Send(HttpResponse&& response) override {
    ++sends;
    Take(std::move(response));
    trailers = std::move(response.trailers);
    Over();
  }
  void Start(HttpResponse&& response) override {
    started = true;
    Take(std::move(response));
  }
  bool Write(base::BufferSlice piece) override {
    body += piece.view();
    return window_open;
  }
  void End(Trailers end) override {
    trailers = std::move(end);
    Over();
  }
  void OnWritable(base::Task task) override { writable = std::move(task); }
  void OnPeerGone(base::Task task) override { peer_gone_ = std::move(task); }
  void PauseBody() override { paused = true; }
  void ResumeBody() override { paused = false; }
  void TellPeerGone() override {
    if (peer_gone_ && !ended) server_.loop.Post(std::exchange(peer_gone_, {}));
  }
  void Abandon() override {
    abandoned = true;
    Over();
  }

  void Take(HttpResponse&& response) {
    http_status = response.status;
    headers = std::move(response.headers);
    headers.emplace_back("content-type", response.content_type);
    for (const base::BufferSlice& piece : response.body) body += piece.view();
  }
  // The sink is destroyed later, as it may be calling us now.
  void Over() {
    ended = true;
    peer_gone_ = {};
    Close();
    if (sink_ != nullptr) server_.loop.Post([sink = std::move(sink_)] {});
  }

  FakeServer& server_;
  const std::string path_;
  Fields fields_;
  std::unique_ptr<RequestSink> sink_;
  bool opened_ = false;
  base::Task peer_gone_;
};

}  // namespace inferd::net::grpc
