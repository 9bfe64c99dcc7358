#include "storage/download/local_model.h"

#include <vector>

#include "storage/source/uri.h"

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileScheme = "file://";

base::Result<std::vector<fs::path>> EntriesOf(const fs::path& source) {
  std::error_code error;
  const fs::path absolute = fs::absolute(source, error).lexically_normal();
  if (!error && !fs::is_directory(absolute, error)) return std::vector<fs::path>{absolute};
  std::vector<fs::path> entries;
  fs::directory_iterator at(absolute, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with('.')) entries.push_back(at->path());
  }
  if (error) return std::unexpected(base::Internal(absolute.string() + ": " + error.message()));
  return entries;
}

}  // namespace

std::optional<fs::path> LocalPathOf(const std::string& uri) {
  if (uri.starts_with(kFileScheme)) return uri.substr(kFileScheme.size());
  std::error_code error;
  if (IsLocalPath(uri) && fs::exists(uri, error)) return uri;
  return std::nullopt;
}

base::Result<size_t> LinkEntries(const fs::path& source, const fs::path& folder, const fs::path& place) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<fs::path> entries, EntriesOf(source));
  for (const fs::path& entry : entries) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(place / entry.filename(), error))) continue;
    fs::create_symlink(entry, folder / entry.filename(), error);
    if (error) return std::unexpected(base::Internal((folder / entry.filename()).string() + ": " + error.message()));
  }
  return entries.size();
}

std::optional<fs::path> OnlyFile(const fs::path& source) {
  const auto entries = EntriesOf(source);
  std::error_code error;
  if (!entries.has_value() || entries->size() != 1 || !fs::is_regular_file(entries->front(), error))
    return std::nullopt;
  return entries->front();
}

}  // namespace inferd::storage
