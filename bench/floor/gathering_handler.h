#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/turn.h"
#include "bench/floor/http_floor.h"

namespace inferd::bench {

// An HTTP floor that calls a bare library and does nothing else. Like the server, it first reads all requests that
// arrive in one turn of its loop. Its cost is the cost of a request before any code reads the body, plus the execution.
// Both run in one process and evict each other's data from the caches, so they cost more than the two alone.
class GatheringHandler : public net::HttpHandler {
 public:
  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    Waiting one{std::move(request), std::move(reply)};
    if (one.request.body.size() < body_bytes_min_) return AnswerOne(one);
    if (waiting_.empty()) base::Turn::Current()->AtEnd([this] { ExecuteAll(); });
    waiting_.push_back(std::move(one));
    if (waiting_.size() == requests_max_) ExecuteAll();
  }

 protected:
  struct Waiting {
    net::HttpRequest request;
    net::Reply reply;
  };

  // A request whose body is shorter than `body_bytes_min` is answered without the library. At most `requests_max`
  // requests share one Execute().
  explicit GatheringHandler(size_t body_bytes_min, size_t requests_max = std::numeric_limits<size_t>::max())
      : body_bytes_min_(body_bytes_min), requests_max_(requests_max) {}

  // Computes the requests by the library, and answers each by AnswerOne().
  virtual void Execute(std::span<Waiting> requests) = 0;
  void AnswerOne(Waiting& one) { one.reply.Send(answer_.For(one.request.head.query)); }

 private:
  void ExecuteAll() {
    if (waiting_.empty()) return;
    Execute(waiting_);
    waiting_.clear();
  }

  const size_t body_bytes_min_;
  const size_t requests_max_;
  SizedAnswer answer_;
  std::vector<Waiting> waiting_;
};

// Calls the model once for each request with a body, on the connection's thread. Ignores the content of the body.
// `Model` has Call(), and each loop has its own.
template <typename Model>
class CallingHandler final : public GatheringHandler {
 public:
  template <typename... Arguments>
  explicit CallingHandler(Arguments&&... arguments)
      : GatheringHandler(1), model_(std::forward<Arguments>(arguments)...) {}

 private:
  void Execute(std::span<Waiting> requests) override {
    for (Waiting& one : requests) {
      model_.Call();
      AnswerOne(one);
    }
  }

  Model model_;
};

}  // namespace inferd::bench
