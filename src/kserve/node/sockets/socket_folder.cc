#include "kserve/node/sockets/socket_folder.h"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace inferd::node {

namespace {

constexpr std::string_view kFolderPrefix = "inferd-sockets.";
// A socket's address has 107 bytes. The rest is for the names of the folder and the socket.
constexpr size_t kFolderParentBytesMax = 60;
constexpr const char* kShortParent = "/tmp";

std::filesystem::path Parent() {
  std::error_code unknown;
  std::filesystem::path parent = std::filesystem::temp_directory_path(unknown);
  return unknown || parent.native().size() > kFolderParentBytesMax ? std::filesystem::path(kShortParent) : parent;
}

}  // namespace

base::Result<std::unique_ptr<SocketFolder>> SocketFolder::Make() {
  const std::filesystem::path parent = Parent();
  storage::RemoveAbandonedFolders(parent, kFolderPrefix);
  INFERD_ASSIGN_OR_RETURN(storage::LockedFolder folder, storage::LockedFolder::Create(parent, kFolderPrefix));
  return std::unique_ptr<SocketFolder>(new SocketFolder(std::move(folder)));
}

}  // namespace inferd::node
