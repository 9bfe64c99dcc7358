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

// A file of a model that is elsewhere. Plain data.
struct RemoteFile {
  std::string path{};              // below the model's folder; the source's word, not checked yet
  std::string key{};               // how the source itself names it
  std::optional<uint64_t> size{};  // bytes; nullopt: not known
  std::string tag{};               // another one whenever the bytes are others (an ETag); empty: not known
  std::string md5{};               // in lower-case hexadecimal digits; empty: not known
  bool ranges = false;             // whether parts of it can be read; only where the size is known
  ArchiveKind archive = ArchiveKind::kNone;
};

// The files that a storage URI names: one implementation for each scheme. Thread-safe; every call may block.
class Source {
 public:
  virtual ~Source() = default;

  // Where the files are, the same for every URI that leads there: with it, a file's key and tag say which bytes it has.
  // Not to be shown.
  virtual std::string Place() const = 0;

  // All of them, by path. NOT_FOUND: there is none. UNAVAILABLE: another try may mend it.
  virtual base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) = 0;

  // The bytes of `range`, which is all of the file where it has no ranges. UNAVAILABLE: the connection was cut, or the
  // server is busy; the sink may have had some bytes. ABORTED: the file is no longer the one that was listed.
  virtual base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                            const std::stop_token& stop) = 0;
};

}  // namespace inferd::storage
