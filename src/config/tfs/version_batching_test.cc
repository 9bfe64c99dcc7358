#include "config/tfs/version_batching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the server's own settings.
CompletionOptions ServerWide(bool version_batching) {
  CompletionOptions options;
  options.default_max_batch_size = 1000;
  options.default_batching.max_queue_delay_us = 7;
  options.default_batching.allowed_batch_sizes = {1000};
  options.default_batching.resource = "pool";
  options.version_batching = version_batching;
  return options;
}

class VersionBatchingTest : public ::testing::Test {
 protected:
  support::TempDir folder_;
};

TEST_F(VersionBatchingTest, AVersionsFileIsInPlaceOfTheServers) {
  folder_.Write("batching_params.pbtxt",
                "max_batch_size { value: 8 } max_enqueued_batches { value: 3 }\n"
                "allowed_batch_sizes: 2 allowed_batch_sizes: 8 num_batch_threads { value: 4 }");
  const auto options = WithVersionBatching(ServerWide(true), folder_.path());
  ASSERT_TRUE(options.has_value()) << options.error().ToString();
  EXPECT_EQ(options->default_max_batch_size, 8);
  EXPECT_EQ(options->default_batching.max_queue_delay_us, 0u) << "nothing of the server's stays";
  EXPECT_THAT(options->default_batching.allowed_batch_sizes, ElementsAre(2, 8));
  EXPECT_EQ(options->default_batching.queue_size_max, 24u);
  EXPECT_EQ(options->default_batching.resource, "pool") << "of all models";
}

TEST_F(VersionBatchingTest, AVersionWithoutAFileDoesNotBatch) {
  const auto options = WithVersionBatching(ServerWide(true), folder_.path());
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->default_max_batch_size, 0);
  EXPECT_EQ(options->default_batching.resource, "");
  EXPECT_THAT(options->default_batching.allowed_batch_sizes, IsEmpty());
}

TEST_F(VersionBatchingTest, FilesAreNotLookedAtUnasked) {
  folder_.Write("batching_params.pbtxt", "max_batch_size { value: 8 }");
  EXPECT_EQ(WithVersionBatching(ServerWide(false), folder_.path())->default_max_batch_size, 1000);
}

TEST_F(VersionBatchingTest, ErrorsNameFileLineAndField) {
  folder_.Write("batching_params.pbtxt", "max_batch_size { value: 8 }\nbatch_size: 3");
  const std::string file = (folder_.path() / "batching_params.pbtxt").string();
  EXPECT_EQ(
      WithVersionBatching(ServerWide(true), folder_.path()).error().message(),
      "Error parsing text-format tensorflow.serving.BatchingParameters: " + file +
          ":2:1: Message type \"tensorflow.serving.BatchingParameters\" has no field named \"batch_size\". (did you "
          "mean 'max_batch_size'?)");
  folder_.Write("batching_params.pbtxt", "max_batch_size { value: 0 }");
  EXPECT_EQ(WithVersionBatching(ServerWide(true), folder_.path()).error().message(),
            file + ":1:1: max_batch_size: must be from 1 to 2147483647, got 0");
}

}  // namespace
}  // namespace inferd::config
