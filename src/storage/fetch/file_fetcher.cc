#include "storage/fetch/file_fetcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>

#include "base/mutex.h"
#include "base/system/file_descriptor.h"
#include "storage/file_digest.h"

namespace inferd::storage {

namespace {

constexpr mode_t kFileMode = 0666;  // minus the process's umask

base::Status WriteError(const std::filesystem::path& path, int error) {
  const std::string text = "cannot write " + path.string() + ": " + std::strerror(error);
  return error == ENOSPC || error == EDQUOT ? base::ResourceExhausted(text) : base::Internal(text);
}

// A file while its parts arrive. Each part is written by one thread.
struct OpenFile {
  const FileToFetch* file;
  base::FileDescriptor descriptor;
  std::atomic<size_t> parts_left;
};

struct Part {
  OpenFile* file;
  ByteRange range;
};

// One run of FetchFiles(): threads take parts until none is left or one has failed.
class Fetching final {
 public:
  Fetching(Source& source, const FetchOptions& options) : source_(source), options_(options) {}

  base::Status Run(const std::vector<FileToFetch>& files, const std::stop_token& stop) {
    for (const FileToFetch& file : files) INFERD_RETURN_IF_ERROR(Add(file));
    const std::stop_callback cancel(stop, [this] { ended_.request_stop(); });
    {
      const size_t threads = std::min(CountParts(), static_cast<size_t>(std::max(options_.parallel, 1)));
      std::vector<std::jthread> workers;
      workers.reserve(threads);
      for (size_t i = 0; i < threads; ++i) workers.emplace_back([this] { Work(); });
    }
    const base::MutexLock lock(mutex_);
    if (status_.ok() && stop.stop_requested()) return base::Cancelled("the download was cancelled");
    return status_;
  }

 private:
  base::Status Add(const FileToFetch& file) {
    const base::MutexLock lock(mutex_);
    OpenFile& opened = files_.emplace_back(&file, base::FileDescriptor(), 0);
    opened.descriptor =
        base::FileDescriptor(open(file.local.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
    if (!opened.descriptor) return WriteError(file.local, errno);
    progress_.files = files_.size();
    const std::optional<uint64_t> size = file.remote.size;
    if (!size.has_value()) sizes_known_ = false;
    total_ += size.value_or(0);
    if (total_ > options_.bytes_max) return TooLarge();
    const uint64_t step = std::max<uint64_t>(options_.range_bytes, 1);
    if (!file.remote.ranges || !size.has_value() || *size <= step) {
      opened.parts_left = 1;
      parts_.push_back({.file = &opened, .range = {.begin = 0, .end = size}});
      return {};
    }
    for (uint64_t begin = 0; begin < *size; begin += step) {
      ++opened.parts_left;
      parts_.push_back({.file = &opened, .range = {.begin = begin, .end = std::min(*size, begin + step)}});
    }
    return {};
  }

  size_t CountParts() {
    const base::MutexLock lock(mutex_);
    return parts_.size();
  }

  base::Status TooLarge() const {
    return base::ResourceExhausted("the model has more than " + std::to_string(options_.bytes_max) + " bytes");
  }

  void Work() {
    while (!ended_.stop_requested()) {
      Part part{};
      {
        const base::MutexLock lock(mutex_);
        if (parts_.empty()) return;
        part = parts_.front();
        parts_.pop_front();
      }
      base::Status status = FetchPart(part);
      if (status.ok() && --part.file->parts_left == 0) status = Complete(*part.file);
      if (!status.ok()) return Fail(std::move(status));
    }
  }

  base::Status FetchPart(const Part& part) {
    const RemoteFile& remote = part.file->file->remote;
    uint64_t at = part.range.begin;
    uint64_t at_before = at;
    const auto attempt = [&]() -> base::Status {
      at_before = at;
      if (part.range.end.has_value() && at == *part.range.end) return {};  // all bytes came before the connection broke
      return source_.Read(
          remote, {.begin = at, .end = part.range.end},
          [&](std::string_view bytes) -> base::Status {
            INFERD_RETURN_IF_ERROR(Write(*part.file, at, bytes));
            at += bytes.size();
            return Came(bytes.size());
          },
          ended_.get_token());
    };
    const auto progressed = [&] {
      if (remote.ranges) return at > at_before;
      Lost(at);
      at = 0;  // the file restarts, and may be shorter
      if (ftruncate(part.file->descriptor.get(), 0) != 0) return false;
      return false;
    };
    return Retry(options_.retry, ended_.get_token(), attempt, progressed);
  }

  static base::Status Write(const OpenFile& file, uint64_t at, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = pwrite(file.descriptor.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return WriteError(file.file->local, errno);
      at += static_cast<uint64_t>(written);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
  }

  base::Status Complete(OpenFile& file) {
    const RemoteFile& remote = file.file->remote;
    file.descriptor.Close();
    if (!remote.md5.empty()) {
      INFERD_ASSIGN_OR_RETURN(const std::string digest, FileDigest(file.file->local.string(), "MD5"));
      if (digest != remote.md5) {
        return {base::StatusCode::kDataLoss, remote.path + " came with other bytes than its checksum is of"};
      }
    }
    const base::MutexLock lock(mutex_);
    ++progress_.files_complete;
    Report();
    return {};
  }

  base::Status Came(uint64_t bytes) {
    const base::MutexLock lock(mutex_);
    if (bytes > options_.bytes_max - progress_.bytes) return TooLarge();
    progress_.bytes += bytes;
    Report();
    return {};
  }

  void Lost(uint64_t bytes) {
    const base::MutexLock lock(mutex_);
    progress_.bytes -= bytes;
  }

  void Report() REQUIRES(mutex_) {
    if (!options_.on_progress) return;
    if (sizes_known_) progress_.bytes_total = total_;
    options_.on_progress(progress_);
  }

  void Fail(base::Status status) {
    const base::MutexLock lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
    ended_.request_stop();
  }

  Source& source_;
  const FetchOptions& options_;
  std::deque<OpenFile> files_;  // their addresses are stable
  bool sizes_known_ = true;
  uint64_t total_ = 0;
  std::stop_source ended_;
  base::Mutex mutex_;
  std::deque<Part> parts_ GUARDED_BY(mutex_);  // not taken by any thread yet
  DownloadProgress progress_ GUARDED_BY(mutex_);
  base::Status status_ GUARDED_BY(mutex_);
};

}  // namespace

base::Status FetchFiles(Source& source, const std::vector<FileToFetch>& files, const FetchOptions& options,
                        const std::stop_token& stop) {
  return Fetching(source, options).Run(files, stop);
}

}  // namespace inferd::storage
