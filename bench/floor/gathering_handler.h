#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/turn.h"
#include "bench/floor/http_floor.h"

namespace inferd::bench {

// The HTTP floor for a bare library behind it, and nothing else: as the server does, it first reads all that a turn of
// its thread brings. What such a floor costs is what a request costs before anything has looked at it, and its
// execution, in one process, where each finds the other's traces in the caches: more than the two by themselves.
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

  // A shorter body is answered without the library. `requests_max`: that wait for one Execute().
  explicit GatheringHandler(size_t body_bytes_min, size_t requests_max = std::numeric_limits<size_t>::max())
      : body_bytes_min_(body_bytes_min), requests_max_(requests_max) {}

  // Has the library compute the requests, and answers each by AnswerOne().
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

// Calls the model once for each request with a body, which it does not look at, on the connection's thread. `Model` has
// Call(), and is made for each loop.
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
