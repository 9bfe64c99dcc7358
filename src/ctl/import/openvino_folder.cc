#include <string>
#include <string_view>
#include <system_error>

#include "ctl/import/foreign_folder.h"
#include "ctl/import/listing.h"
#include "ctl/import/model_folders.h"
#include "ctl/text/quoted_path.h"
#include "data/json/read.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;
using base::Status;

// Returns the folder as an absolute path without a slash at its end.
fs::path WithoutSlash(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

// Reads {"config": {"name": ..., "base_path": ...}}, or the inner object alone.
Status ReadListedModel(json::Reader& reader, ForeignModel& model) {
  return json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "name") return json::ReadText(reader, model.name);
    if (key == "base_path") return json::ReadText(reader, model.place);
    return key == "config" ? ReadListedModel(reader, model) : reader.SkipValue();
  });
}

// Reads a list of graphs or pipelines, which inferd does not run.
Status ReadUnserved(json::Reader& reader, const std::string& need, ForeignFolder& found) {
  return json::ReadArray(reader, [&]() -> Status {
    ForeignModel model;
    INFERD_RETURN_IF_ERROR(ReadListedModel(reader, model));
    model.needs.push_back(need);
    found.models.push_back(std::move(model));
    return base::OkStatus();
  });
}

Status ReadModelList(std::string_view text, ForeignFolder& found) {
  return json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view key) -> Status {
    if (key == "model_config_list") {
      return json::ReadArray(reader, [&] { return ReadListedModel(reader, found.models.emplace_back()); });
    }
    if (key == "pipeline_config_list") {
      return ReadUnserved(reader,
                          "a pipeline: write it as an ensemble (docs/ensembles.md), and take the list "
                          "pipeline_config_list out of a copy of the file",
                          found);
    }
    if (key == "mediapipe_config_list") {
      return ReadUnserved(reader,
                          "a MediaPipe graph, which inferd does not run: write its steps as an ensemble "
                          "(docs/ensembles.md), and take the list mediapipe_config_list out of a copy of the file",
                          found);
    }
    return reader.SkipValue();
  });
}

base::Result<ForeignFolder> OfModelList(const fs::path& file) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, ReadSettings(file));
  ForeignFolder found;
  if (const Status status = ReadModelList(text, found); !status.ok()) {
    return std::unexpected(base::InvalidArgument(QuotedPath(file) + ": " + status.message()));
  }
  found.options = {"--model-config-file=" + WithoutSlash(file).string()};
  return found;
}

}  // namespace

base::Result<ForeignFolder> ReadOpenVinoFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_regular_file(folder, error)) return OfModelList(folder);
  INFERD_ASSIGN_OR_RETURN(const Listing listing, ListFolder(folder));
  if (fs::exists(folder / "config.json", error)) return OfModelList(folder / "config.json");
  const fs::path absolute = WithoutSlash(folder);
  ForeignFolder found;
  if (HasVersionFolders(folder)) {
    const std::string name = absolute.filename().string();
    found.models.push_back({.name = name, .place = folder.string()});
    found.options = {"--model-base-path=" + name + "=" + absolute.string()};
    return found;
  }
  AddModelFolders(folder, listing, found);
  if (found.models.empty() && found.unread.empty()) {
    return std::unexpected(base::InvalidArgument(QuotedPath(folder) +
                                                 " has no config.json, no folders of versions (1, 2, ...), and no "
                                                 "folders with such folders"));
  }
  found.options = {"--model-repository=" + folder.string()};
  return found;
}

}  // namespace inferd::ctl
