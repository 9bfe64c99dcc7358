#pragma once

#include <utility>
#include <vector>

#include "base/turn.h"
#include "bench/floor/http_floor.h"

namespace inferd::bench {

// What the HTTP floor is with a bare library behind it, and nothing else. For each request with a body, unseen, it
// calls the model once on its connection's thread, and answers as the floor answers. As the server does, it first reads
// all that a turn of its thread brings. What it costs is what a request costs before anything has looked at it, and its
// execution, in one process, where each finds the other's traces in the caches: more than the two by themselves.
//
// `Model` has Call(), and is made for each loop.
template <typename Model>
class CallingHandler final : public net::HttpHandler {
 public:
  template <typename... Arguments>
  explicit CallingHandler(Arguments&&... arguments) : model_(std::forward<Arguments>(arguments)...) {}

  net::BodyPlan OnHead(const net::RequestHead&) override { return {}; }
  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    if (request.body.size() == 0) return reply.Send(answer_.For(request.head.query));
    if (waiting_.empty()) base::Turn::Current()->AtEnd([this] { AnswerAll(); });
    waiting_.push_back({std::move(request), std::move(reply)});
  }

 private:
  struct Waiting {
    net::HttpRequest request;
    net::Reply reply;
  };

  void AnswerAll() {
    for (Waiting& one : waiting_) {
      model_.Call();
      one.reply.Send(answer_.For(one.request.head.query));
    }
    waiting_.clear();
  }

  Model model_;
  SizedAnswer answer_;
  std::vector<Waiting> waiting_;
};

}  // namespace inferd::bench
