#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::storage {

enum class HdfsKind : uint8_t { kFile, kFolder, kOther };

// A file or folder as WebHDFS describes it (FileStatus). Plain data.
struct HdfsStatus {
  std::string name{};  // in its folder; empty where the request's own path is meant
  HdfsKind kind = HdfsKind::kOther;
  uint64_t size = 0;  // bytes, of a file
  std::string tag{};  // another one whenever the bytes are others; empty: not known

  bool operator==(const HdfsStatus&) const = default;
};

// What went wrong, as WebHDFS says it (RemoteException). Plain data.
struct HdfsError {
  std::string exception;  // "FileNotFoundException"; empty: it is no such answer
  std::string text;       // it and its message, as it may be shown
};

// The answer to GETFILESTATUS. INVALID_ARGUMENT: it is none.
base::Result<HdfsStatus> ReadHdfsStatus(std::string_view json);

// The answer to LISTSTATUS of a folder: each entry's name is one part of a path, and neither "." nor "..".
// INVALID_ARGUMENT: it is none.
base::Result<std::vector<HdfsStatus>> ReadHdfsListing(std::string_view json);

HdfsError ReadHdfsError(std::string_view json);

}  // namespace inferd::storage
