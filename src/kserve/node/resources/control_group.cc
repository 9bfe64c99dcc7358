#include "kserve/node/resources/control_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace inferd::node {

namespace {

constexpr int64_t kMilliPerCpu = 1000;
constexpr int64_t kPeriodUs = 100'000;
constexpr int64_t kQuotaUsMin = 1000;  // the kernel's minimum
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;
// Killed processes disappear a moment later.
constexpr int kRemoveTries = 50;
constexpr std::chrono::milliseconds kRemovePause{10};

base::Status Failed(const std::filesystem::path& at) {
  return base::Unavailable(at.string() + ": " + std::strerror(errno));
}

std::string CpuMax(int64_t milli) {
  return std::to_string(std::max(milli * kPeriodUs / kMilliPerCpu, kQuotaUsMin)) + " " + std::to_string(kPeriodUs);
}

// Kubernetes: converts shares of version 1 (1024 per CPU) to the scale of version 2.
std::string CpuWeight(int64_t milli) {
  constexpr int64_t kSharesMin = 2;
  constexpr int64_t kSharesMax = 262'144;
  constexpr int64_t kSharesPerCpu = 1024;
  constexpr int64_t kWeights = 9999;
  const int64_t shares =
      std::clamp(std::min(milli, kSharesMax * kMilliPerCpu) * kSharesPerCpu / kMilliPerCpu, kSharesMin, kSharesMax);
  return std::to_string(1 + (shares - kSharesMin) * kWeights / (kSharesMax - kSharesMin));
}

}  // namespace

bool RemoveGroupFolder(const std::filesystem::path& group) { return rmdir(group.c_str()) == 0; }

base::Status WriteGroupFile(const std::filesystem::path& file, std::string_view text) {
  const base::FileDescriptor open(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
  if (!open || write(open.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return Failed(file);
  return base::OkStatus();
}

base::Result<ControlGroup> ControlGroup::Make(const std::filesystem::path& path, const ContainerResources& resources,
                                              GroupControllers controllers, RemoveGroup remove) {
  if (mkdir(path.c_str(), kFolderMode) != 0) return std::unexpected(Failed(path));
  ControlGroup made(path, std::move(remove));
  INFERD_RETURN_IF_ERROR(made.SetLimits(resources, controllers));
  const std::filesystem::path processes = path / "cgroup.procs";
  made.join_ = base::FileDescriptor(::open(processes.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kFileMode));
  if (!made.join_) return std::unexpected(Failed(processes));
  return made;
}

base::Status ControlGroup::SetLimits(const ContainerResources& resources, GroupControllers controllers) const {
  if (controllers.memory && resources.memory_limit_bytes.has_value()) {
    INFERD_RETURN_IF_ERROR(WriteGroupFile(path_ / "memory.max", std::to_string(*resources.memory_limit_bytes)));
    INFERD_RETURN_IF_ERROR(WriteGroupFile(path_ / "memory.oom.group", "1"));
    // Without swap there is no such file. With swap, the container could use more than its limit.
    static_cast<void>(WriteGroupFile(path_ / "memory.swap.max", "0").ok());
  }
  if (controllers.cpu && resources.cpu_limit_milli.has_value()) {
    INFERD_RETURN_IF_ERROR(WriteGroupFile(path_ / "cpu.max", CpuMax(*resources.cpu_limit_milli)));
  }
  if (controllers.cpu && resources.cpu_request_milli.has_value()) {
    INFERD_RETURN_IF_ERROR(WriteGroupFile(path_ / "cpu.weight", CpuWeight(*resources.cpu_request_milli)));
  }
  return base::OkStatus();
}

ControlGroup::ControlGroup(ControlGroup&& other) noexcept
    : path_(std::exchange(other.path_, {})), remove_(std::move(other.remove_)), join_(std::move(other.join_)) {}

ControlGroup::~ControlGroup() {
  if (path_.empty()) return;
  join_.Close();
  // Older kernels lack this file. Then processes that are left behind keep the group.
  static_cast<void>(WriteGroupFile(path_ / "cgroup.kill", "1").ok());
  for (int i = 0; i < kRemoveTries && !remove_(path_); ++i) std::this_thread::sleep_for(kRemovePause);
}

bool ControlGroup::KilledForMemory() const {
  std::ifstream events(path_ / "memory.events");
  std::string name;
  int64_t count = 0;
  while (events >> name >> count) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

}  // namespace inferd::node
