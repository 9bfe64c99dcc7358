#include "serving/repository/load/special_files.h"

#include <string>
#include <system_error>

namespace inferd::repository {

namespace fs = std::filesystem;

base::Status CheckVersionFolder(const fs::path& version_dir) {
  std::error_code error;
  constexpr auto kOptions =
      fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
  // The engine will report folders that cannot be listed.
  for (fs::recursive_directory_iterator it(version_dir, kOptions, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code lost;
    const fs::file_type type = it->status(lost).type();
    if (lost || type == fs::file_type::regular || type == fs::file_type::directory ||
        type == fs::file_type::not_found) {
      continue;
    }
    return base::InvalidArgument("'" + it->path().string() +
                                 "' is neither a file nor a folder, and may never end: remove it");
  }
  return base::OkStatus();
}

base::Status CheckNoConfiguration(const fs::path& model_dir) {
  const fs::path file = model_dir / "config.pbtxt";
  std::error_code error;
  const fs::file_type itself = fs::symlink_status(file, error).type();
  if (itself == fs::file_type::not_found || itself == fs::file_type::none) return base::OkStatus();
  const fs::file_type behind = fs::status(file, error).type();
  if (behind == fs::file_type::regular) return base::OkStatus();
  return base::InvalidArgument(
      "'" + file.string() + "' is no regular file" +
      (itself == fs::file_type::symlink && behind != fs::file_type::directory ? ", and no link to one" : ""));
}

}  // namespace inferd::repository
