#include "kserve/clustergateway/router/name_resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace inferd::clustergateway {
namespace {

using Addresses = std::vector<std::string>;

NamedBackend Named(const std::string& host) {
  return {.host = host, .port = 80, .backend = std::make_shared<gateway::Backend>(host, gateway::BackendOptions{})};
}

void AwaitReplicas(const gateway::Backend& backend, size_t count) {
  while (backend.replicas() != count) std::this_thread::yield();
}

TEST(NameResolverTest, ABackendHasTheAddressesOfItsName) {
  const auto logger = base::Logger::Silent();
  const NamedBackend known = Named("known");
  const NamedBackend unknown = Named("unknown");
  const NameResolver resolver({known, unknown}, *logger, [](const std::string& host) -> base::Result<Addresses> {
    if (host == "unknown") return std::unexpected(base::NotFound("no such host"));
    return Addresses{"10.0.0.1", "fd00::1"};
  });
  AwaitReplicas(*known.backend, 2);
  EXPECT_EQ(unknown.backend->replicas(), 0U);
}

TEST(NameResolverTest, ANameThatIsNotThereYetIsAskedForAgain) {
  const auto logger = base::Logger::Silent();
  const NamedBackend late = Named("late");
  std::atomic<int> asked{0};
  const NameResolver resolver({late}, *logger, [&](const std::string&) -> base::Result<Addresses> {
    if (asked++ == 0) return std::unexpected(base::Unavailable("the resolver is away"));
    return Addresses{"10.0.0.1"};
  });
  AwaitReplicas(*late.backend, 1);
  EXPECT_EQ(asked, 2);
}

TEST(ResolveHostTest, TheSystemsResolverIsAsked) {
  const auto local = ResolveHost("127.0.0.1");
  ASSERT_TRUE(local.has_value()) << local.error().message();
  EXPECT_THAT(*local, ::testing::ElementsAre("127.0.0.1"));
  EXPECT_FALSE(ResolveHost("a..b").has_value());
}

}  // namespace
}  // namespace inferd::clustergateway
