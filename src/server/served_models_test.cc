#include "server/served_models.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/metrics/registry.h"
#include "serving/core/fake_catalog.h"
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
  const inferd::support::TempDir dir;
  const config::ServedModelOptions options{.config_file = (dir.path() / "models.config").string()};
  EXPECT_EQ(ReadServedModels(options, *logger).error().code(), base::StatusCode::kNotFound);
  for (const char* nothing : {"", "model_config_list { }"}) {
    dir.Write("models.config", nothing);
    EXPECT_TRUE(ReadServedModels(options, *logger).value()->empty());
  }
  dir.Write("models.config", "model_config_list { config { name: 1 } }");
  EXPECT_EQ(ReadServedModels(options, *logger).error().code(), base::StatusCode::kInvalidArgument);
}

TEST(ServedModelsTest, AreThoseOfAReloadCall) {
  const auto logger = base::Logger::Silent();
  core::FakeCatalog catalog;
  metrics::Registry registry;
  const base::FakeClock clock;
  RequestLogs logs(registry, *logger, clock);
  base::Status status = base::Internal("not answered");
  const auto reload = [&](std::string_view message) {
    ReloadModels({catalog, logs, *logger}, message, [&status](base::Status answer) { status = std::move(answer); });
  };
  // model_config_list { config { name: "m" base_path: "/m" model_platform: "tensorflow" } }
  reload("\x0a\x15\x0a\x13\x0a\x01m\x12\x02/m\x22\x0atensorflow");
  EXPECT_TRUE(status.ok()) << status.ToString();
  ASSERT_TRUE(catalog.served.has_value());
  EXPECT_EQ(catalog.served->front(), (config::ServedModel{.name = "m", .base_path = "/m", .platform = "tensorflow"}));
  catalog.served.reset();
  for (const char* no_list : {"\xff", ""}) {
    reload(no_list);
    EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
    EXPECT_FALSE(catalog.served.has_value());
  }
  reload({"\x0a\x00", 2});  // model_config_list { }
  EXPECT_TRUE(catalog.served.value().empty());
}

}  // namespace
}  // namespace inferd::server
