#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "config/model/model_config_parser.h"
#include "serving/enginehost/plugin_engine.h"
#include "serving/worker/parent/isolating_engine.h"
#include "tests/support/temp_dir.h"

// Shared by tests with real worker processes.

namespace inferd::worker {

inline const std::filesystem::path kLibrary = std::filesystem::path(INFERD_ENGINES_DIR) / "fake.so";
inline const std::filesystem::path kProgram = std::filesystem::path(INFERD_PROGRAMS_DIR) / "inferd-worker";

// Returns the worker processes of this test whose program has this name, given in parentheses.
inline std::set<pid_t> Workers(const std::string& program = "(inferd-worker)") {
  std::set<pid_t> workers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    pid_t pid = 0;
    std::string name;
    char state = 0;
    pid_t parent = 0;
    if (stat >> pid >> name >> state >> parent && parent == getpid() && name == program && state != 'Z') {
      workers.insert(pid);
    }
  }
  return workers;
}

// Runs the fake engine in worker processes.
class WorkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = enginehost::PluginEngine::Open(kLibrary, {});
    ASSERT_TRUE(opened) << opened.error().ToString();
    inside_ = *std::move(opened);
    engine_ = std::make_unique<IsolatingEngine>(*inside_, kLibrary, IsolationOptions{.program = kProgram});
  }

  static std::string Parameter(const std::string& key, const std::string& value) {
    return "parameters { key: \"" + key + "\" value { string_value: \"" + value + "\" } }";
  }

  // Loads version 1 of the model, in dir_.
  base::Result<std::unique_ptr<core::EngineModel>> LoadModel(const std::string& name, const std::string& config_text) {
    return LoadModelOf(*engine_, name, config_text);
  }
  base::Result<std::unique_ptr<core::EngineModel>> LoadModelOf(core::Engine& engine, const std::string& name,
                                                               const std::string& config_text) {
    auto config = config::ParseModelConfig(config_text, "config.pbtxt");
    if (!config) return std::unexpected(config.error());
    core::LoadSpec spec;
    spec.model_name = name;
    spec.version = 1;
    spec.model_dir = dir_.path();
    spec.config = std::make_shared<const config::ModelConfig>(*std::move(config));
    return engine.Load(spec);
  }

  inferd::support::TempDir dir_;
  std::unique_ptr<enginehost::PluginEngine> inside_;
  std::unique_ptr<IsolatingEngine> engine_;
};

}  // namespace inferd::worker
