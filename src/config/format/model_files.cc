#include "config/format/model_files.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text/file_pattern.h"

namespace inferd::config {
namespace {

constexpr std::string_view kFullName = "model";
constexpr size_t kShownMax = 5;

// A file, and the kind of its content, which is determined when the first row needs it.
class LazyFile final {
 public:
  LazyFile(const std::filesystem::path& folder, const std::string& name) : folder_(folder), name_(name) {}

  const std::string& name() const { return name_; }

  // Returns kUnknown also if nothing may be read, or reading fails: loading will report the reason.
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

// Returns true if any row of the table has files of that kind.
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

// The names in a folder, with fast lookup even if they are many.
class FolderNames final {
 public:
  explicit FolderNames(const ModelFiles& files)
      : folder_(files.folder), names_(files.names.begin(), files.names.end()) {}

  // `name` may have a star.
  bool Has(const std::string& name) const {
    std::error_code ignored;
    if (names_.contains(name)) return true;
    if (name.contains('*')) return HasLike(name);
    // The names may be those of a single served file.
    return !folder_.empty() && std::filesystem::exists(folder_ / name, ignored);
  }

 private:
  bool HasLike(const std::string& pattern) const {
    const auto fits = [&pattern](std::string_view name) { return base::StarOf(pattern, name).has_value(); };
    if (std::ranges::any_of(names_, fits)) return true;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
      if (fits(entry.path().filename().native())) return true;
    }
    return false;
  }

  const std::filesystem::path& folder_;
  const boost::unordered_flat_set<std::string_view> names_;
};

// Returns it as a file of that row, by its name only.
std::optional<FoundModel> Named(const FolderNames& names, const Format& format, const std::string& name) {
  for (const std::string_view pattern : format.files) {
    if (pattern.empty()) continue;
    const auto star = base::StarOf(pattern, name);
    if (!star.has_value()) continue;
    FoundModel found{
        .format = &format, .filename = name, .full_name = star->empty() || *star == kFullName, .missing = {}};
    if (!format.companion.empty()) {
      std::string companion = base::WithStar(format.companion, *star);
      if (!names.Has(companion)) found.missing = std::move(companion);
    }
    return found;
  }
  return std::nullopt;
}

// Returns it as a model of the first row that it fits.
std::optional<FoundModel> FindFormat(const FolderNames& names, LazyFile& file) {
  for (const Format& format : Formats()) {
    auto found = Named(names, format, file.name());
    if (found.has_value() && FitsContent(format, file)) return found;
  }
  return std::nullopt;
}

// Returns the formats that a file's name suggests, if its content is of none of them: "XGBoost or Paddle 3". Empty if
// it may be anything.
std::string ExpectedFormats(const FolderNames& names, const std::string& name) {
  std::string formats;
  for (const Format& format : Formats()) {
    const auto named = format.content == Content::kUnread ? std::nullopt : Named(names, format, name);
    const bool expected = named.has_value() && (format.content == Content::kTells || named->full_name);
    if (expected && PlatformOf(format) != nullptr)
      formats += (formats.empty() ? "" : " or ") + std::string(format.name);
  }
  return formats;
}

// Returns the companion file of a model; empty if none.
std::string CompanionOf(const FoundModel& model) {
  if (model.format->companion.empty()) return "";
  for (const std::string_view pattern : model.format->files) {
    const auto star = pattern.empty() ? std::nullopt : base::StarOf(pattern, model.filename);
    if (star.has_value()) return base::WithStar(model.format->companion, *star);
  }
  return "";
}

// Finds files that fit a format but are only parts of other models.
class Parts final {
 public:
  explicit Parts(const std::vector<FoundModel>& all) {
    for (const FoundModel& each : all) {
      program_ |= each.format->beside == Beside::kProgram;
      folder_ |= each.format->beside == Beside::kFolder;
      names_.emplace(each.format, each.filename);
      if (std::string companion = CompanionOf(each); !companion.empty()) companions_.insert(std::move(companion));
    }
  }

  bool Has(const FoundModel& file) const {
    const bool of_program = program_ && file.format->beside == Beside::kData;
    const bool of_folder = folder_ && file.format->beside != Beside::kFolder;
    return of_program || of_folder || companions_.contains(file.filename) || IsLaterName(file);
  }

 private:
  // True for a format's later name if an earlier one exists: saved_model.pbtxt beside saved_model.pb.
  bool IsLaterName(const FoundModel& file) const {
    const auto& names = file.format->files;
    const auto own = std::ranges::find(names, file.filename);
    return own != names.end() && std::any_of(names.begin(), own, [&](std::string_view earlier) {
             return names_.contains({file.format, earlier});
           });
  }

  bool program_ = false;
  bool folder_ = false;
  boost::unordered_flat_set<std::pair<const Format*, std::string_view>> names_;
  boost::unordered_flat_set<std::string> companions_;
};

bool IsWanted(const Format& format, const WantedPlatform& wanted) {
  const Platform* const own = PlatformOf(format);
  const Platform* const also = FindBackend(format.also);
  return own != nullptr && (wanted(*own) || (also != nullptr && wanted(*also)));
}

std::string Shown(const FoundModel& found) {
  const Platform* const platform = PlatformOf(*found.format);
  return found.filename + " (" + std::string(found.format->name) +
         (platform == nullptr ? "" : ", for the engine " + std::string(platform->engine)) + ")";
}

}  // namespace

std::vector<FoundModel> FindModels(const ModelFiles& files, const WantedPlatform& wanted) {
  const FolderNames names(files);
  std::vector<FoundModel> all;
  for (const std::string& name : files.names) {
    LazyFile file(files.folder, name);
    auto found = FindFormat(names, file);
    if (found.has_value() && IsWanted(*found->format, wanted)) all.push_back(*std::move(found));
  }
  const Parts parts(all);
  std::vector<FoundModel> models;
  for (const FoundModel& each : all) {
    if (!parts.Has(each)) models.push_back(each);
  }
  if (std::ranges::any_of(models, &FoundModel::full_name)) std::erase_if(models, std::not_fn(&FoundModel::full_name));
  std::ranges::stable_sort(models, {}, &FoundModel::format);
  return models;
}

std::optional<FoundModel> FindModel(const ModelFiles& files, const std::string& filename) {
  LazyFile file(files.folder, filename);
  return FindFormat(FolderNames(files), file);
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
  const FolderNames names(files);
  for (const std::string& name : files.names) {
    LazyFile file(files.folder, name);
    const auto found = FindFormat(names, file);
    if (found.has_value() && PlatformOf(*found->format) == nullptr) return std::string(found->format->without);
    const bool told = found.has_value() || files.folder.empty();
    if (const std::string formats = told ? "" : ExpectedFormats(names, name); !formats.empty()) {
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
    if (!IsReadBy(format, engine)) continue;
    if (HasKind(format, *kind)) return "";
    known = true;
  }
  return known ? ": " + file.filename().string() + " is " + std::string(Describe(*kind)) : "";
}

}  // namespace inferd::config
