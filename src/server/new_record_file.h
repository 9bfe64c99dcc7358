#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"

namespace inferd::server {

// Writes records (RecordOf) into a TFRecord file that nobody had before: `<prefix>-<date>-<time>-<n>.tfrecord`, in UTC,
// the first n that is free. The file is made with the first record; a whole record is in it after each Append. Not
// thread-safe.
class NewRecordFile final {
 public:
  // The clock outlives it.
  NewRecordFile(std::string prefix, const base::Clock& clock) : prefix_(std::move(prefix)), clock_(clock) {}
  ~NewRecordFile() { Close(); }
  NewRecordFile(const NewRecordFile&) = delete;
  NewRecordFile& operator=(const NewRecordFile&) = delete;

  // UNAVAILABLE: the file cannot be made or written. What was begun of a record is taken back, or else ends the file;
  // the next record goes to another one then.
  base::Status Append(std::string_view data);

 private:
  base::Status Open();
  void Close();

  const std::string prefix_;
  const base::Clock& clock_;
  std::string path_;
  int file_ = -1;
};

}  // namespace inferd::server
