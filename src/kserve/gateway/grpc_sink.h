#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "kserve/gateway/grpc_call.h"
#include "net/http/http.h"

namespace inferd::gateway {

// Passes the body of a gRPC call on as it arrives. Owned by the transport. Loop-bound.
class GrpcSink final : public net::RequestSink {
 public:
  // Starts the call. If it fails, answers the request itself, and leaves the link empty.
  using Opener = std::function<void(net::HttpRequest request, net::Reply reply, std::shared_ptr<GrpcCall::Link> link)>;

  explicit GrpcSink(Opener begin) : begin_(std::move(begin)) {}

  void Begin(net::BodyPool&) override {}
  void OnBody(std::span<const std::byte> bytes) override {
    pieces_.emplace_back(base::Buffer::CopyOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  void OnBodyEnd() override { ended_ = true; }
  void Open(net::HttpRequest request, net::Reply reply) override {
    begin_(std::move(request), std::move(reply), link_);
  }
  void Proceed() override {
    for (base::BufferSlice& piece : std::exchange(pieces_, {})) {
      if (link_->call != nullptr) link_->call->TakeBody(std::move(piece));
    }
    if (std::exchange(ended_, false) && link_->call != nullptr) link_->call->EndBody();
  }
  // A stream may be silent for any time.
  bool AwaitsMore() const override { return false; }

 private:
  const Opener begin_;
  const std::shared_ptr<GrpcCall::Link> link_ = std::make_shared<GrpcCall::Link>();
  std::deque<base::BufferSlice> pieces_;  // of the current read
  bool ended_ = false;
};

}  // namespace inferd::gateway
