#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::base {

// CPU cores by the kernel's numbers, ascending. The functions are thread-safe.
using CpuCores = std::vector<int>;

// Parses the kernel's list format, such as "0-3,8". INVALID_ARGUMENT if the text is anything else.
Result<CpuCores> ParseCpuCores(std::string_view text);
std::string FormatCpuCores(const CpuCores& cores);

// Returns the cores that the calling thread may run on.
CpuCores ThreadCpuCores();
// Pins the calling thread. FAILED_PRECONDITION if none of the cores exists and is allowed.
Status PinThread(const CpuCores& cores);

// Pins the calling thread to `cores` for its lifetime, then restores the thread's affinity. Threads created meanwhile
// inherit the pinning and keep it. Does nothing if `cores` is empty or none of them exists.
class OnCpuCores final {
 public:
  explicit OnCpuCores(const CpuCores& cores);
  ~OnCpuCores();
  OnCpuCores(const OnCpuCores&) = delete;
  OnCpuCores& operator=(const OnCpuCores&) = delete;

 private:
  CpuCores before_;  // empty if the thread was not pinned
};

// Returns the cores of a NUMA node. NOT_FOUND if there is no such node. `nodes` is the kernel's folder of nodes.
Result<CpuCores> NumaNodeCores(int node, const std::filesystem::path& nodes = "/sys/devices/system/node");

}  // namespace inferd::base
