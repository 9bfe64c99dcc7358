#include "kserve/kubernetes/access/local_access.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/system/file_descriptor.h"
#include "kserve/kubernetes/access/kubeconfig.h"

namespace inferd::kubernetes {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "controller-";
constexpr std::string_view kKubeconfigSuffix = ".kubeconfig";
constexpr std::string_view kSocketSuffix = ".sock";
constexpr const char* kFolder = "inferd";

base::Result<ClusterAccess> AccessOf(const std::string& kubeconfig) {
  INFERD_ASSIGN_OR_RETURN(const Kubeconfig config, ReadKubeconfigFiles({kubeconfig}));
  return ResolveContext(config, "");
}

// Returns the access of $KUBECONFIG, if it is to a controller of this machine. Nullopt otherwise.
std::optional<ClusterAccess> AccessOfVariable(const storage::Environment& environment) {
  if (environment("KUBECONFIG").empty()) return std::nullopt;
  auto access = FindClusterAccess({}, environment);
  if (!access.has_value() || access->unix_socket.empty()) return std::nullopt;
  return *std::move(access);
}

// Returns the kubeconfigs that controllers have left in a folder, sorted. Empty if the folder cannot be read.
std::vector<std::string> KubeconfigsIn(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kKubeconfigSuffix)) found.push_back(entry->path().string());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

LocalFiles LocalFilesIn(const std::string& folder, uint16_t port) {
  const std::string name = folder + "/" + std::string(kPrefix) + std::to_string(port);
  return {.kubeconfig = name + std::string(kKubeconfigSuffix), .socket = name + std::string(kSocketSuffix)};
}

std::vector<std::string> LocalFolders(const storage::Environment& environment) {
  std::vector<std::string> folders;
  const auto add = [&folders](const std::string& parent) {
    if (parent.starts_with('/')) folders.push_back(parent + "/" + kFolder);
  };
  add(environment("XDG_RUNTIME_DIR"));
  const std::string state = environment("XDG_STATE_HOME");
  const std::string home = environment("HOME");
  add(state.empty() && !home.empty() ? home + "/.local/state" : state);
  return folders;
}

bool IsServed(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.empty() || socket.size() >= sizeof(address.sun_path)) return false;
  socket.copy(address.sun_path, socket.size());
  const base::FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe && connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

base::Result<ClusterAccess> FindLocalAccess(uint16_t port, const storage::Environment& environment) {
  for (const std::string& folder : LocalFolders(environment)) {
    auto access = AccessOf(LocalFilesIn(folder, port).kubeconfig);
    if (access.has_value() || access.error().code() != base::StatusCode::kNotFound) return access;
  }
  return std::unexpected(
      base::NotFound("no inferd-controller of this user has its API at port " + std::to_string(port)));
}

base::Result<ClusterAccess> FindLocalAccessInUse(uint16_t usual_port, const storage::Environment& environment) {
  if (auto access = AccessOfVariable(environment); access.has_value()) return *std::move(access);
  std::vector<ClusterAccess> served;
  for (const std::string& folder : LocalFolders(environment)) {
    const std::string usual = LocalFilesIn(folder, usual_port).kubeconfig;
    for (const std::string& kubeconfig : KubeconfigsIn(folder)) {
      auto access = AccessOf(kubeconfig);
      // The file was deleted after the folder was read.
      if (!access.has_value() && access.error().code() == base::StatusCode::kNotFound) continue;
      if (!access.has_value()) return access;
      if (!IsServed(access->unix_socket)) continue;
      if (kubeconfig == usual) return access;
      served.push_back(*std::move(access));
    }
  }
  if (served.size() == 1) return std::move(served.front());
  if (served.empty()) return std::unexpected(base::NotFound("no inferd-controller of this user serves"));
  std::string servers;
  for (const ClusterAccess& access : served) servers += (servers.empty() ? "" : ", ") + access.server;
  return std::unexpected(base::FailedPrecondition("several inferd-controllers serve: " + servers));
}

}  // namespace inferd::kubernetes
