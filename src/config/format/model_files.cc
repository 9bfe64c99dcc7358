#include "config/format/model_files.h"

#include <algorithm>
#include <system_error>

#include "config/format/file_pattern.h"

namespace inferd::config {
namespace {

constexpr std::string_view kFullName = "model";
constexpr size_t kShownMax = 5;

// A file, and what its content is, which is read when the first row asks.
class LazyFile final {
 public:
  LazyFile(const std::filesystem::path& folder, const std::string& name) : folder_(folder), name_(name) {}

  const std::string& name() const { return name_; }

  // kUnknown also where nothing may be read, or cannot be: loading will say why.
  FileKind kind() {
    if (!kind_.has_value()) {
      kind_ = folder_.empty() ? FileKind::kUnknown : IdentifyFile(folder_ / name_).value_or(FileKind::kUnknown);
    }
    return *kind_;
  }

 private:
  const std::filesystem::path& folder_;
  const std::string& name_;
  std::optional<FileKind> kind_;
};

// Whether some row says that files of that kind are its.
bool IsOfSomeFormat(FileKind kind) {
  return std::ranges::any_of(Formats(), [kind](const Format& format) { return HasKind(format, kind); });
}

bool FitsContent(const Format& format, LazyFile& file) {
  switch (format.content) {
    case Content::kUnread: return true;
    case Content::kTells: return HasKind(format, file.kind()) || !IsOfSomeFormat(file.kind());
    case Content::kProves: return HasKind(format, file.kind());
  }
  return false;
}

bool Exists(const ModelFiles& files, const std::string& name) {
  std::error_code ignored;
  if (std::ranges::find(files.names, name) != files.names.end()) return true;
  // The names may be of a single file that is served.
  return !files.folder.empty() && std::filesystem::exists(files.folder / name, ignored);
}

// As a file of that row, by its name alone.
std::optional<FoundModel> Named(const ModelFiles& files, const Format& format, const std::string& name) {
  for (const std::string_view pattern : format.files) {
    if (pattern.empty()) continue;
    const auto star = StarOf(pattern, name);
    if (!star.has_value()) continue;
    FoundModel found{
        .format = &format, .filename = name, .full_name = star->empty() || *star == kFullName, .missing = {}};
    if (!format.companion.empty()) {
      std::string companion = WithStar(format.companion, *star);
      if (!Exists(files, companion)) found.missing = std::move(companion);
    }
    return found;
  }
  return std::nullopt;
}

// As a model of the first row that it fits.
std::optional<FoundModel> FindFormat(const ModelFiles& files, LazyFile& file) {
  for (const Format& format : Formats()) {
    auto found = Named(files, format, file.name());
    if (found.has_value() && FitsContent(format, file)) return found;
  }
  return std::nullopt;
}

// The formats that one expects of a file by its name, though its content is of none of them: "XGBoost or Paddle 3".
// Empty: it may be anything, or it is not read.
std::string ExpectedFormats(const ModelFiles& files, const std::string& name) {
  std::string formats;
  if (files.folder.empty()) return formats;
  for (const Format& format : Formats()) {
    const auto named = format.content == Content::kUnread ? std::nullopt : Named(files, format, name);
    const bool expected = named.has_value() && (format.content == Content::kTells || named->full_name);
    if (expected && PlatformOf(format) != nullptr)
      formats += (formats.empty() ? "" : " or ") + std::string(format.name);
  }
  return formats;
}

bool IsCompanionOf(const FoundModel& file, const FoundModel& other) {
  if (other.format->companion.empty()) return false;
  for (const std::string_view pattern : other.format->files) {
    const auto star = pattern.empty() ? std::nullopt : StarOf(pattern, other.filename);
    if (star.has_value()) return WithStar(other.format->companion, *star) == file.filename;
  }
  return false;
}

// A format's later name, where an earlier one is there: saved_model.pbtxt beside saved_model.pb.
bool IsOtherNameOf(const FoundModel& file, const FoundModel& other) {
  if (file.format != other.format) return false;
  const auto place = [](const FoundModel& each) { return std::ranges::find(each.format->files, each.filename); };
  const auto end = file.format->files.end();
  return place(file) != end && place(other) != end && place(other) < place(file);
}

// Whether it is a part of the other, and no model by itself.
bool IsPartOf(const FoundModel& file, const FoundModel& other) {
  if (&file == &other) return false;
  const bool program = other.format->beside == Beside::kProgram && file.format->beside == Beside::kData;
  const bool folder = other.format->beside == Beside::kFolder && file.format->beside != Beside::kFolder;
  return program || folder || IsCompanionOf(file, other) || IsOtherNameOf(file, other);
}

std::string Shown(const FoundModel& found) {
  const Platform* const platform = PlatformOf(*found.format);
  return found.filename + " (" + std::string(found.format->name) +
         (platform == nullptr ? "" : ", for the engine " + std::string(platform->engine)) + ")";
}

}  // namespace

std::vector<FoundModel> FindModels(const ModelFiles& files, const WantedPlatform& wanted) {
  std::vector<FoundModel> all;
  for (const std::string& name : files.names) {
    LazyFile file(files.folder, name);
    auto found = FindFormat(files, file);
    const Platform* const platform = found.has_value() ? PlatformOf(*found->format) : nullptr;
    if (platform != nullptr && wanted(*platform)) all.push_back(*std::move(found));
  }
  std::vector<FoundModel> models;
  for (const FoundModel& each : all) {
    const bool part = std::ranges::any_of(all, [&each](const FoundModel& other) { return IsPartOf(each, other); });
    if (!part) models.push_back(each);
  }
  if (std::ranges::any_of(models, &FoundModel::full_name)) std::erase_if(models, std::not_fn(&FoundModel::full_name));
  std::ranges::stable_sort(models, {}, &FoundModel::format);
  return models;
}

std::optional<FoundModel> FindModel(const ModelFiles& files, const std::string& filename) {
  LazyFile file(files.folder, filename);
  return FindFormat(files, file);
}

base::Status SeveralModels(const std::string& model, const std::vector<FoundModel>& found) {
  std::string list;
  for (size_t i = 0; i < std::min(found.size(), kShownMax); ++i) {
    list += (i == 0 ? "" : i + 1 == found.size() ? " and " : ", ") + Shown(found[i]);
  }
  if (found.size() > kShownMax) list += ", ...";
  return base::InvalidArgument("the version folder of model '" + model + "' has " +
                               (found.size() == 2 ? "two" : std::to_string(found.size())) + " models, " + list +
                               ": remove what is not meant, or name what is meant in config.pbtxt, " +
                               "default_model_filename: \"" + found.front().filename + "\"");
}

std::string AdviceOnUnread(const ModelFiles& files) {
  for (const std::string& name : files.names) {
    LazyFile file(files.folder, name);
    const auto found = FindFormat(files, file);
    if (found.has_value() && PlatformOf(*found->format) == nullptr) return std::string(found->format->without);
    if (const std::string formats = found.has_value() ? "" : ExpectedFormats(files, name); !formats.empty()) {
      return name + " is " +
             (file.kind() == FileKind::kUnknown ? "no file of " + formats : std::string(Describe(file.kind())));
    }
  }
  return {};
}

std::string DescribeForeignFile(std::string_view engine, const std::filesystem::path& file) {
  const auto kind = IdentifyFile(file);
  if (!kind.has_value() || *kind == FileKind::kUnknown) return "";
  bool known = false;
  for (const Format& format : Formats()) {
    const Platform* const platform = PlatformOf(format);
    if (platform == nullptr || platform->engine != engine) continue;
    if (HasKind(format, *kind)) return "";
    known = true;
  }
  return known ? ": " + file.filename().string() + " is " + std::string(Describe(*kind)) : "";
}

}  // namespace inferd::config
