#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ctl/import/foreign_folder.h"
#include "ctl/import/listing.h"
#include "ctl/text/quoted_path.h"
#include "data/json/read.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;
using base::Status;

constexpr int kSettingsDepthMax = 16;
constexpr size_t kFoldersMax = 20'000;
constexpr const char* kSettingsFile = "model-settings.json";

// A class of MLServer whose models inferd reads itself.
struct Runtime {
  std::string_view implementation;
  std::array<std::string_view, 3> files;  // the names that the class looks for if no file is named
  bool is_pickle = false;
  bool is_folder = false;
};

constexpr std::array kRuntimes = {
    Runtime{"mlserver_sklearn.SKLearnModel", {"model.joblib", "model.pickle", "model.pkl"}, true},
    Runtime{"mlserver_xgboost.XGBoostModel", {"model.bst", "model.json", "model.ubj"}},
    Runtime{"mlserver_lightgbm.LightGBMModel", {"model.bst"}},
    Runtime{"mlserver_catboost.CatboostModel", {"model.cbm", "model.bin"}},
    Runtime{"mlserver_mlflow.MLflowRuntime", {}, true, true},
};

// A package of MLServer whose models inferd does not read.
struct Foreign {
  std::string_view package, advice;
};

constexpr std::array kForeign = {
    Foreign{"mlserver_huggingface.", "export the model to ONNX: optimum-cli export onnx (docs/bring-your-model.md)"},
    Foreign{"mlserver_alibi_explain.", "inferd has no explainers: leave this model with MLServer"},
    Foreign{"mlserver_alibi_detect.", "inferd has no detectors of drift: leave this model with MLServer"},
    Foreign{"mlserver_mllib.", "inferd does not read Spark's models: export the model to ONNX or PMML"},
};

// The settings of one model.
struct Settings {
  std::string name, implementation, uri, version;
  std::string max_batch_size, max_batch_time, parallel_workers;  // as they are written; empty if not set
};

Status ReadRawText(json::Reader& reader, std::string& text) {
  INFERD_ASSIGN_OR_RETURN(const std::string_view raw, reader.ReadRaw());
  text = raw;
  return base::OkStatus();
}

// Reads a text; another value, null among them, counts as not set.
Status ReadOptionalText(json::Reader& reader, std::string& text) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  return type == json::ValueType::kString ? json::ReadText(reader, text) : reader.SkipValue();
}

Status ReadParameters(json::Reader& reader, Settings& settings) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type != json::ValueType::kObject) return reader.SkipValue();
  return json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "uri") return ReadOptionalText(reader, settings.uri);
    return key == "version" ? ReadOptionalText(reader, settings.version) : reader.SkipValue();
  });
}

base::Result<Settings> ParseSettings(std::string_view text) {
  Settings settings;
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view key) -> Status {
    if (key == "name") return ReadOptionalText(reader, settings.name);
    if (key == "implementation") return ReadOptionalText(reader, settings.implementation);
    if (key == "parameters") return ReadParameters(reader, settings);
    if (key == "max_batch_size") return ReadRawText(reader, settings.max_batch_size);
    if (key == "max_batch_time") return ReadRawText(reader, settings.max_batch_time);
    if (key == "parallel_workers") return ReadRawText(reader, settings.parallel_workers);
    return reader.SkipValue();
  }));
  return settings;
}

// Finds the files of settings below a folder. A folder with several links to it is read once.
class SettingsSearch final {
 public:
  void Folder(const fs::path& folder, int depth) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (!error && !visited_.insert(real.native()).second) return;
    if (visited_.size() > kFoldersMax || depth > kSettingsDepthMax) {
      if (!is_cut_) unread.push_back(QuotedPath(folder) + ": there are too many folders, or too deep ones");
      is_cut_ = true;
      return;
    }
    const auto listing = ListFolder(folder);
    if (!listing.has_value()) {
      unread.push_back(listing.error().message());
      return;
    }
    for (const std::string& name : listing->files) {
      if (name == kSettingsFile) files.push_back(folder / name);
    }
    for (const std::string& name : listing->folders) Folder(folder / name, depth + 1);
  }

  std::vector<fs::path> files;
  std::vector<std::string> unread;

 private:
  std::set<std::string> visited_;
  bool is_cut_ = false;
};

