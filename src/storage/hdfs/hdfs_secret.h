#pragma once

#include <string>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/source/storage_config.h"

namespace inferd::storage {

// The keys of the secret that KServe's storage initializer reads for HDFS: from the storage specification if that is
// for HDFS, else from a folder. Thread-safe.
class HdfsSecret final {
 public:
  // INVALID_ARGUMENT if the storage specification is not JSON.
  static base::Result<HdfsSecret> Open(const Environment& environment);

  // Returns a key's text without surrounding space. Empty if there is no such key. INVALID_ARGUMENT if it is larger
  // than 1 MiB.
  base::Result<std::string> Text(const std::string& key) const;
  // Does the same for a key that is a file; specifications have files in Base64. INVALID_ARGUMENT if it is not Base64.
  base::Result<std::string> File(const std::string& key) const;

  // Returns the place of the keys, for messages.
  const std::string& place() const { return place_; }

 private:
  HdfsSecret(std::string folder, StorageConfig config);

  std::string folder_;  // empty if the specification has the keys
  StorageConfig config_;
  std::string place_;
};

}  // namespace inferd::storage
