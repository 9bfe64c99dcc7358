#include "server/new_record_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "server/record_file.h"

namespace inferd::server {

namespace {

constexpr int kFilesPerSecondMax = 1000;
constexpr int64_t kNsPerSecond = 1'000'000'000;

std::string DateAndTime(const base::Clock& clock) {
  const time_t seconds = clock.WallNs() / kNsPerSecond;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &utc)};
}

base::Status Failure(const std::string& path) {
  return base::Unavailable(path + ": " + std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): glibc's is safe
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

base::Status NewRecordFile::Append(std::string_view data) {
  if (file_ < 0) INFERD_RETURN_IF_ERROR(Open());
  const off_t before = ::lseek(file_, 0, SEEK_CUR);
  if (WriteAll(file_, RecordOf(data))) return {};
  const base::Status status = Failure(path_);
  const bool whole = ::ftruncate(file_, before) == 0 && ::lseek(file_, before, SEEK_SET) == before;
  if (!whole) Close();
  return status;
}

base::Status NewRecordFile::Open() {
  const std::string stem = prefix_ + "-" + DateAndTime(clock_) + "-";
  for (int i = 0; i < kFilesPerSecondMax; ++i) {
    path_ = stem + std::to_string(i) + ".tfrecord";
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file_ >= 0) return {};
    if (errno != EEXIST) break;
  }
  return Failure(path_);
}

void NewRecordFile::Close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace inferd::server
