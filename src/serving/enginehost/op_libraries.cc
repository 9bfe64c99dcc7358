#include "serving/enginehost/op_libraries.h"

#include <algorithm>
#include <system_error>

namespace inferd::enginehost {

namespace {

namespace fs = std::filesystem;

// Both paths must have no links.
bool LiesIn(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool IsAllowed(const fs::path& path, std::span<const fs::path> allowed) {
  return std::ranges::any_of(allowed, [&](const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    return !error && LiesIn(path, real);
  });
}

// Returns true if the path is in a folder with the files of a load call (named by storage::StagingFolder).
bool WasSent(const fs::path& path) {
  return std::ranges::any_of(path, [](const fs::path& part) { return part.native().starts_with("inferd-load-"); });
}

// `what` describes the file in errors, for example "model file 'model.pt2'".
base::Result<std::string> FindCode(const std::string& what, const fs::path& named, std::span<const fs::path> allowed) {
  std::error_code error;
  fs::path real = fs::canonical(named, error);
  const auto refuse = [&what](const std::string& why) {
    return std::unexpected(base::InvalidArgument(what + " " + why));
  };
  // Check this before the file's existence: a client that loads models must learn nothing about other folders.
  if (allowed.empty())
    return refuse("is not opened: it is code, and the server was started without --allow-op-library");
  if (error || !IsAllowed(real, allowed)) return refuse("is not in a folder that --allow-op-library names");
  if (WasSent(real)) return refuse("came with a load call, and what is sent is never run");
  if (!fs::is_regular_file(real, error)) return refuse("is no regular file");
  return real.string();
}

}  // namespace

base::Result<std::vector<std::string>> FindOpLibraries(const std::vector<std::string>& names, const fs::path& model_dir,
                                                       std::span<const fs::path> allowed) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const fs::path named = fs::path(name).is_absolute() ? fs::path(name) : model_dir / name;
    INFERD_ASSIGN_OR_RETURN(std::string library, FindCode("custom operator library '" + name + "'", named, allowed));
    found.push_back(std::move(library));
  }
  return found;
}

base::Status CheckCodeOfModel(const fs::path& file, std::span<const fs::path> allowed) {
  const auto found = FindCode("model file '" + file.filename().string() + "'", file, allowed);
  return found.has_value() ? base::OkStatus() : found.error();
}

std::vector<fs::path> OpLibraryFolders(const std::string& value) {
  std::vector<fs::path> folders;
  for (size_t begin = 0; begin < value.size();) {
    const size_t end = std::min(value.find(':', begin), value.size());
    if (end > begin) folders.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

}  // namespace inferd::enginehost
