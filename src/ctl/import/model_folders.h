#pragma once

#include <filesystem>
#include <string>

#include "ctl/import/foreign_folder.h"
#include "ctl/import/listing.h"

namespace inferd::ctl {

// Adds the folders in `listing`, which is of `folder`, that have folders of versions: each is a model. What cannot be
// read is added as unread.
inline void AddModelFolders(const std::filesystem::path& folder, const Listing& listing, ForeignFolder& found) {
  for (const std::string& name : listing.folders) {
    if (HasVersionFolders(folder / name)) {
      found.models.push_back({.name = name, .place = (folder / name).string()});
    } else if (const auto inside = ListFolder(folder / name); !inside.has_value()) {
      found.unread.push_back(inside.error().message());
    }
  }
}

}  // namespace inferd::ctl
