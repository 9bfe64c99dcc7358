#include "kserve/gateway/control_calls.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/percent.h"

namespace inferd::gateway {

namespace {

// All methods of these services are control calls.
constexpr std::string_view kServices[] = {"inference.model_repository.ModelRepositoryService"};
constexpr std::string_view kMethods[] = {"RepositoryIndex",
                                         "RepositoryModelLoad",
                                         "RepositoryModelUnload",
                                         "TraceSetting",
                                         "LogSettings",
                                         "SystemSharedMemoryStatus",
                                         "SystemSharedMemoryRegister",
                                         "SystemSharedMemoryUnregister",
                                         "CudaSharedMemoryStatus",
                                         "CudaSharedMemoryRegister",
                                         "CudaSharedMemoryUnregister",
                                         "HandleReloadConfigRequest"};
// Path segments that may follow /v2/.
constexpr std::string_view kAreas[] = {"repository", "logging", "trace", "systemsharedmemory", "cudasharedmemory"};

template <size_t N>
bool IsOneOf(std::string_view text, const std::string_view (&list)[N]) {
  return std::ranges::find(list, text) != std::end(list);
}

// Checks a normalized path.
bool IsControl(std::string_view path) {
  path.remove_prefix(std::min<size_t>(path.find_first_not_of('/'), path.size()));
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view first = path.substr(0, path.find('/'));
  if (first.size() == path.size()) return false;
  const std::string_view rest = path.substr(first.size() + 1);
  if (first.find('.') != std::string_view::npos) return IsOneOf(first, kServices) || IsOneOf(rest, kMethods);
  if (first != "v2") return false;
  return IsOneOf(rest.substr(0, rest.find('/')), kAreas) || rest.ends_with("/trace/setting");
}

std::string Resolved(std::string_view path) {
  const std::string decoded = base::PercentDecoded(path);
  std::vector<std::string_view> kept;
  for (std::string_view left = decoded; !left.empty();) {
    const std::string_view segment = left.substr(0, left.find('/'));
    left.remove_prefix(std::min(segment.size() + 1, left.size()));
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") kept.push_back(segment);
  }
  std::string resolved;
  for (const std::string_view segment : kept) resolved.append("/").append(segment);
  return resolved;
}

}  // namespace

bool IsControlCall(std::string_view path) {
  const bool plain = path.find('%') == std::string_view::npos && path.find("//") == std::string_view::npos &&
                     path.find("/.") == std::string_view::npos;
  return IsControl(plain ? path : std::string_view(Resolved(path)));
}

}  // namespace inferd::gateway
