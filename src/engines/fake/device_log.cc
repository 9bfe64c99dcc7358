#include "engines/fake/device_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace inferd::fake {

namespace {

std::string PlaceName(const inferd_memory& memory) {
  if (memory.kind == INFERD_MEMORY_GPU) return "GPU " + std::to_string(memory.device);
  return memory.kind == INFERD_MEMORY_CPU_PINNED ? "pinned" : "CPU";
}

}  // namespace

DeviceLog::DeviceLog() {
  const char* const file = std::getenv("FAKE_ENGINE_DEVICE_LOG");
  if (file != nullptr) descriptor_ = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

const DeviceLog& DeviceLog::Get() {
  static const DeviceLog log;
  return log;
}

void DeviceLog::Copied(const inferd_memory& from, const inferd_memory& to) const {
  if (descriptor_ < 0) return;
  const std::string line =
      "{\"copy\":\"" + PlaceName(from) + " to " + PlaceName(to) + "\",\"bytes\":" + std::to_string(from.size) + "}\n";
  while (write(descriptor_, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace inferd::fake
