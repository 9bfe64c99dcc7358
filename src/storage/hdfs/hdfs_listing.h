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
  std::string name{};  // in its folder; empty for the request's own path
  HdfsKind kind = HdfsKind::kOther;
  uint64_t size = 0;  // bytes, for a file
  std::string tag{};  // changes whenever the bytes change; empty if unknown

  bool operator==(const HdfsStatus&) const = default;
};

// An error of WebHDFS (RemoteException). Plain data.
struct HdfsError {
  std::string exception;  // "FileNotFoundException"; empty if the answer is not an error
  std::string text;       // the exception and its message, for people
};

// Parses the answer to GETFILESTATUS. INVALID_ARGUMENT if it is malformed.
base::Result<HdfsStatus> ReadHdfsStatus(std::string_view json);

// Parses the answer to LISTSTATUS of a folder. Each entry's name is one path component, and neither "." nor "..".
// INVALID_ARGUMENT if it is malformed.
base::Result<std::vector<HdfsStatus>> ReadHdfsListing(std::string_view json);

HdfsError ReadHdfsError(std::string_view json);

}  // namespace inferd::storage
