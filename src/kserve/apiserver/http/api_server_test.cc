#include "kserve/apiserver/http/api_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "net/fake_exchange.h"

namespace inferd::apiserver {
namespace {

class ApiServerTest : public ::testing::Test {
 protected:
  // Returns the status that refuses a request with this header before its body is read. 0 if it is not refused.
  int RefusalWith(std::string_view name, std::string_view value) {
    net::RequestHead head;
    head.peer = "unix";
    head.headers.emplace_back(name, value);
    const net::BodyPlan plan = handler_->OnHead(head);
    return plan.refuse.has_value() ? plan.refuse->status : 0;
  }

  base::FakeClock clock_;
  const std::unique_ptr<ObjectStore> store_ = *ObjectStore::Open("");
  const Admission admission_{*store_, [] { return model::InferenceServiceConfig(); }};
  Registry registry_{*store_, admission_, clock_};
  net::FakeLoop loop_;
  ApiServer server_{registry_, nullptr, clock_, net::SecretDigest("token")};
  const std::unique_ptr<net::HttpHandler> handler_ = server_.Handlers()(loop_);
};

TEST_F(ApiServerTest, TheHostIsLocalhostOrAnAddress) {
  for (const std::string_view host :
       {"localhost", "LocalHost:8079", "localhost.", "127.0.0.1:8079", "192.0.2.1", "[::1]:8079", "[2001:db8::1]"}) {
    EXPECT_EQ(RefusalWith("Host", host), 0) << host;
  }
  // Names that a foreign server could resolve to this machine, and texts that only begin like an address.
  for (const std::string_view host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "localhost:evil.example",
        "127.0.0.1:80.evil.example", "[::1]evil.example", "[::1", "[127.0.0.1]", "127.1", "evil@localhost"}) {
    EXPECT_EQ(RefusalWith("Host", host), 403) << host;
  }
  EXPECT_EQ(RefusalWith("Origin", "http://localhost"), 403);
}

}  // namespace
}  // namespace inferd::apiserver
