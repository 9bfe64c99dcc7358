#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/logging.h"
#include "kserve/gateway/gateway.h"
#include "net/loop_group.h"
#include "net/server.h"
#include "tests/support/raw_client.h"

namespace inferd::gateway {

// A gateway that listens on the loopback address.
class ServedGatewayTest : public ::testing::Test {
 protected:
  ServedGatewayTest() {
    net::ListenerOptions listener;
    listener.name = "http";
    listener.address = "127.0.0.1";
    listener.handlers = gateway_.Handlers();
    EXPECT_TRUE(server_.Listen(std::move(listener)).ok());
  }
  ~ServedGatewayTest() override { server_.Stop(); }

  uint16_t port() const { return server_.port("http"); }
  // Returns the response up to and including `end`.
  std::string Ask(const std::string& request, std::string_view end) {
    support::RawClient client(port());
    EXPECT_TRUE(client.Send(request));
    return client.ReadUntil(end);
  }

  net::LoopGroup loops_{2};
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  Gateway gateway_{{}};
  net::Server server_{loops_, net::Limits(), nullptr, *logger_};
};

}  // namespace inferd::gateway
