#include "server/option_mapping.h"

#include <gtest/gtest.h>

#include "config/personality.h"

namespace inferd::server {
namespace {

config::ServerOptions Defaults(const config::Personality& personality = config::DefaultPersonality()) {
  config::ServerOptions options;
  options.personality = &personality;
  return options;
}

TEST(OptionMappingTest, DefaultLimitsAreTheTransports) {
  const net::Limits mapped = NetLimits(config::LimitOptions());
  const net::Limits own;
  EXPECT_EQ(mapped.header_bytes_max, own.header_bytes_max);
  EXPECT_EQ(mapped.header_count_max, own.header_count_max);
  EXPECT_EQ(mapped.target_bytes_max, own.target_bytes_max);
  EXPECT_EQ(mapped.body_bytes_max, own.body_bytes_max);
  EXPECT_EQ(mapped.header_timeout, own.header_timeout);
  EXPECT_EQ(mapped.idle_timeout, own.idle_timeout);
  EXPECT_EQ(mapped.body_timeout, own.body_timeout);
  EXPECT_EQ(mapped.connections_max, own.connections_max);
  EXPECT_EQ(mapped.write_high_water, own.write_high_water);
  EXPECT_EQ(mapped.http2_streams_max, own.http2_streams_max);
}

TEST(OptionMappingTest, TlsNeedsACertificateAndAClientCaDemandsOne) {
  config::ListenerOptions listener{.port = 1};
  EXPECT_FALSE(Listener("http", listener).tls.has_value());
  listener.tls = {.certificate_file = "c", .key_file = "k", .client_ca_file = ""};
  EXPECT_FALSE(Listener("http", listener).tls->require_client_certificate);
  listener.tls.client_ca_file = "ca";
  EXPECT_TRUE(Listener("http", listener).tls->require_client_certificate);
}

TEST(OptionMappingTest, APersonalityBringsItsCodesAndNames) {
  const auto own = OipHttpOptions(Defaults());
  EXPECT_EQ(oip_http::HttpStatus(own.statuses, base::StatusCode::kResourceExhausted), 429);
  const auto triton = Defaults(config::TritonserverPersonality());
  EXPECT_EQ(oip_http::HttpStatus(OipHttpOptions(triton).statuses, base::StatusCode::kResourceExhausted), 503);
  EXPECT_EQ(ManagerOptionsOf(triton).completion.platform_names, triton.personality->platform_names);
}

TEST(OptionMappingTest, SingleFilesAreRepositoriesToo) {
  config::ServerOptions options = Defaults();
  options.repositories = {{.name = "a", .path = "/models"}};
  options.model_files = {"/tmp/x.onnx"};
  const auto manager = ManagerOptionsOf(options);
  ASSERT_EQ(manager.repositories.size(), 2u);
  EXPECT_EQ(manager.repositories[0].name, "a");
  EXPECT_EQ(manager.repositories[1].path, "/tmp/x.onnx");
}

}  // namespace
}  // namespace inferd::server
