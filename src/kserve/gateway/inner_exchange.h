#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "net/http/exchange.h"
#include "net/loop/loop.h"

namespace inferd::gateway {

// A response that the gateway itself consumes.
struct InnerAnswer {
  int status = 200;
  std::string content_type;
  base::BufferSlice body;
};

// A request that the gateway itself sends, with a buffered response. Destroying it cancels the request. Loop-bound.
class InnerExchange final : public net::Exchange {
 public:
  using Done = std::move_only_function<void(InnerAnswer)>;

  // `bytes_left` is the remaining budget of all exchanges that share it; a response that exceeds it becomes a 502.
  // `done` is called once, on the loop, and never within a call to this or to its Reply.
  InnerExchange(net::Loop& loop, net::Reply::Target& replies, std::shared_ptr<size_t> bytes_left, Done done);
  ~InnerExchange() override;

  // Sets the time limit. If the response is not complete by then, it becomes a 504. Call it at most once.
  void EndAfter(std::chrono::milliseconds timeout);

 private:
  // Exchange.
  void Send(net::HttpResponse&& response) override;
  void Start(net::HttpResponse&& response) override;
  bool Write(base::BufferSlice piece) override;
  void End(net::Trailers trailers) override;
  void OnWritable(base::Task) override {}
  void OnPeerGone(base::Task task) override { on_peer_gone_ = std::move(task); }
  void PauseBody() override {}
  void ResumeBody() override {}
  void TellPeerGone() override;
  void Abandon() override;

  void TakeHead(const net::HttpResponse& response);
  // Returns false if the response is too large; it has then been answered.
  bool Keep(base::BufferSlice piece);
  // Fails a request that is still in flight, and cancels it.
  void GiveUp(int status, std::string_view text);
  void Fail(int status, std::string_view text);
  void Finish();

  net::Loop& loop_;
  net::Loop::TimerId timer_ = 0;
  const std::shared_ptr<size_t> bytes_left_;
  const std::shared_ptr<Done> done_;  // empty after the call, or after cancellation
  base::Task on_peer_gone_;
  InnerAnswer answer_;
  std::vector<base::BufferSlice> pieces_;
  size_t bytes_ = 0;
};

}  // namespace inferd::gateway
