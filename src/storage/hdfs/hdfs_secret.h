#pragma once

#include <string>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/source/storage_config.h"

namespace inferd::storage {

// The keys of the secret that KServe's storage initializer reads for HDFS: of the storage specification, where that is
// of HDFS, else of a folder. Thread-safe.
class HdfsSecret final {
 public:
  // INVALID_ARGUMENT: the storage specification is no JSON.
  static base::Result<HdfsSecret> Open(const Environment& environment);

  // Empty: it has no such key. Space around the text is left out. INVALID_ARGUMENT: it is larger than 1 MiB.
  base::Result<std::string> Text(const std::string& key) const;
  // Likewise of a key that is a file, which specifications have in Base64. INVALID_ARGUMENT: it is none.
  base::Result<std::string> File(const std::string& key) const;

  // Where the keys are looked for, for messages.
  const std::string& place() const { return place_; }

 private:
  HdfsSecret(std::string folder, StorageConfig config);

  std::string folder_;  // empty: the specification has them
  StorageConfig config_;
  std::string place_;
};

}  // namespace inferd::storage
