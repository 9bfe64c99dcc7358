#include "ctl/import/listing.h"

#include <algorithm>
#include <cstddef>
#include <system_error>

#include "base/system/regular_file.h"
#include "base/text/digits.h"
#include "ctl/text/quoted_path.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

constexpr size_t kSettingsBytesMax = 16 << 20;

}  // namespace

base::Result<Listing> ListFolder(const fs::path& folder, size_t entries_max) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return std::unexpected(base::NotFound("there is no folder " + QuotedPath(folder)));
  }
  Listing listing;
  size_t count = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    if (++count > entries_max) {
      return std::unexpected(base::ResourceExhausted("the folder " + QuotedPath(folder) + " has more than " +
                                                     std::to_string(entries_max) + " entries"));
    }
    std::error_code gone;
    (it->is_directory(gone) ? listing.folders : listing.files).push_back(std::move(name));
  }
  if (error) {
    return std::unexpected(
        base::PermissionDenied("cannot read the folder " + QuotedPath(folder) + ": " + error.message()));
  }
  std::ranges::sort(listing.folders);
  std::ranges::sort(listing.files);
  return listing;
}

bool HasVersionFolders(const fs::path& folder) {
  const auto listing = ListFolder(folder);
  return listing.has_value() &&
         std::ranges::any_of(listing->folders, [](const auto& name) { return base::IsDigits(name); });
}

base::Result<std::string> ReadSettings(const fs::path& file) {
  return base::ReadRegularFile(file.string(), kSettingsBytesMax);
}

}  // namespace inferd::ctl
