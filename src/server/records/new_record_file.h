#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"

namespace inferd::server {

// How much record files may hold.
struct RecordFileLimits {
  uint64_t bytes_max = 0;  // of one, unless a single record has more; 0: any number
  size_t files_max = 0;    // that are kept of those with one prefix; 0: all
};

// Writes records (RecordOf) into a TFRecord file that nobody had before: `<prefix>-<date>-<time>-<n>.tfrecord`, in UTC,
// the first n that is free. The file is made with the first record; a whole record is in it after each Append. What
// would pass its limit goes to another one. When a file is made, the oldest of that prefix that are too many are
// removed, whichever process wrote them; one that cannot be is tried again with the next. Not thread-safe.
class NewRecordFile final {
 public:
  // The clock outlives it.
  NewRecordFile(std::string prefix, const base::Clock& clock, RecordFileLimits limits = {})
      : prefix_(std::move(prefix)), clock_(clock), limits_(limits) {}
  ~NewRecordFile() { Close(); }
  NewRecordFile(const NewRecordFile&) = delete;
  NewRecordFile& operator=(const NewRecordFile&) = delete;

  // UNAVAILABLE: the file cannot be made or written. What was begun of a record is taken back, or else ends the file;
  // the next record goes to another one then.
  base::Status Append(std::string_view data);
  // The next record goes to another file.
  void Close();

 private:
  base::Status Open();
  void RemoveOldest() const;

  const std::string prefix_;
  const base::Clock& clock_;
  const RecordFileLimits limits_;
  std::string path_;
  int file_ = -1;
  uint64_t bytes_ = 0;  // in the file
  std::string stem_;    // of its name
  int next_ = 0;        // number behind that
};

}  // namespace inferd::server
