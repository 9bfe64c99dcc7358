#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"

namespace inferd::server {

// Limits of record files.
struct RecordFileLimits {
  uint64_t bytes_max = 0;  // per file, unless a single record is larger; 0 for no limit
  size_t files_max = 0;    // files that are kept per prefix; 0 for all
};

// Writes records (RecordOf) to a new TFRecord file, `<prefix>-<date>-<time>-<n>.tfrecord`, in UTC, with the first free
// n. The file is created with the first record, and contains complete records after each Append. When it would exceed
// its limit, another file is created. At that time the oldest excess files of the prefix are deleted, whichever process
// wrote them; if a deletion fails, it is retried with the next file. Not thread-safe.
class NewRecordFile final {
 public:
  // The clock must outlive this.
  NewRecordFile(std::string prefix, const base::Clock& clock, RecordFileLimits limits = {})
      : prefix_(std::move(prefix)), clock_(clock), limits_(limits) {}
  ~NewRecordFile() { Close(); }
  NewRecordFile(const NewRecordFile&) = delete;
  NewRecordFile& operator=(const NewRecordFile&) = delete;

  // Writes a record. UNAVAILABLE if the file cannot be created or written. An incomplete record is removed; if that
  // fails, the next record goes to another file.
  base::Status Append(std::string_view data);
  // Closes the file. The next record goes to another file.
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
  std::string stem_;    // of the file's name
  int next_ = 0;        // the number after the stem
};

}  // namespace inferd::server
