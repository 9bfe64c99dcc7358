#include "base/system/cpu_cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <string>

namespace inferd::base {

namespace {

constexpr int kCoresMax = 8192;  // the kernel's own limit

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

size_t SetSize() { return CPU_ALLOC_SIZE(kCoresMax); }

std::unique_ptr<cpu_set_t, FreeCpuSet> MakeSet() {
  std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(kCoresMax));
  CPU_ZERO_S(SetSize(), set.get());
  return set;
}

bool ParseNumber(std::string_view text, int* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() && *number >= 0 && *number < kCoresMax;
}

}  // namespace

Result<CpuCores> ParseCpuCores(std::string_view text) {
  CpuCores cores;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const size_t dash = part.find('-');
    int first = 0;
    int last = 0;
    bool fits = ParseNumber(part.substr(0, dash), &first) && comma != rest.size() - 1;
    if (dash == std::string_view::npos) last = first;
    if (dash != std::string_view::npos) fits = fits && ParseNumber(part.substr(dash + 1), &last);
    if (!fits || last < first) {
      return std::unexpected(InvalidArgument("'" + std::string(text) + "' is no list of cores such as 0-3,8"));
    }
    for (int core = first; core <= last; ++core) cores.push_back(core);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  std::ranges::sort(cores);
  cores.erase(std::ranges::unique(cores).begin(), cores.end());
  return cores;
}

std::string FormatCpuCores(const CpuCores& cores) {
  std::string text;
  for (size_t i = 0; i < cores.size();) {
    size_t end = i + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[i]);
    if (end > i + 1) text += '-' + std::to_string(cores[end - 1]);
    i = end;
  }
  return text;
}

CpuCores ThreadCpuCores() {
  CpuCores cores;
  const auto set = MakeSet();
  if (sched_getaffinity(0, SetSize(), set.get()) != 0) return cores;
  for (int core = 0; core < kCoresMax; ++core) {
    if (CPU_ISSET_S(static_cast<size_t>(core), SetSize(), set.get())) cores.push_back(core);
  }
  return cores;
}

Status PinThread(const CpuCores& cores) {
  const auto set = MakeSet();
  for (const int core : cores) CPU_SET_S(static_cast<size_t>(core), SetSize(), set.get());
  if (sched_setaffinity(0, SetSize(), set.get()) == 0) return OkStatus();
  return FailedPrecondition("this machine lets no thread run on cores " + FormatCpuCores(cores));
}

OnCpuCores::OnCpuCores(const CpuCores& cores) {
  if (cores.empty()) return;
  before_ = ThreadCpuCores();
  if (!PinThread(cores).ok()) before_.clear();
}

OnCpuCores::~OnCpuCores() {
  if (!before_.empty()) static_cast<void>(PinThread(before_).ok());
}

Result<CpuCores> NumaNodeCores(int node, const std::filesystem::path& nodes) {
  std::ifstream file(nodes / ("node" + std::to_string(node)) / "cpulist");
  std::string line;
  if (!file || !std::getline(file, line)) {
    return std::unexpected(NotFound("there is no NUMA node " + std::to_string(node)));
  }
  return ParseCpuCores(line);
}

}  // namespace inferd::base
