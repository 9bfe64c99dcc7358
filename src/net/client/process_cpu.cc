#include "net/client/process_cpu.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace inferd::net {

base::Result<int64_t> ProcessCpuNs(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The second field is a name in parentheses, which may hold anything; the third follows the last ')'.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::unexpected(base::NotFound("no process " + std::to_string(pid)));
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  int64_t user = 0, system = 0;
  if (!(fields >> user >> system)) return std::unexpected(base::Internal("cannot read /proc/PID/stat"));
  return (user + system) * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

}  // namespace inferd::net
