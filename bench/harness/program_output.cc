#include "bench/harness/program_output.h"

#include <cstdio>
#include <memory>

#include "bench/harness/core_layout.h"

namespace inferd::bench {

std::vector<std::string> LinesOf(const std::string& command) {
  std::vector<std::string> lines;
  const base::OnCpuCores there(CoreLayout::OfPrograms());
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  if (pipe == nullptr) return lines;
  char line[256];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) lines.emplace_back(line);
  return lines;
}

}  // namespace inferd::bench
