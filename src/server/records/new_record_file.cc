#include "server/records/new_record_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "server/records/record_file.h"

namespace inferd::server {

namespace {

constexpr int kNamesMax = 1000;  // names that are tried for a file
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

// Returns the date and time, and the number, in the name of a file that NewRecordFile made. Nullopt for other files.
std::optional<std::pair<std::string, int>> WhenMade(std::string_view name, std::string_view stem) {
  constexpr size_t kTimeSize = std::string_view("20260101-000000-").size();
  constexpr std::string_view kEnd = ".tfrecord";
  if (!name.starts_with(stem) || !name.ends_with(kEnd) || name.size() <= stem.size() + kTimeSize + kEnd.size()) {
    return std::nullopt;
  }
  const std::string_view time = name.substr(stem.size(), kTimeSize);
  for (size_t i = 0; i < kTimeSize; ++i) {
    const bool hyphen = i == 8 || i == kTimeSize - 1;
    if (hyphen ? time[i] != '-' : time[i] < '0' || time[i] > '9') return std::nullopt;
  }
  const char* const begin = name.data() + stem.size() + kTimeSize;
  const char* const end = name.data() + name.size() - kEnd.size();
  int number = 0;
  const auto read = std::from_chars(begin, end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return std::pair(std::string(time), number);
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
  const std::string record = RecordOf(data);
  const bool full = bytes_ > 0 && limits_.bytes_max > 0 &&
                    (bytes_ >= limits_.bytes_max || record.size() > limits_.bytes_max - bytes_);
  if (full) Close();
  if (file_ < 0) INFERD_RETURN_IF_ERROR(Open());
  const off_t before = ::lseek(file_, 0, SEEK_CUR);
  if (WriteAll(file_, record)) {
    bytes_ += record.size();
    return {};
  }
  const base::Status status = Failure(path_);
  const bool whole = ::ftruncate(file_, before) == 0 && ::lseek(file_, before, SEEK_SET) == before;
  if (!whole) Close();
  return status;
}

base::Status NewRecordFile::Open() {
  std::string stem = prefix_ + "-" + DateAndTime(clock_) + "-";
  // Numbers are never reused, even if a file is gone, because they tell which file is older.
  if (stem != stem_) next_ = 0;
  stem_ = std::move(stem);
  for (int i = 0; i < kNamesMax; ++i, ++next_) {
    path_ = stem_ + std::to_string(next_) + ".tfrecord";
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file_ < 0 && errno == EEXIST) continue;
    if (file_ < 0) break;
    ++next_;
    RemoveOldest();
    return {};
  }
  return Failure(path_);
}

void NewRecordFile::RemoveOldest() const {
  if (limits_.files_max == 0) return;
  const std::filesystem::path prefix(prefix_);
  std::set<std::tuple<std::string, int, std::filesystem::path>> files;        // the oldest first
  const std::filesystem::path own = std::filesystem::path(path_).filename();  // never deleted, whatever the clock says
  std::error_code error;
  for (std::filesystem::directory_iterator it(prefix.parent_path().empty() ? "." : prefix.parent_path(), error), end;
       !error && it != end; it.increment(error)) {
    const auto made = WhenMade(it->path().filename().string(), prefix.filename().string() + "-");
    if (made.has_value() && it->path().filename() != own) files.emplace(made->first, made->second, it->path());
  }
  for (auto file = files.begin(); files.size() >= limits_.files_max; file = files.erase(file)) {
    ::unlink(std::get<2>(*file).c_str());
  }
}

void NewRecordFile::Close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  bytes_ = 0;
}

}  // namespace inferd::server
