#include "engines/python/process_stat.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/system/file_descriptor.h"

namespace inferd::python {

// Format: "PID (NAME) STATE PARENT GROUP SESSION ...". The name may contain any character.
std::optional<ProcessStat> StatOf(pid_t process) {
  const base::FileDescriptor file(open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  // 256 bytes are enough: the name has 64 bytes at most, and the fields that are read follow it.
  std::array<char, 256> bytes{};
  const ssize_t got = file ? read(file.get(), bytes.data(), bytes.size() - 1) : 0;
  const std::string_view text(bytes.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  ProcessStat stat;
  const char* const fields = text.data() + name_end + 1;
  if (std::sscanf(fields, " %c %d %*d %d", &stat.state, &stat.parent, &stat.session) != 3) return std::nullopt;
  return stat;
}

std::vector<pid_t> Processes() {
  std::vector<pid_t> processes;
  std::error_code none;
  std::filesystem::directory_iterator entry("/proc", none);
  for (; !none && entry != std::filesystem::directory_iterator(); entry.increment(none)) {
    const std::string name = entry->path().filename();
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error == std::errc() && end == name.data() + name.size()) processes.push_back(process);
  }
  return processes;
}

}  // namespace inferd::python
