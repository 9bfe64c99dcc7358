#include "kserve/agent/puller/model_store.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "data/json/read.h"
#include "storage/download/download.h"
#include "storage/download/placement.h"
#include "storage/file_digest.h"

namespace inferd::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuccess = "SUCCESS.";
constexpr size_t kSuccessBytesMax = 64 << 10;

std::optional<PulledModel> ReadSuccess(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error)) || fs::file_size(file, error) > kSuccessBytesMax) {
    return std::nullopt;
  }
  const std::string text = (std::ostringstream() << std::ifstream(file).rdbuf()).str();
  PulledModel model;
  const base::Status read = json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view key) {
    if (key == "storageUri") return json::ReadText(reader, model.storage_uri);
    if (key == "framework") return json::ReadText(reader, model.framework);
    if (key == "memory") return json::ReadText(reader, model.memory);
    return reader.SkipValue();
  });
  if (!read.ok() || model.storage_uri.empty()) return std::nullopt;
  return model;
}

std::optional<PulledModel> FindSuccess(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with(kSuccess)) continue;
    if (auto model = ReadSuccess(at->path())) return model;
  }
  return std::nullopt;
}

base::Status WriteSuccess(const fs::path& folder, const PulledModel& model) {
  const fs::path unnamed = folder / (std::string(kSuccess) + "new");
  std::ofstream file(unnamed);
  file << model.ToJson();
  file.close();
  if (!file) return base::Internal(unnamed.string() + " cannot be written");
  INFERD_ASSIGN_OR_RETURN(const std::string digest, storage::FileDigest(unnamed, "SHA256"));
  std::error_code error;
  fs::rename(unnamed, folder / (std::string(kSuccess) + digest), error);
  return error ? base::Internal(unnamed.string() + ": " + error.message()) : base::OkStatus();
}

}  // namespace

PulledModels ModelStore::List() const {
  PulledModels models;
  std::error_code error;
  fs::directory_iterator at(folder_, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || !at->is_directory(error)) continue;
    if (auto model = FindSuccess(at->path())) models.emplace(name, *std::move(model));
  }
  return models;
}

std::optional<PulledModel> ModelStore::Find(const std::string& name) const { return FindSuccess(folder_ / name); }

base::Status ModelStore::Bring(const std::string& name, const PulledModel& model, const std::stop_token& stop) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return base::Internal(folder_.string() + ": " + error.message());
  // Placement works on the folder of all models; this model's entry is replaced atomically.
  INFERD_ASSIGN_OR_RETURN(storage::Placement placement, storage::Placement::Begin(folder_));
  const fs::path aside = placement.folder() / name;
  INFERD_RETURN_IF_ERROR(storage::Download(model.storage_uri, aside, storage::ProcessEnvironment(), {}, stop));
  INFERD_RETURN_IF_ERROR(WriteSuccess(aside, model));
  return placement.Commit();
}

void ModelStore::Remove(const std::string& name) {
  // The rename makes the model disappear atomically, so that a model server never sees a part of it.
  std::error_code ignored;
  const fs::path aside = folder_ / (".removed-" + name);
  fs::remove_all(aside, ignored);
  fs::rename(folder_ / name, aside, ignored);
  fs::remove_all(aside, ignored);
}

}  // namespace inferd::agent
