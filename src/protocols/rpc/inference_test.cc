#include "protocols/rpc/inference.h"

#include <gtest/gtest.h>

namespace inferd::rpc {
namespace {

TEST(ForwardedTest, MetadataAreKeptOnlyWhereTheyAreForwarded) {
  core::InferRequest request;
  net::grpc::CallContext context;
  context.head.headers.emplace_back("tenant", "a");
  Options options;
  EXPECT_EQ(KeepForwarded(std::move(context), options), nullptr);
  EXPECT_TRUE(AddForwarded(nullptr, options, request).ok());
  EXPECT_TRUE(request.parameters.empty());
  options.forwarded_metadata = *base::NamePattern::Create("ten.*");
  net::grpc::CallContext kept;
  kept.head.headers.emplace_back("tenant", "a");
  EXPECT_TRUE(AddForwarded(KeepForwarded(std::move(kept), options), options, request).ok());
  ASSERT_EQ(request.parameters.size(), 1u);
  EXPECT_EQ(request.parameters[0].first, "tenant");
}

}  // namespace
}  // namespace inferd::rpc
