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

// A response that stays in this process.
struct InnerAnswer {
  int status = 200;
  std::string content_type;
  base::BufferSlice body;
};

// A request of the gateway's own, which waits for its whole response. Destroying it gives the request up. Loop-bound.
class InnerExchange final : public net::Exchange {
 public:
  using Done = std::move_only_function<void(InnerAnswer)>;

  // `bytes_left`: how much may be kept, of all exchanges that share it; a response beyond it is answered with 502.
  // `done` is called once, on the loop, and not inside a call to this or to its Reply.
  InnerExchange(net::Loop& loop, net::Reply::Target& replies, std::shared_ptr<size_t> bytes_left, Done done);
  ~InnerExchange() override;

  // Without a whole response by then, it is 504. At most once.
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
  // False: it is too much, and has been answered.
  bool Keep(base::BufferSlice piece);
  // Fails while the request still goes on somewhere, and is to end there.
  void GiveUp(int status, std::string_view text);
  void Fail(int status, std::string_view text);
  void Finish();

  net::Loop& loop_;
  net::Loop::TimerId timer_ = 0;
  const std::shared_ptr<size_t> bytes_left_;
  const std::shared_ptr<Done> done_;  // empty function: told, or given up
  base::Task on_peer_gone_;
  InnerAnswer answer_;
  std::vector<base::BufferSlice> pieces_;
  size_t bytes_ = 0;
};

}  // namespace inferd::gateway
