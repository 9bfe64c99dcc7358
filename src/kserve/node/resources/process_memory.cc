#include "kserve/node/resources/process_memory.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace inferd::node {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kListEvery{1};
constexpr int64_t kBytesPerKib = 1024;

struct Memory {
  int64_t own_bytes = 0;
  int64_t shared_bytes = 0;
};

Memory MemoryOf(const std::filesystem::path& process) {
  Memory memory;
  std::ifstream status(process / "status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream in(line);
    std::string name;
    int64_t kib = 0;
    if (!(in >> name >> kib)) continue;
    if (name == "RssAnon:") memory.own_bytes = kib * kBytesPerKib;
    if (name == "RssShmem:") memory.shared_bytes = kib * kBytesPerKib;
  }
  return memory;
}

}  // namespace

// /proc/PID/stat: "PID (NAME) STATE PARENT GROUP ...", where NAME may contain any characters.
void ProcessMemory::List() {
  processes_.clear();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(proc_, ignored)) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text, '\0');
    const size_t end = text.rfind(')');
    if (end == std::string::npos) continue;
    std::istringstream rest(text.substr(end + 1));
    std::string state;
    Relation relation;
    if (rest >> state >> relation.parent >> relation.group) processes_[std::atoi(name.c_str())] = relation;
  }
  listed_ = Clock::now();
}

std::vector<pid_t> ProcessMemory::TreeOf(pid_t process) {
  const base::MutexLock lock(mutex_);
  if (!processes_.contains(process) || Clock::now() - listed_ >= kListEvery) List();
  std::set<pid_t> tree = {process};
  // Repeats until no more are found, because a child's number may be less than its parent's.
  for (size_t before = 0; before != tree.size();) {
    before = tree.size();
    for (const auto& [id, relation] : processes_) {
      if (tree.contains(relation.parent) || relation.group == process) tree.insert(id);
    }
  }
  return {tree.begin(), tree.end()};
}

int64_t ProcessMemory::BytesOf(pid_t process) {
  int64_t bytes = 0;
  int64_t shared = 0;
  for (const pid_t id : TreeOf(process)) {
    const Memory memory = MemoryOf(proc_ / std::to_string(id));
    bytes += memory.own_bytes;
    shared = std::max(shared, memory.shared_bytes);
  }
  return bytes + shared;
}

}  // namespace inferd::node
