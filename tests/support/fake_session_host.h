#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/body/body.h"
#include "net/body/memory_budget.h"
#include "net/body/slice_writer.h"
#include "net/fake_exchange.h"
#include "net/http/exchange.h"
#include "net/http/net_metrics.h"
#include "net/http/session.h"

// For tests and fuzzing: what a session needs around it, without sockets or threads.

namespace inferd::net {

// Does as `plan` and `answer` say; answers "ok" by default.
class FakeHandler final : public HttpHandler {
 public:
  std::function<BodyPlan(const RequestHead&)> plan = [](const RequestHead&) { return BodyPlan(); };
  std::function<void(HttpRequest, Reply)> answer = [](HttpRequest, Reply reply) {
    reply.Send(HttpResponse::Text(200, "text/plain", "ok"));
  };

  BodyPlan OnHead(const RequestHead& head) override { return plan(head); }
  void OnRequest(HttpRequest request, Reply reply) override {
    ++requests;
    answer(std::move(request), std::move(reply));
  }

  size_t requests = 0;
};

class FakeSessionHost final : public SessionHost {
 public:
  explicit FakeSessionHost(uint64_t budget_bytes = uint64_t{1} << 40)
      : budget(std::make_shared<MemoryBudget>(budget_bytes)), bodies_(budget), replies_(fake_loop) {}

  Loop& loop() override { return fake_loop; }
  HttpHandler& handler() override { return fake_handler; }
  const Limits& limits() const override { return limits_value; }
  BodyPool& bodies() override { return bodies_; }
  SliceWriter& writer() override { return writer_; }
  std::span<std::byte> read_space() override { return read_space_; }
  Reply::Target& replies() override { return replies_; }
  NetMetrics& metrics() override { return net_metrics; }
  const ConnectionEnds& ends() const override { return ends_; }
  bool tls() const override { return false; }

  void WantWrite() override { wants_write = true; }
  void PauseReading() override { reading = false; }
  void ResumeReading() override { reading = true; }
  void CloseAfterWrite() override { closing = true; }
  void Abort() override { aborted = true; }

  FakeLoop fake_loop;
  FakeHandler fake_handler;
  Limits limits_value;
  std::shared_ptr<MemoryBudget> budget;
  NetMetrics net_metrics;
  bool wants_write = false;
  bool reading = true;
  bool closing = false;
  bool aborted = false;

 private:
  const ConnectionEnds ends_{.peer = "127.0.0.1:4242", .local = "127.0.0.1:8000"};
  BodyPool bodies_;
  SliceWriter writer_;
  std::vector<std::byte> read_space_ = std::vector<std::byte>(32 * 1024);
  Reply::Target replies_;
};

// Gives `session` bytes as a socket would, in reads of at most `step`; stops where the session does not read.
inline void Feed(Session& session, std::string_view bytes, size_t step = SIZE_MAX) {
  while (!bytes.empty()) {
    const std::span<std::byte> space = session.PrepareRead();
    const size_t taken = std::min({space.size(), bytes.size(), step});
    if (taken == 0) return;
    std::memcpy(space.data(), bytes.data(), taken);
    session.OnRead(taken);
    bytes.remove_prefix(taken);
  }
}

// All that `session` has to write, written at once.
inline std::string TakeAll(Session& session) {
  std::string text;
  std::vector<base::BufferSlice> out;
  for (;;) {
    out.clear();
    const size_t taken = session.TakeOutput(out, 64 * 1024);
    if (taken == 0) return text;
    for (const base::BufferSlice& slice : out) text += slice.view();
    session.OnWritten(taken);
  }
}

}  // namespace inferd::net
