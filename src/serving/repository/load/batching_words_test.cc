#include "serving/repository/load/batching_words.h"

#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

TEST(BatchingWordsTest, ShapesAndConfigurationsThatSettleItAreNoNews) {
  config::ModelConfig config;
  config.inputs = {{.name = "x", .dims = {-1, 4}}};
  config.outputs = {{.name = "y", .dims = {-1}}};
  config.batching_decision.source = config::BatchingSource::kModel;
  EXPECT_TRUE(ModelDecidedBatching(config));
  config.batching_decision.source = config::BatchingSource::kConfiguration;
  EXPECT_FALSE(ModelDecidedBatching(config));
  config.batching_decision.source = config::BatchingSource::kServer;
  EXPECT_FALSE(ModelDecidedBatching(config));
  config.batching_decision.source = config::BatchingSource::kModel;
  config.outputs[0].dims = {1};
  EXPECT_FALSE(ModelDecidedBatching(config)) << "there are no rows";
  config.batching_decision.source = config::BatchingSource::kProbe;
  EXPECT_TRUE(ModelDecidedBatching(config));
}

}  // namespace
}  // namespace inferd::repository
