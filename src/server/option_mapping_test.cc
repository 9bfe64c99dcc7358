#include "server/option_mapping.h"

#include <gtest/gtest.h>

#include "config/personality.h"

namespace inferd::server {
namespace option_mapping_test {

config::ServerOptions Defaults(const config::Personality& personality = config::DefaultPersonality()) {
  config::ServerOptions options;
  options.personality = &personality;
  return options;
}

TEST(OptionMappingTest, DefaultLimitsAreTheTransports) {
  const net::Limits mapped = NetLimits(config::LimitOptions(), config::GrpcKeepaliveOptions());
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
  EXPECT_EQ(mapped.http2_keepalive.ping_every, own.http2_keepalive.ping_every);
  EXPECT_EQ(mapped.http2_keepalive.ping_timeout, own.http2_keepalive.ping_timeout);
  EXPECT_EQ(mapped.http2_keepalive.ping_without_calls, own.http2_keepalive.ping_without_calls);
  EXPECT_EQ(mapped.http2_keepalive.client_ping_interval_min, own.http2_keepalive.client_ping_interval_min);
  EXPECT_EQ(mapped.http2_keepalive.client_ping_strikes_max, own.http2_keepalive.client_ping_strikes_max);
  EXPECT_EQ(mapped.http2_keepalive.pings_without_data_max, own.http2_keepalive.pings_without_data_max);
  EXPECT_EQ(mapped.http2_age_max, own.http2_age_max);
  EXPECT_EQ(mapped.http2_age_grace, own.http2_age_grace);
}

TEST(OptionMappingTest, RequestsInFlightHoldNoMoreThanBodiesMay) {
  config::LimitOptions limits;
  EXPECT_GT(InflightBounds(limits).bytes, 0);
  limits.body_bytes_in_flight_max = 1000;
  limits.requests_in_flight_max = 7;
  EXPECT_EQ(InflightBounds(limits).bytes, 1000);
  EXPECT_EQ(InflightBounds(limits).requests, 7);
}

TEST(OptionMappingTest, KeepaliveIsTheTransports) {
  config::GrpcKeepaliveOptions keepalive;
  keepalive.ping_every = std::chrono::milliseconds(1);
  keepalive.ping_timeout = std::chrono::milliseconds(2);
  keepalive.client_ping_interval_min = std::chrono::milliseconds(3);
  keepalive.client_ping_strikes_max = 4;
  keepalive.pings_without_data_max = 5;
  keepalive.connection_age_max = std::chrono::milliseconds(6);
  keepalive.connection_age_grace = std::chrono::milliseconds(7);
  keepalive.ping_without_calls = true;
  const net::Limits mapped = NetLimits(config::LimitOptions(), keepalive);
  EXPECT_EQ(mapped.http2_keepalive.ping_every.count(), 1);
  EXPECT_EQ(mapped.http2_keepalive.ping_timeout.count(), 2);
  EXPECT_EQ(mapped.http2_keepalive.client_ping_interval_min.count(), 3);
  EXPECT_EQ(mapped.http2_keepalive.client_ping_strikes_max, 4u);
  EXPECT_EQ(mapped.http2_keepalive.pings_without_data_max, 5u);
  EXPECT_EQ(mapped.http2_age_max.count(), 6);
  EXPECT_EQ(mapped.http2_age_grace.count(), 7);
  EXPECT_TRUE(mapped.http2_keepalive.ping_without_calls);
}

TEST(OptionMappingTest, TlsNeedsACertificateAndAClientCaDemandsOne) {
  config::ListenerOptions listener{.port = 1};
  EXPECT_FALSE(Listener("http", listener).tls.has_value());
  listener.tls = {.certificate_file = "c", .key_file = "k", .client_ca_file = ""};
  EXPECT_FALSE(Listener("http", listener).tls->require_client_certificate);
  listener.tls.client_ca_file = "ca";
  EXPECT_TRUE(Listener("http", listener).tls->require_client_certificate);
}

TEST(OptionMappingTest, APersonalityBringsItsNames) {
  const auto triton = Defaults(config::TritonserverPersonality());
  EXPECT_EQ(ManagerOptionsOf(triton, std::nullopt).completion.platform_names, triton.personality->platform_names);
  EXPECT_FALSE(ManagerOptionsOf(triton, std::nullopt).completion.any_input_name);
  EXPECT_TRUE(ManagerOptionsOf(Defaults(config::KservePersonality()), std::nullopt).completion.any_input_name);
}

TEST(OptionMappingTest, WhereModelsRunThatDoNotSay) {
  config::ServerOptions options = Defaults();
  EXPECT_EQ(ManagerOptionsOf(options, std::nullopt).completion.default_isolation, config::Isolation::kNone);
  options.isolation = config::Isolation::kProcess;
  EXPECT_EQ(ManagerOptionsOf(options, std::nullopt).completion.default_isolation, config::Isolation::kProcess);
}

TEST(OptionMappingTest, GrpcsDefaultsAreTheRooms) {
  const net::grpc::Options mapped = GrpcOptions(Defaults());
  const net::grpc::Options own;
  EXPECT_EQ(mapped.message_bytes_max, own.message_bytes_max);
  EXPECT_EQ(mapped.compression_ratio_max, own.compression_ratio_max);
  EXPECT_EQ(mapped.response_compression_level, own.response_compression_level);
  EXPECT_EQ(mapped.web_allow_origin, own.web_allow_origin);
}

TEST(OptionMappingTest, GrpcHasItsOptions) {
  config::ServerOptions options = Defaults(config::TritonserverPersonality());
  options.grpc_calls.message_bytes_max = 7;
  options.grpc_calls.web_allow_origin = "*";
  EXPECT_EQ(GrpcOptions(options).message_bytes_max, 7u);
  EXPECT_EQ(GrpcOptions(options).web_allow_origin, "*");
  int level = -1;
  using enum config::GrpcCompressionLevel;
  for (const auto named : {kNone, kLow, kMedium, kHigh}) {
    options.grpc_calls.response_compression = named;
    const int mapped = GrpcOptions(options).response_compression_level;
    EXPECT_GT(mapped, level);
    level = mapped;
  }
  EXPECT_EQ(level, 9);
}

TEST(OptionMappingTest, AUnixSocketHasNoTlsUnlessThePersonalitySaysSo) {
  const config::ListenerOptions listener{
      .port = 1, .unix_socket = "/run/socket", .tls = {.certificate_file = "c", .key_file = "k", .client_ca_file = ""}};
  const net::ListenerOptions mapped = UnixListener("grpc-unix", listener, config::DefaultPersonality());
  EXPECT_EQ(mapped.unix_path, "/run/socket");
  EXPECT_FALSE(mapped.tls.has_value());
  EXPECT_TRUE(Listener("grpc", listener).unix_path.empty());
  const auto& tensorflow = config::TensorflowModelServerPersonality();
  EXPECT_EQ(UnixListener("grpc-unix", listener, tensorflow).tls->certificate_file, "c");
  EXPECT_FALSE(UnixListener("grpc-unix", {.unix_socket = "/run/socket"}, tensorflow).tls.has_value());
}

TEST(OptionMappingTest, SchedulersHaveTheirOptions) {
  config::ServerOptions options = Defaults();
  const scheduling::SchedulerOptions own;
  EXPECT_EQ(SchedulerOptions(options).queue_size_max, own.queue_size_max);
  EXPECT_EQ(SchedulerOptions(options).latency_objective_ns, own.latency_objective_ns);
  EXPECT_EQ(SchedulerOptions(options).inline_service_ns_max, own.inline_service_ns_max);
  EXPECT_EQ(SchedulerOptions(options).delay_until_queued, 0);
  EXPECT_FALSE(SchedulerOptions(options).ignores_barred_timeouts);
  options.limits.queue_size_max = 5;
  options.latency_objective_us = 2'500;
  options.inline_execution_max_us = 0;
  options.delay_until_queued = 6;
  options.delay_until_backlog = 7;
  EXPECT_EQ(SchedulerOptions(options).queue_size_max, 5u);
  EXPECT_EQ(SchedulerOptions(options).latency_objective_ns, 2'500'000);
  EXPECT_EQ(SchedulerOptions(options).inline_service_ns_max, 0);
  EXPECT_EQ(SchedulerOptions(options).delay_until_queued, 6);
  EXPECT_EQ(SchedulerOptions(options).delay_until_backlog, 7);
  options.personality = &config::TritonserverPersonality();
  EXPECT_TRUE(SchedulerOptions(options).ignores_barred_timeouts);
}

TEST(OptionMappingTest, ComputeThreadsAreAsManyAsCoresUnlessSaid) {
  config::ServerOptions options = Defaults();
  EXPECT_GE(CpuThreads(options), 1);
  EXPECT_EQ(CpuThreadsAtOnce(options), 0) << "nobody asked for executions to wait";
  options.cpu_threads = 3;
  EXPECT_EQ(CpuThreads(options), 3);
  EXPECT_EQ(CpuThreadsAtOnce(options), 3);
}

TEST(OptionMappingTest, SingleFilesAreRepositoriesToo) {
  config::ServerOptions options = Defaults();
  options.repositories = {{.name = "a", .path = "/models"}};
  options.model_files = {"/tmp/x.onnx"};
  const auto manager = ManagerOptionsOf(options, std::nullopt);
  ASSERT_EQ(manager.repositories.size(), 2u);
  EXPECT_EQ(manager.repositories[0].name, "a");
  EXPECT_EQ(manager.repositories[1].path, "/tmp/x.onnx");
}

}  // namespace option_mapping_test
}  // namespace inferd::server
