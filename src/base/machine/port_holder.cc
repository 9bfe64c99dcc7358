#include "base/machine/port_holder.h"

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/text/digits.h"
#include "base/text/printable.h"

namespace inferd::base {

namespace fs = std::filesystem;

namespace {

constexpr size_t kProcessNameBytesMax = 64;
constexpr std::string_view kListening = "0A";

struct Listening {
  std::string inode;
  std::string user;  // its number
};

// Finds the listening socket in a table with lines of the form "sl local_address rem_address st tx:rx tr:when retrnsmt
// uid timeout inode".
Listening FindListening(const char* table, uint16_t port) {
  char ending[16];
  std::snprintf(ending, sizeof(ending), ":%04X", port);
  std::ifstream file(table);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string number;
    std::string local;
    std::string state;
    std::string unused;
    Listening found;
    words >> number >> local >> unused >> state >> unused >> unused >> unused >> found.user >> unused >> found.inode;
    if (local.ends_with(ending) && state == kListening) return found;
  }
  return {};
}

bool HasSocket(const fs::path& process, const std::string& link) {
  std::error_code error;
  for (fs::directory_iterator it(process / "fd", error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(it->path(), gone).string() == link) return true;
  }
  return false;
}

}  // namespace

std::optional<PortHolder> FindPortHolder(uint16_t port) {
  Listening found = FindListening("/proc/net/tcp", port);
  if (found.inode.empty()) found = FindListening("/proc/net/tcp6", port);
  if (found.inode.empty()) return std::nullopt;
  PortHolder holder{.process = 0, .name = {}, .user = found.user};
  const std::string link = "socket:[" + found.inode + "]";
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string pid = it->path().filename().string();
    if (!IsDigits(pid) || !HasSocket(it->path(), link)) continue;
    std::string name;
    std::ifstream file(it->path() / "comm");
    std::getline(file, name);
    std::from_chars(pid.data(), pid.data() + pid.size(), holder.process);
    holder.name = Printable(name, kProcessNameBytesMax);
    return holder;
  }
  return holder;
}

std::string DescribePortHolder(uint16_t port) {
  const std::optional<PortHolder> holder = FindPortHolder(port);
  if (!holder.has_value()) return "";
  if (holder->process == 0) return "a process of the user with number " + holder->user + " has it";
  return "process " + std::to_string(holder->process) + " (" + holder->name + ") has it";
}

}  // namespace inferd::base
