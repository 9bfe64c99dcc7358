#include "ctl/bench/load/process_cpu.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace inferd::ctl {

namespace {

base::Result<int64_t> OwnCpuNs(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The second field is a name in parentheses, which may contain any character; the third one follows the last ')'.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::unexpected(base::NotFound("no process " + std::to_string(pid)));
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  int64_t user = 0, system = 0;
  if (!(fields >> user >> system)) return std::unexpected(base::Internal("cannot read /proc/PID/stat"));
  return (user + system) * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

// /proc lists the children of each thread separately.
std::vector<int> ChildrenOf(int pid) {
  std::vector<int> children;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(thread.path() / "children");
    children.insert(children.end(), std::istream_iterator<int>(file), {});
  }
  return children;
}

}  // namespace

base::Result<int64_t> ProcessCpuNs(int pid) {
  INFERD_ASSIGN_OR_RETURN(int64_t all_ns, OwnCpuNs(pid));
  for (const int child : ChildrenOf(pid)) all_ns += OwnCpuNs(child).value_or(0);
  return all_ns;
}

}  // namespace inferd::ctl
