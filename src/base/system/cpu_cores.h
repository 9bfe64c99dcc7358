#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::base {

// CPU cores, by the kernel's numbers, ascending. Functions are thread-safe.
using CpuCores = std::vector<int>;

// The kernel's form of a list: "0-3,8". INVALID_ARGUMENT: anything else.
Result<CpuCores> ParseCpuCores(std::string_view text);
std::string FormatCpuCores(const CpuCores& cores);

// Those that the calling thread may run on.
CpuCores ThreadCpuCores();
// FAILED_PRECONDITION: none of them is there, or allowed.
Status PinThread(const CpuCores& cores);

// Keeps the calling thread to `cores`, and whatever threads it makes meanwhile, which stay there; then it is where it
// was before. Where there are no such cores, or none are given, it stays where it is.
class OnCpuCores final {
 public:
  explicit OnCpuCores(const CpuCores& cores);
  ~OnCpuCores();
  OnCpuCores(const OnCpuCores&) = delete;
  OnCpuCores& operator=(const OnCpuCores&) = delete;

 private:
  CpuCores before_;  // empty: it has not moved
};

// Of one NUMA node. NOT_FOUND: there is no such node. `nodes`: where the kernel lists them.
Result<CpuCores> NumaNodeCores(int node, const std::filesystem::path& nodes = "/sys/devices/system/node");

}  // namespace inferd::base
