#include "engines/python/sharing/model_key.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "data/json/reader.h"
#include "engines/kit/parameters.h"

namespace inferd::python {

namespace {

namespace fs = std::filesystem;
using kit::ToView;

// A model with more files is loaded anew: to look at all of them would take long.
constexpr size_t kFilesMax = 4096;

// Settings of a group that may differ between instances that replace each other. The device is compared separately.
constexpr std::string_view kOwnSettings[] = {"name", "count", "gpus"};

// A setting that changes nothing for this engine, and that completed configurations have (Triton).
constexpr std::string_view kNoEffect = "optimization";

base::Result<std::string> ReadGroup(json::Reader& reader) {
  std::string settings;
  INFERD_RETURN_IF_ERROR(reader.BeginObject());
  while (true) {
    INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader.NextKey());
    if (!key.has_value()) return settings;
    const bool own = std::ranges::find(kOwnSettings, *key) != std::end(kOwnSettings);
    settings.append(own ? "" : *key);
    INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadRaw());
    settings.append(own ? "" : value);
  }
}

base::Status ReadGroups(json::Reader& reader, std::vector<std::string>& groups) {
  INFERD_RETURN_IF_ERROR(reader.BeginArray());
  while (true) {
    INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
    if (!more) return {};
    INFERD_ASSIGN_OR_RETURN(groups.emplace_back(), ReadGroup(reader));
  }
}

// Appends the configuration without its instance groups. FAILED_PRECONDITION if the model is warmed up: a warm-up is
// for instances that are new.
base::Status ReadConfiguration(std::string_view text, ModelKey& key) {
  json::Reader reader(text);
  INFERD_RETURN_IF_ERROR(reader.BeginObject());
  while (true) {
    INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> member, reader.NextKey());
    if (!member.has_value()) return reader.Finish();
    if (*member == "instance_group") {
      INFERD_RETURN_IF_ERROR(ReadGroups(reader, key.groups));
      continue;
    }
    if (*member == kNoEffect) {
      INFERD_RETURN_IF_ERROR(reader.SkipValue());
      continue;
    }
    const std::string name(*member);
    INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadRaw());
    if (name == "model_warmup" && value != "[]") return base::FailedPrecondition("the model is warmed up");
    key.key.append(name).append("=").append(value).append("\n");
  }
}

bool IsNumber(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Returns true if the entry of the model's folder says nothing about its instances: the configuration, which is
// compared separately, other versions, and what Python writes there itself.
bool IsIgnored(const fs::path& path, bool top, std::string_view version_dir) {
  const std::string name = path.filename().string();
  if (name == "__pycache__") return true;
  if (!top) return false;
  return name == "config.pbtxt" || name == "configs" || (IsNumber(name) && name != fs::path(version_dir).filename());
}

// Appends the name, size and time of every file. Returns false if there are too many, or one cannot be read.
bool AddFiles(const fs::path& folder, std::string_view version_dir, std::string& key) {
  std::error_code error;
  std::vector<std::string> lines;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (IsIgnored(entry->path(), entry.depth() == 0, version_dir)) {
      entry.disable_recursion_pending();
      continue;
    }
    struct stat file = {};
    if (::stat(entry->path().c_str(), &file) != 0 || lines.size() >= kFilesMax) return false;
    if (S_ISDIR(file.st_mode)) continue;
    lines.push_back(entry->path().string() + " " + std::to_string(file.st_ino) + " " + std::to_string(file.st_size) +
                    " " + std::to_string(file.st_mtim.tv_sec) + "." + std::to_string(file.st_mtim.tv_nsec));
  }
  std::ranges::sort(lines);
  for (const std::string& line : lines) key.append(line).append("\n");
  return !error;
}

}  // namespace

std::optional<ModelKey> KeyOf(const inferd_load& load) {
  if (!INFERD_HAS_FIELD(inferd_load, &load, unchecked_outputs) || load.unchecked_outputs == 0) return std::nullopt;
  ModelKey key;
  for (const inferd_text text : {load.model_name, load.model_dir, load.version_dir, load.model_file}) {
    key.key.append(ToView(text)).append("\n");
  }
  key.key.append(std::to_string(load.version)).append("\n");
  if (!ReadConfiguration(ToView(load.config_json), key).ok()) return std::nullopt;
  if (!AddFiles(ToView(load.model_dir), ToView(load.version_dir), key.key)) return std::nullopt;
  return key;
}

}  // namespace inferd::python
