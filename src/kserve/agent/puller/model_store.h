#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "kserve/agent/puller/model_list.h"

namespace inferd::agent {

// The folder from which a model server reads its models. Each model has a folder with a file SUCCESS.<SHA-256>, which
// contains the model's specification. Other folders do not belong to the agent, and are kept. Thread-safe for different
// models.
class ModelStore final {
 public:
  explicit ModelStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Returns the models that were downloaded completely.
  PulledModels List() const;
  std::optional<PulledModel> Find(const std::string& name) const;
  // Downloads the model to a temporary folder, and then moves it to its place, replacing the previous one. Returns the
  // errors of storage::Download, or INTERNAL if a file cannot be written.
  base::Status Bring(const std::string& name, const PulledModel& model, const std::stop_token& stop);
  void Remove(const std::string& name);

 private:
  const std::filesystem::path folder_;
};

}  // namespace inferd::agent