// Returns the model's file; nullopt, with the need, if there is none.
std::optional<fs::path> FileOf(const Runtime& runtime, const fs::path& folder, const Settings& settings,
                               ForeignModel& model) {
  if (settings.uri.contains("://") && !settings.uri.starts_with("file://")) {
    model.needs.push_back("its files are elsewhere. inferd brings them itself: inferd --model-base-path " + model.name +
                          "=URI, where URI has a folder for each version");
    return std::nullopt;
  }
  const std::string uri = settings.uri.starts_with("file://") ? settings.uri.substr(7) : settings.uri;
  fs::path path = (folder / uri).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::error_code error;
  if (!fs::exists(path, error)) {
    model.needs.push_back("the file that its uri names is not there: " + QuotedPath(path));
    return std::nullopt;
  }
  if (!fs::is_directory(path, error)) return path;
  if (runtime.is_folder) {
    if (fs::exists(path / "MLmodel", error)) return path;
    model.needs.push_back("there is no file MLmodel in " + QuotedPath(path));
    return std::nullopt;
  }
  std::string looked_for;
  for (const std::string_view name : runtime.files) {
    if (name.empty()) continue;
    if (fs::is_regular_file(path / name, error)) return path / name;
    looked_for += (looked_for.empty() ? "" : ", ") + std::string(name);
  }
  model.needs.push_back("there is no model file in " + QuotedPath(path) + ": MLServer looks for " + looked_for);
  return std::nullopt;
}

void NoteSettings(const Settings& settings, ForeignModel& model) {
  const bool batches =
      !settings.max_batch_size.empty() && settings.max_batch_size != "0" && settings.max_batch_size != "null";
  if (batches) {
    model.notes.push_back(
        "max_batch_size " + settings.max_batch_size +
        (settings.max_batch_time.empty() ? "" : ", max_batch_time " + settings.max_batch_time + " s") +
        ": inferd batches by itself; to set both, see docs/batching.md");
  }
  if (!settings.version.empty()) {
    model.notes.push_back("version " + settings.version + ": clients that ask for a version call it 1");
  }
}

ForeignModel ModelOf(const fs::path& file, const Settings& settings) {
  const fs::path folder = file.parent_path();
  ForeignModel model{.name = settings.name.empty() ? folder.filename().string() : settings.name,
                     .place = file.string()};
  NoteSettings(settings, model);
  const std::string& class_name = settings.implementation;
  const auto runtime = std::ranges::find(kRuntimes, class_name, &Runtime::implementation);
  if (runtime == kRuntimes.end()) {
    const auto foreign =
        std::ranges::find_if(kForeign, [&](const Foreign& each) { return class_name.starts_with(each.package); });
    if (class_name.empty()) {
      model.needs.emplace_back(
          "its settings name no implementation (MLServer takes it from MLSERVER_MODEL_IMPLEMENTATION): "
          "make a folder for its file: inferctl init FILE");
    } else if (foreign != kForeign.end()) {
      model.needs.emplace_back(foreign->advice);
    } else {
      model.needs.push_back("its class " + class_name +
                            " is code for MLServer: write it as a model.py (docs/python-models.md)");
    }
    return model;
  }
  const auto path = FileOf(*runtime, folder, settings, model);
  if (!path.has_value()) return model;
  model.is_pickle = runtime->is_pickle && path->extension() != ".skops";
  model.argument = model.name + "=" + path->string();
  return model;
}

}  // namespace

base::Result<ForeignFolder> ReadMlserverFolder(const fs::path& folder) {
  std::error_code error;
  fs::path absolute = fs::absolute(folder, error).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();
  if (const auto listing = ListFolder(absolute); !listing.has_value()) return std::unexpected(listing.error());
  ForeignFolder found;
  SettingsSearch search;
  search.Folder(absolute, 0);
  found.unread = std::move(search.unread);
  for (const fs::path& file : search.files) {
    const auto text = ReadSettings(file);
    const auto settings = text.has_value() ? ParseSettings(*text) : std::unexpected(text.error());
    if (settings.has_value()) {
      found.models.push_back(ModelOf(file, *settings));
    } else {
      found.unread.push_back(QuotedPath(file) + ": " + settings.error().message());
    }
  }
  if (found.models.empty() && found.unread.empty()) {
    return std::unexpected(
        base::InvalidArgument(QuotedPath(folder) + " has no " + kSettingsFile + ", nor has a folder below it"));
  }
  if (fs::exists(absolute / "settings.json", error)) {
    found.notes.emplace_back(
        "settings.json is not read: MLServer's ports are 8080 and 8081, those of inferd 8000 and 8001 (--http-port, "
        "--grpc-port)");
  }
  return found;
}

}  // namespace inferd::ctl
