#include "ctl/init/model_parts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/ascii_case.h"
#include "base/text/digits.h"
#include "base/text/file_pattern.h"
#include "base/text/printable.h"
#include "ctl/init/external_data.h"
#include "ctl/text/quoted_path.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

constexpr size_t kEntriesMax = 10'000;
constexpr size_t kConfigurationBytesMax = 1 << 20;
constexpr std::string_view kConfiguration = "config.pbtxt";
constexpr std::string_view kWith = " with ";
constexpr std::array<std::string_view, 3> kFolderFiles = {"saved_model.pb", "saved_model.pbtxt", "MLmodel"};

bool StandsForFolder(const fs::path& file) {
  return std::ranges::find(kFolderFiles, file.filename().string()) != kFolderFiles.end();
}

// Returns the names in a folder, without those that begin with a dot.
base::Result<std::vector<std::string>> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    if (names.size() == kEntriesMax) {
      return std::unexpected(base::InvalidArgument("the folder " + QuotedPath(folder) + " has more than " +
                                                   std::to_string(kEntriesMax) + " entries"));
    }
    names.push_back(std::move(name));
  }
  if (error) {
    return std::unexpected(
        base::InvalidArgument("cannot read the folder " + QuotedPath(folder) + ": " + error.message()));
  }
  std::ranges::sort(names);
  return names;
}

// A pattern that a file name matches, and the files beside it that the pattern demands: "*-symbol.json" with
// "*-*.params".
struct Match {
  std::string_view pattern;
  std::string_view companion_pattern;
  std::vector<std::string> companions;       // their names in the folder
  std::vector<std::string> companion_stars;  // for each, the text of the star that the file's name does not determine
};

std::optional<Match> MatchOf(std::string_view row, const std::string& name, const std::vector<std::string>& names) {
  const size_t with = row.find(kWith);
  Match match{.pattern = row.substr(0, with), .companion_pattern = {}, .companions = {}, .companion_stars = {}};
  const auto star = base::StarOf(match.pattern, name);
  if (!star.has_value()) return std::nullopt;
  if (with == std::string_view::npos) return match;
  match.companion_pattern = row.substr(with + kWith.size());
  const std::string wanted = base::WithStar(match.companion_pattern, *star);
  for (const std::string& other : names) {
    const auto companion_star = base::StarOf(wanted, other);
    if (!companion_star.has_value()) continue;
    match.companions.push_back(other);
    match.companion_stars.emplace_back(*companion_star);
  }
  return match;
}

// Returns the pattern that says most about the file: one whose companion is there, else the longest.
std::optional<Match> BestMatch(const std::string& name, const std::vector<std::string>& names,
                               const std::vector<std::string>& patterns) {
  std::optional<Match> best;
  const auto rank = [](const Match& match) { return std::pair(!match.companions.empty(), match.pattern.size()); };
  for (const std::string& row : patterns) {
    std::optional<Match> match = MatchOf(row, name, names);
    if (match.has_value() && (!best.has_value() || rank(*match) > rank(*best))) best = std::move(match);
  }
  return best;
}

// Returns the parts of a model whose tensors are in files of their own. They keep their names, which the model knows.
base::Result<std::vector<ModelPart>> ExternalParts(const fs::path& file, const fs::path& version) {
  std::vector<ModelPart> parts;
  const auto names = ExternalDataOfFile(file);
  if (!names.has_value()) return parts;  // not an ONNX model; inferd says what it is
  for (const std::string& name : *names) {
    const fs::path relative = fs::path(name).lexically_normal();
    if (relative.is_absolute() || relative.empty() || *relative.begin() == "..") {
      return std::unexpected(base::FailedPrecondition("the model keeps tensors in " + base::QuotedName(name) +
                                                      ", outside of its folder, where no server reads them"));
    }
    std::error_code error;
    if (!fs::is_regular_file(file.parent_path() / relative, error)) {
      return std::unexpected(base::FailedPrecondition("the model keeps tensors in the file " + base::QuotedName(name) +
                                                      ", which is not in " + QuotedPath(file.parent_path())));
    }
    parts.push_back({file.parent_path() / relative, version / relative});
  }
  return parts;
}

