#include "server/served_models.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

TEST(ServedModelsTest, AreThoseOfTheOptions) {
  const auto logger = base::Logger::Silent();
  EXPECT_FALSE(ReadServedModels({}, *logger).value().has_value());
  const auto models = ReadServedModels({.base_paths = {{.name = "m", .path = "/m"}}}, *logger).value();
  ASSERT_EQ(models->size(), 1u);
  EXPECT_EQ(models->front(), (config::ServedModel{.name = "m", .base_path = "/m"}));
}

TEST(ServedModelsTest, AreThoseOfTheFile) {
  const auto logger = base::Logger::Silent();
  const inferd::testing::TempDir dir;
  const config::ServedModelOptions options{.config_file = (dir.path() / "models.config").string()};
  EXPECT_EQ(ReadServedModels(options, *logger).error().code(), base::StatusCode::kNotFound);
  dir.Write("models.config", "model_config_list { }");
  EXPECT_TRUE(ReadServedModels(options, *logger).value()->empty());
  dir.Write("models.config", "model_config_list { config { name: 1 } }");
  EXPECT_EQ(ReadServedModels(options, *logger).error().code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::server
