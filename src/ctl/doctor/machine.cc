#include "ctl/doctor/machine.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "base/system/control_groups.h"
#include "base/system/usable_cpus.h"
#include "base/system/usable_memory.h"
#include "ctl/doctor/size_text.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kFilesNeeded = 256;   // engines, models and the listeners need some before the first client
constexpr uint64_t kFilesWanted = 4096;  // each connection is one
constexpr uint64_t kMemoryNeeded = 256 * kMiB;
constexpr uint64_t kShmWanted = 64 * kMiB;  // what containers have if nobody says otherwise
constexpr double kLoadFactor = 2;           // runnable threads on each core

std::string ReadWholeText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

uint64_t OwnLimit(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<decltype(RLIMIT_NOFILE)>(resource), &limit) != 0) return kUnlimited;
  return limit.rlim_cur == RLIM_INFINITY ? kUnlimited : limit.rlim_cur;
}

// Returns MemAvailable in bytes.
uint64_t AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  uint64_t kilobytes = 0;
  std::string unit;
  while (file >> name >> kilobytes) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return kilobytes << 10;
  }
  return kUnlimited;
}

// Returns the bytes that a control group still allows, without the cache of files that it can give back.
double LeftInGroup(const fs::path& group) {
  double limit = 0;
  double used = 0;
  if (std::ifstream file(group / "memory.max"); !(file >> limit)) return std::numeric_limits<double>::infinity();
  if (std::ifstream file(group / "memory.current"); !(file >> used)) return std::numeric_limits<double>::infinity();
  std::ifstream statistics(group / "memory.stat");
  std::string name;
  double value = 0;
  while (statistics >> name >> value) {
    if (name == "inactive_file") used -= value;
  }
  return std::max(limit - used, 0.0);
}

std::string FilesText(uint64_t count) { return count == kUnlimited ? "unlimited" : std::to_string(count); }

Finding JudgeFiles(const Machine& machine) {
  using enum Finding::Level;
  const uint64_t count = machine.open_files_max;
  Finding finding{"open files", kOk, FilesText(count) + " (" + machine.limits_of + ")"};
  if (count >= kFilesWanted) return finding;
  finding.level = count < kFilesNeeded ? kProblem : kAdvice;
  finding.to_do =
      "each connection is an open file. Before the start of inferd: ulimit -n 65536; in its systemd unit: " +
      std::string("LimitNOFILE=65536");
  return finding;
}

Finding JudgeLockedMemory(const Machine& machine) {
  const uint64_t bytes = machine.locked_memory_max;
  return {"locked memory", Finding::Level::kOk,
          (bytes == kUnlimited ? "unlimited" : SizeText(bytes)) + "; inferd itself locks none"};
}

Finding JudgeMemory(const Machine& machine, uint64_t models) {
  using enum Finding::Level;
  std::string found = SizeText(machine.free_memory) + " free of " + SizeText(machine.usable_memory);
  if (machine.usable_memory < machine.memory) {
    found += ", the limit of the control group; the machine has " + SizeText(machine.memory);
  }
  if (machine.free_memory < kMemoryNeeded) {
    return {"memory", kProblem, found, "end other programs, or raise the limit: inferd needs 256 MiB and its models"};
  }
  if (models > machine.free_memory) {
    return {"memory", kAdvice, found + "; the model files have " + SizeText(models),
            "they may not fit into memory at once. Load them when they are needed: inferd --lazy-loading "
            "(docs/lazy-loading.md)"};
  }
  return {"memory", kOk, found};
}

Finding JudgeCores(const Machine& machine) {
  using enum Finding::Level;
  std::string found = std::to_string(machine.usable_cores) + " of " + std::to_string(machine.cores) + " usable";
  if (machine.usable_cores < machine.cores) found += " (a control group or an affinity limits them)";
  std::array<char, 40> load{};
  std::snprintf(load.data(), load.size(), ", load %.1f", machine.load);
  found += load.data();
  if (machine.load > kLoadFactor * std::max(machine.usable_cores, 1)) {
    return {"cores", kAdvice, found, "other programs keep the cores busy, and requests wait for them: see top"};
  }
  return {"cores", kOk, found};
}

Finding JudgeSharedMemory(const Machine& machine) {
  using enum Finding::Level;
  if (!machine.shm_bytes.has_value()) {
    return {"/dev/shm", kAdvice, "not there", "clients cannot use shared memory: mount -t tmpfs tmpfs /dev/shm"};
  }
  std::string found = SizeText(machine.shm_free) + " free of " + SizeText(*machine.shm_bytes);
  if (machine.shm_free < kShmWanted) {
    return {"/dev/shm", kAdvice, found,
            "clients with shared memory need room for their tensors: rm what nobody uses, or enlarge it (docker run "
            "--shm-size=1g)"};
  }
  return {"/dev/shm", kOk, found};
}

}  // namespace

std::optional<uint64_t> SoftLimit(const std::string& limits, const std::string& name) {
  std::istringstream lines(limits);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(name.size()));
    std::string soft;
    words >> soft;
    if (soft == "unlimited") return kUnlimited;
    uint64_t value = 0;
    if (std::istringstream number(soft); number >> value) return value;
  }
  return std::nullopt;
}

Machine ReadMachine(pid_t server) {
  Machine machine;
  machine.limits_of = "this shell";
  machine.open_files_max = OwnLimit(RLIMIT_NOFILE);
  machine.locked_memory_max = OwnLimit(RLIMIT_MEMLOCK);
  if (server > 0) {
    const std::string limits = ReadWholeText("/proc/" + std::to_string(server) + "/limits");
    const auto files = SoftLimit(limits, "Max open files");
    const auto locked = SoftLimit(limits, "Max locked memory");
    if (files.has_value() && locked.has_value()) {
      machine.limits_of = "process " + std::to_string(server);
      machine.open_files_max = *files;
      machine.locked_memory_max = *locked;
    }
  }
  machine.memory = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  machine.usable_memory = base::UsableMemoryBytes();
  const double left = base::LeastLimit({}, "memory", LeftInGroup);
  machine.free_memory = std::min(AvailableMemory(), machine.usable_memory);
  if (left < static_cast<double>(machine.free_memory)) machine.free_memory = static_cast<uint64_t>(left);
  machine.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  machine.usable_cores = base::UsableCpus();
  if (::getloadavg(&machine.load, 1) != 1) machine.load = 0;
  struct statvfs shm{};
  if (::statvfs("/dev/shm", &shm) == 0) {
    machine.shm_bytes = uint64_t{shm.f_blocks} * shm.f_frsize;
    machine.shm_free = uint64_t{shm.f_bavail} * shm.f_frsize;
  }
  return machine;
}

Findings JudgeMachine(const Machine& machine, uint64_t models) {
  return {JudgeCores(machine), JudgeMemory(machine, models), JudgeFiles(machine), JudgeLockedMemory(machine),
          JudgeSharedMemory(machine)};
}

}  // namespace inferd::ctl
