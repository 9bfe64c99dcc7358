#include "config/tfs/server_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Result>
std::string FileError(const Result& result) {
  return result.has_value() ? "" : result.error().message();
}

TEST(ServerFilesTest, BatchingParameters) {
  const auto batching = ParseBatchingParameters(
      "max_batch_size { value: 32 } batch_timeout_micros { value: 1000 } max_enqueued_batches { value: 4 }", "f");
  ASSERT_TRUE(batching.has_value()) << batching.error().ToString();
  EXPECT_EQ(batching->max_batch_size, 32);
  EXPECT_EQ(batching->batching.max_queue_delay_us, 1000u);
  EXPECT_EQ(batching->batching.queue_size_max, 128u);
  EXPECT_FALSE(batching->batching.split_large_requests);
  EXPECT_FALSE(batching->batching.pad_to_largest_shape);
  EXPECT_EQ(ParseBatchingParameters("", "f")->max_batch_size, 1000);
}

TEST(ServerFilesTest, BatchThreadsAndTheirName) {
  const auto batching =
      ParseBatchingParameters("num_batch_threads { value: 3 } thread_pool_name { value: \"p\" }", "f");
  ASSERT_TRUE(batching.has_value()) << batching.error().ToString();
  EXPECT_EQ(batching->batch_threads, 3);
  EXPECT_EQ(batching->thread_pool_name, "p");
  EXPECT_EQ(ParseBatchingParameters("", "f")->batch_threads, 0);
  EXPECT_EQ(ParseBatchingParameters("", "f")->thread_pool_name, "batch_threads");
  EXPECT_THAT(FileError(ParseBatchingParameters("num_batch_threads { value: 0 }", "f")),
              HasSubstr("must be from 1 to"));
  EXPECT_THAT(FileError(ParseBatchingParameters("thread_pool_name { value: \"a:b\" }", "f")),
              HasSubstr("thread_pool_name: must not be empty, or have a ':'"));
}

TEST(ServerFilesTest, LargeBatchesAreSplit) {
  const auto batching = ParseBatchingParameters(
      "max_batch_size { value: 64 } max_execution_batch_size { value: 16 } enable_large_batch_splitting { value: true "
      "}\n"
      "allowed_batch_sizes: 4 allowed_batch_sizes: 16 num_batch_threads { value: 2 } pad_variable_length_inputs: true",
      "f");
  ASSERT_TRUE(batching.has_value()) << batching.error().ToString();
  EXPECT_EQ(batching->max_batch_size, 16);
  EXPECT_TRUE(batching->batching.split_large_requests);
  EXPECT_THAT(batching->batching.allowed_batch_sizes, ElementsAre(4, 16));
  EXPECT_TRUE(batching->batching.pad_to_largest_shape);
}

TEST(ServerFilesTest, BatchingParametersThatMakeNoSense) {
  EXPECT_EQ(FileError(ParseBatchingParameters("\nmax_batch_size { value: 0 }", "f")),
            "f:2:1: max_batch_size: must be from 1 to 2147483647, got 0");
  EXPECT_EQ(
      FileError(ParseBatchingParameters("max_batch_size { value: 8 }\nallowed_batch_sizes: 4", "f")),
      "f:2:1: allowed_batch_sizes: Last entry in allowed_batch_sizes must match max_batch_size; last entry was 4; "
      "expected 8");
  EXPECT_THAT(FileError(ParseBatchingParameters(
                  "max_batch_size { value: 8 } allowed_batch_sizes: 8 allowed_batch_sizes: 8", "f")),
              HasSubstr("must be above 0 and ascending"));
  EXPECT_THAT(FileError(ParseBatchingParameters("max_execution_batch_size { value: 8 }", "f")),
              HasSubstr("only with enable_large_batch_splitting"));
  EXPECT_THAT(FileError(ParseBatchingParameters("batch_timeout_micros { value: -1 }", "f")), HasSubstr("out of range"));
  EXPECT_EQ(FileError(ParseBatchingParameters("max_batch_size: 8", "f")),
            "Error parsing text-format tensorflow.serving.BatchingParameters: f:1:17: Expected \"{\", found \"8\".");
}

TEST(ServerFilesTest, MetricsAreWhereTheFileSays) {
  EXPECT_EQ(ParseMonitoringPath("", "f").value(), "");
  EXPECT_EQ(ParseMonitoringPath("prometheus_config { path: \"/m\" }", "f").value(), "");
  EXPECT_EQ(ParseMonitoringPath("prometheus_config { enable: true }", "f").value(), "/monitoring/prometheus/metrics");
  EXPECT_EQ(ParseMonitoringPath("prometheus_config { enable: true path: \"/m\" }", "f").value(), "/m");
  EXPECT_FALSE(ParseMonitoringPath("prometheus { }", "f").has_value());
}

TEST(ServerFilesTest, SslTextsAreWhole) {
  const std::string pair = "server_key: \"-----BEGIN K\" server_cert: \"-----BEGIN C\" ";
  const auto ssl = ParseSslConfig(pair + "custom_ca: \"-----BEGIN A\"", "f");
  ASSERT_TRUE(ssl.has_value());
  EXPECT_EQ(ssl->key + ssl->certificate, "-----BEGIN K-----BEGIN C");
  EXPECT_EQ(ssl->client_ca, "") << "clients are not verified";
  EXPECT_EQ(ParseSslConfig(pair + "custom_ca: \"-----BEGIN A\" client_verify: true", "f")->client_ca, "-----BEGIN A");
  EXPECT_EQ(FileError(ParseSslConfig(pair + "client_verify: true", "f")),
            "f: custom_ca, by which clients are verified, is missing");
  EXPECT_EQ(FileError(ParseSslConfig("server_key: \"/etc/tls/key.pem\" server_cert: \"-----BEGIN C\"", "f")),
            "f: server_key must be the PEM text itself (-----BEGIN ...), not the path of a file that has it");
  EXPECT_EQ(FileError(ParseSslConfig("server_key: \"K\"", "f")), "f: server_cert is missing");
  EXPECT_EQ(FileError(ParseSslConfig("server_cert: \"C\"", "f")), "f: server_key is missing");
}

}  // namespace
}  // namespace inferd::config
