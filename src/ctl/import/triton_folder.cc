#include <system_error>

#include "ctl/import/foreign_folder.h"
#include "ctl/import/listing.h"
#include "ctl/text/quoted_path.h"

namespace inferd::ctl {

base::Result<ForeignFolder> ReadTritonFolder(const std::filesystem::path& folder) {
  INFERD_ASSIGN_OR_RETURN(const Listing listing, ListFolder(folder));
  std::error_code error;
  const bool is_model = HasVersionFolders(folder) || std::filesystem::exists(folder / "config.pbtxt", error);
  if (is_model && folder.has_parent_path()) {
    // A repository may have models whose names are numbers.
    bool has_model = false;
    for (const std::string& name : listing.folders) has_model |= HasVersionFolders(folder / name);
    if (!has_model) {
      return std::unexpected(
          base::InvalidArgument(QuotedPath(folder) + " is the folder of one model; give the folder above it"));
    }
  }
  ForeignFolder found;
  for (const std::string& name : listing.folders) {
    found.models.push_back({.name = name, .place = (folder / name).string()});
    if (const auto inside = ListFolder(folder / name); !inside.has_value()) {
      found.unread.push_back(inside.error().message());
    }
  }
  if (found.models.empty()) {
    return std::unexpected(base::InvalidArgument(QuotedPath(folder) + " has no folders of models"));
  }
  found.options = {"--as", "tritonserver", "--model-repository=" + folder.string()};
  found.options_with_failures = {"--exit-on-error=false"};
  return found;
}

}  // namespace inferd::ctl