base::Result<std::vector<ModelPart>> PartsOfFile(const fs::path& file, const std::string& version,
                                                 const std::vector<std::string>& patterns) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(file.parent_path()));
  const std::string name = file.filename().string();
  const std::optional<Match> match = BestMatch(name, names, patterns);
  if (!match.has_value()) return std::vector<ModelPart>{{file, fs::path(version) / name}};
  const std::string model = base::WithStar(match->pattern, "model");
  std::vector<ModelPart> parts = {{file, fs::path(version) / model}};
  const std::string companion_name = base::WithStar(match->companion_pattern, "model");
  for (size_t i = 0; i < match->companions.size(); ++i) {
    parts.push_back({file.parent_path() / match->companions[i],
                     fs::path(version) / base::WithStar(companion_name, match->companion_stars[i])});
  }
  if (base::EqualWithoutCase(file.extension().string(), ".onnx")) {
    INFERD_ASSIGN_OR_RETURN(std::vector<ModelPart> external, ExternalParts(file, version));
    for (ModelPart& part : external) {
      if (part.to == parts.front().to) parts.front().to = fs::path(version) / name;  // the names would be the same
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

// Returns the files of labels that a configuration names. Reads the text only as far as needed for that.
std::vector<std::string> LabelFiles(std::string_view configuration) {
  constexpr std::string_view kField = "label_filename";
  std::vector<std::string> files;
  for (size_t at = configuration.find(kField); at != std::string_view::npos; at = configuration.find(kField, at)) {
    at += kField.size();
    const size_t begin = configuration.find_first_not_of(" \t:", at);
    if (begin == std::string_view::npos || configuration[begin] != '"') continue;
    const size_t end = configuration.find('"', begin + 1);
    if (end == std::string_view::npos) break;
    files.emplace_back(configuration.substr(begin + 1, end - begin - 1));
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

// Refuses a folder that inferd serves as it is.
base::Status CheckFolder(const fs::path& folder, const std::vector<std::string>& names) {
  if (names.empty()) return base::InvalidArgument("the folder " + QuotedPath(folder) + " is empty");
  const bool described = std::ranges::any_of(names, [](const std::string& name) { return StandsForFolder(name); });
  if (described) return base::OkStatus();
  std::error_code error;
  const auto holds_versions = [&](const fs::path& where, const std::vector<std::string>& entries) {
    return std::ranges::any_of(entries, [&](const std::string& name) {
      return base::IsDigits(name) && fs::is_directory(where / name, error);
    });
  };
  if (holds_versions(folder, names)) {
    return base::InvalidArgument(QuotedPath(folder) + " is a model's folder already. Serve it with: inferd " +
                                 folder.string() + ", or give the folder of one of its versions");
  }
  const bool has_file =
      std::ranges::any_of(names, [&](const std::string& name) { return fs::is_regular_file(folder / name, error); });
  for (const std::string& name : names) {
    if (has_file || !fs::is_directory(folder / name, error)) continue;
    const auto inside = NamesIn(folder / name);
    if (inside.has_value() && holds_versions(folder / name, *inside)) {
      return base::InvalidArgument(QuotedPath(folder) + " is a repository of models already. Serve it with: inferd " +
                                   folder.string());
    }
  }
  return base::OkStatus();
}

base::Result<std::vector<ModelPart>> PartsOfFolder(const fs::path& folder, const std::string& version) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
  INFERD_RETURN_IF_ERROR(CheckFolder(folder, names));
  std::vector<ModelPart> parts = {{folder, version}};
  const fs::path configuration = folder / kConfiguration;
  std::error_code error;
  if (!fs::exists(configuration, error)) return parts;
  INFERD_ASSIGN_OR_RETURN(const std::string text,
                          base::ReadRegularFile(configuration.string(), kConfigurationBytesMax));
  parts.push_back({configuration, kConfiguration});
  for (const std::string& file : LabelFiles(text)) {
    const bool is_plain = file.find('/') == std::string::npos && !file.starts_with('.') && !base::IsDigits(file);
    if (is_plain && fs::is_regular_file(folder / file, error)) parts.push_back({folder / file, file});
  }
  return parts;
}

}  // namespace

fs::path NamingPath(const fs::path& given) {
  std::error_code error;
  fs::path path = fs::absolute(given, error).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "folder/"
  return StandsForFolder(path) && fs::is_regular_file(path, error) ? path.parent_path() : path;
}

base::Result<std::vector<ModelPart>> PartsOf(const fs::path& given, const std::string& version,
                                             const std::vector<std::string>& patterns) {
  std::error_code error;
  if (!fs::exists(given, error)) {
    const bool is_uri = given.string().find("://") != std::string::npos;
    return std::unexpected(
        base::NotFound("there is no " + QuotedPath(given) +
                       (is_uri ? "; inferd serves a URI itself: inferd --model-base-path NAME=URI" : "")));
  }
  const fs::path path = NamingPath(given);
  if (fs::is_directory(path, error)) return PartsOfFolder(path, version);
  if (fs::is_regular_file(path, error)) return PartsOfFile(path, version, patterns);
  return std::unexpected(base::InvalidArgument(QuotedPath(given) + " is neither a file nor a folder"));
}

}  // namespace inferd::ctl
