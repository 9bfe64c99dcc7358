#include "engines/python/worker_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace inferd::python {

namespace {

constexpr size_t kReadBytes = size_t{1} << 14;
// Reads at the end: as much as a pipe holds. A process that has left its worker may write without end.
constexpr int kLastReads = 64;

base::Status NoOutput(const std::string& why) { return base::ResourceExhausted("no Python worker: " + why); }

}  // namespace

base::Result<std::unique_ptr<WorkerOutput>> WorkerOutput::Create(const inferd_host& host, std::string title) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(NoOutput(std::strerror(errno)));
  base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  base::FileDescriptor ending(eventfd(0, EFD_CLOEXEC));
  // The writers may block, as on any pipe; this end must not.
  if (!ending || fcntl(reading.get(), F_SETFL, O_NONBLOCK) != 0) {
    return std::unexpected(NoOutput(std::strerror(errno)));
  }
  std::unique_ptr<WorkerOutput> output(
      new WorkerOutput(host, std::move(title), std::move(reading), std::move(writing), std::move(ending)));
  try {
    output->thread_ = std::thread([raw = output.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return std::unexpected(NoOutput(error.what()));
  }
  return output;
}

WorkerOutput::WorkerOutput(const inferd_host& host, std::string title, base::FileDescriptor reading,
                           base::FileDescriptor writing, base::FileDescriptor ending)
    : log_(host),
      title_(std::move(title)),
      reading_(std::move(reading)),
      writing_(std::move(writing)),
      ending_(std::move(ending)) {
  log_.SetInstance(title_);
  line_.reserve(WorkerLog::kLineBytesMax);
}

WorkerOutput::~WorkerOutput() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  static_cast<void>(!write(ending_.get(), &one, sizeof(one)));
  thread_.join();
}

void WorkerOutput::Run() {
  bool ending = false;
  while (!ending) {
    std::array<pollfd, 2> files = {pollfd{.fd = reading_.get(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = ending_.get(), .events = POLLIN, .revents = 0}};
    if (poll(files.data(), files.size(), -1) < 0) continue;
    ending = files[1].revents != 0 || (files[0].revents != 0 && !ReadSome());
  }
  for (int i = 0; i < kLastReads && ReadSome(); ++i) {
  }
  EndLine();
}

bool WorkerOutput::ReadSome() {
  std::array<char, kReadBytes> bytes{};
  const ssize_t got = read(reading_.get(), bytes.data(), bytes.size());
  if (got > 0) Take({bytes.data(), static_cast<size_t>(got)});
  return got > 0 || (got < 0 && errno == EINTR);
}

void WorkerOutput::Take(std::string_view bytes) {
  for (const char byte : bytes) {
    if (byte == '\n') {
      EndLine();
    } else if (line_.size() < WorkerLog::kLineBytesMax) {
      line_ += byte;
    }
  }
}

void WorkerOutput::EndLine() {
  if (line_.empty()) return;
  try {
    log_.Write(INFERD_LOG_INFO, "worker '" + title_ + "' wrote: " + line_, WorkerLog::Clock::now());
  } catch (const std::bad_alloc&) {
    // No memory: drop the line.
  }
  line_.clear();
}

}  // namespace inferd::python
