#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/options_fixture.h"

namespace inferd::config {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(GrpcRowsTest, GrpcHasOptionsOfItsOwn) {
  const auto parsed = Parse({"m", "--grpc-tls-certificate=c", "--grpc-tls-key=k", "--grpc-unix-socket=/run/grpc",
                             "--grpc-typed-outputs", "--grpc-response-compression-level=high", "--http-grpc=false",
                             "--grpc-message-bytes-max=1MiB", "--grpc-keepalive-time=10s",
                             "--grpc-http2-max-ping-strikes=5", "--grpc-max-connection-age=1h"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.grpc.tls.certificate_file, "c");
  EXPECT_EQ(parsed->options.grpc.unix_socket, "/run/grpc");
  const GrpcOptions& grpc = parsed->options.grpc_calls;
  EXPECT_TRUE(grpc.typed_outputs);
  EXPECT_FALSE(grpc.on_http_port);
  EXPECT_EQ(grpc.response_compression, GrpcCompressionLevel::kHigh);
  EXPECT_EQ(grpc.message_bytes_max, 1u << 20);
  EXPECT_EQ(grpc.keepalive.ping_every, milliseconds(10'000));
  EXPECT_EQ(grpc.keepalive.client_ping_strikes_max, 5u);
  EXPECT_EQ(grpc.keepalive.connection_age_max, milliseconds(3'600'000));
  EXPECT_THAT(ErrorOf({"m", "--grpc-tls-key=k"}), HasSubstr("--grpc-tls-certificate and --grpc-tls-key go together"));
  EXPECT_THAT(ErrorOf({"m", "--grpc-message-bytes-max=0"}), HasSubstr("must be at least 1"));
}

}  // namespace
}  // namespace inferd::config
