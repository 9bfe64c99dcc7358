#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "kserve/agent/puller/model_list.h"

namespace inferd::agent {

// The folder of models that a model server reads: a folder for each, with a file SUCCESS.<SHA-256> that has what it was
// brought by. Folders without one are not the agent's, and stay. Thread-safe for different models.
class ModelStore final {
 public:
  explicit ModelStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The models that were brought here, and are whole.
  PulledModels List() const;
  std::optional<PulledModel> Find(const std::string& name) const;
  // Downloads the model aside, and brings it to its place at once, where that of before is replaced. The errors are
  // storage::Download's; INTERNAL: a file cannot be written.
  base::Status Bring(const std::string& name, const PulledModel& model, const std::stop_token& stop);
  void Remove(const std::string& name);

 private:
  const std::filesystem::path folder_;
};

}  // namespace inferd::agent
