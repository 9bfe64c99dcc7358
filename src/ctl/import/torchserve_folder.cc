#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ctl/import/foreign_folder.h"
#include "ctl/import/listing.h"
#include "ctl/import/mar_manifest.h"
#include "ctl/import/properties.h"
#include "ctl/text/quoted_path.h"
#include "ctl/text/shell_word.h"
#include "data/json/read.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;
using base::Status;

constexpr std::string_view kMarEnding = ".mar";
constexpr std::array<std::string_view, 4> kOwnHandlers = {"image_classifier", "image_segmenter", "object_detector",
                                                          "text_classifier"};
// Where the file of settings is, seen from the model store.
constexpr std::array<const char*, 4> kSettingsPlaces = {"config.properties", "config/config.properties",
                                                        "../config.properties", "../config/config.properties"};

// Settings of one model, as they are written; empty if not set.
struct WorkerSettings {
  std::string batch_size, max_batch_delay, workers;
};

Status ReadVersionSettings(json::Reader& reader, WorkerSettings& settings) {
  return json::ReadObject(reader, [&](std::string_view key) -> Status {
    INFERD_ASSIGN_OR_RETURN(const std::string_view raw, reader.ReadRaw());
    if (key == "batchSize") settings.batch_size = raw;
    if (key == "maxBatchDelay") settings.max_batch_delay = raw;
    if (key == "minWorkers") settings.workers = raw;
    return base::OkStatus();
  });
}

// Parses {"MODEL": {"VERSION": {...}}}. The last version's settings count.
base::Result<std::map<std::string, WorkerSettings>> ParseModels(std::string_view text) {
  std::map<std::string, WorkerSettings> models;
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view name) -> Status {
    WorkerSettings& settings = models[std::string(name)];
    return json::ReadObject(reader, [&](std::string_view) { return ReadVersionSettings(reader, settings); });
  }));
  return models;
}

// Adds what must be done so that inferd serves the archive's model.
void AddNeeds(const fs::path& place, const MarManifest& manifest, ForeignModel& model) {
  std::error_code error;
  const bool is_folder = fs::is_directory(place, error);
  const std::string& file = manifest.serialized_file;
  if (file.empty()) {
    model.needs.emplace_back("its manifest names no model file: the model is in the handler's code");
  } else if (!manifest.model_file.empty()) {
    model.needs.push_back("'" + file + "' has weights only, and '" + manifest.model_file +
                          "' the code: export both as one file, torch.jit.script(model).save('model.pt') or "
                          "torch.onnx.export, then inferctl init " +
                          ShellWord(model.name) + " FILE");
  } else if (is_folder) {
    model.needs.push_back("inferctl init " + ShellWord(model.name) + " " + ShellWord((place / file).string()));
  } else {
    model.needs.push_back("unpack the model: unzip " + ShellWord(place.string()) + " " + ShellWord(file) +
                          "; then inferctl init " + ShellWord(model.name) + " " + ShellWord(file));
  }
  const std::string& handler = manifest.handler;
  if (std::ranges::find(kOwnHandlers, handler) != kOwnHandlers.end()) {
    model.needs.push_back("TorchServe's handler " + handler +
                          " turns requests into tensors: have clients send tensors, or write these steps as a model.py "
                          "in an ensemble (docs/tutorials/ensemble.md)");
  } else if (!handler.empty()) {
    model.needs.push_back(
        "its handler '" + handler +
        "' is code for TorchServe, which inferd does not run: have clients send tensors, or write its "
        "steps as a model.py (docs/python-models.md)");
  }
  if (!manifest.requirements.empty()) {
    model.notes.push_back("'" + manifest.requirements + "' lists the Python packages of its code");
  }
}

void AddNotes(const WorkerSettings& settings, ForeignModel& model) {
  if (!settings.batch_size.empty() && settings.batch_size != "1") {
    model.notes.push_back(
        "batchSize " + settings.batch_size +
        (settings.max_batch_delay.empty() ? "" : ", maxBatchDelay " + settings.max_batch_delay + " ms") +
        ": max_batch_size and dynamic_batching in a config.pbtxt (docs/batching.md)");
  }
  if (!settings.workers.empty() && settings.workers != "1") {
    model.notes.push_back("minWorkers " + settings.workers + ": instance_group { count: " + settings.workers +
                          " } in a config.pbtxt");
  }
}

// Reads the settings of the server that goes with the model store. Settings of models go to `models`.
void ReadServerSettings(const fs::path& store, std::map<std::string, WorkerSettings>& models, ForeignFolder& found) {
  std::error_code error;
  for (const char* place : kSettingsPlaces) {
    const fs::path file = (store / place).lexically_normal();
    if (!fs::exists(file, error)) continue;
    const auto text = ReadSettings(file);
    if (!text.has_value()) {
      found.unread.push_back(QuotedPath(file) + ": " + text.error().message());
      return;
    }
    const auto properties = ParseProperties(*text);
    if (const auto address = properties.find("inference_address"); address != properties.end()) {
      found.notes.push_back("inference_address " + address->second + ": inferd listens on port 8000 (--http-port)");
    }
    if (const auto listed = properties.find("models"); listed != properties.end()) {
      if (auto parsed = ParseModels(listed->second); parsed.has_value()) {
        models = *std::move(parsed);
      } else {
        found.unread.push_back(QuotedPath(file) + ": models: " + parsed.error().message());
      }
    }
    return;
  }
}

}  // namespace

base::Result<ForeignFolder> ReadTorchserveFolder(const fs::path& folder) {
  std::error_code error;
  const fs::path inner = folder / "model-store";
  const fs::path store = fs::is_directory(inner, error) ? inner : folder;
  INFERD_ASSIGN_OR_RETURN(const Listing listing, ListFolder(store));
  ForeignFolder found;
  std::map<std::string, WorkerSettings> settings;
  ReadServerSettings(store, settings, found);
  std::vector<fs::path> places;
  for (const std::string& name : listing.files) {
    if (name.ends_with(kMarEnding)) places.push_back(store / name);
  }
  for (const std::string& name : listing.folders) {
    if (fs::is_directory(store / name / "MAR-INF", error)) places.push_back(store / name);
  }
  for (const fs::path& place : places) {
    const auto manifest = ReadMarManifest(place);
    if (!manifest.has_value()) {
      found.unread.push_back(QuotedPath(place) + ": " + manifest.error().message());
      continue;
    }
    ForeignModel model{.name = manifest->name.empty() ? place.stem().string() : manifest->name,
                       .place = place.string()};
    AddNeeds(place, *manifest, model);
    if (const auto own = settings.find(model.name); own != settings.end()) AddNotes(own->second, model);
    found.models.push_back(std::move(model));
  }
  if (found.models.empty() && found.unread.empty()) {
    return std::unexpected(base::InvalidArgument(QuotedPath(folder) + " has no .mar files, nor has its model-store"));
  }
  return found;
}

}  // namespace inferd::ctl
