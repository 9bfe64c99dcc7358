#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/source/archive_kind.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// A file of a remote model. Plain data.
struct RemoteFile {
  std::string path{};              // relative to the model's folder; from the source, not checked yet
  std::string key{};               // the source's own name for it
  std::optional<uint64_t> size{};  // bytes; nullopt if unknown
  std::string tag{};               // changes whenever the bytes change (an ETag); empty if unknown
  std::string md5{};               // in lower-case hexadecimal digits; empty if unknown
  bool ranges = false;             // true if parts of it can be read; only if the size is known
  ArchiveKind archive = ArchiveKind::kNone;
};

// The files that a storage URI names: one implementation for each scheme. Thread-safe; every call may block.
class Source {
 public:
  virtual ~Source() = default;

  // Returns the files' location, the same for every URI that leads there. Together with it, a file's key and tag
  // identify its bytes. May be secret: do not show it.
  virtual std::string Place() const = 0;

  // Returns all files, by path. NOT_FOUND if there are none. UNAVAILABLE if a retry may help.
  virtual base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) = 0;

  // Reads the bytes of `range`, which is the whole file if it has no ranges. UNAVAILABLE if the connection broke, or
  // the server is busy; the sink may have received some bytes. ABORTED if the file is no longer the one that was
  // listed.
  virtual base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                            const std::stop_token& stop) = 0;
};

}  // namespace inferd::storage
