#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "net/http2/fake_peer.h"
#include "net/http2/session.h"

namespace inferd::net::http2 {

// For tests: an HTTP/2 session and its peer.
class SessionTest : public ::testing::Test {
 protected:
  void Exchange() { peer_.Exchange(*session_, host_); }
  FakeHandler& handler() { return host_.fake_handler; }
  // Makes the handler return the request's body.
  void Echo() {
    handler().answer = [](HttpRequest request, Reply reply) {
      HttpResponse response;
      response.body.push_back(request.body);
      reply.Send(std::move(response));
    };
  }
  // Makes the handler keep replies for later.
  void Hold() {
    handler().answer = [this](HttpRequest, Reply reply) { held_.push_back(std::move(reply)); };
  }

  FakeSessionHost host_;
  std::unique_ptr<Session> session_ = MakeSession(host_);
  FakePeer peer_;
  std::vector<Reply> held_;
};

}  // namespace inferd::net::http2
