// Fuzzes the answers of WebHDFS. A listing, a status and an error must be read or refused, and no name may lead out of
// its folder.

#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "storage/hdfs/hdfs_listing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using inferd::fuzz::Require;
  namespace storage = inferd::storage;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const storage::HdfsError error = storage::ReadHdfsError(text);
  Require(error.text.size() <= 4096, "an error's text without a limit");
  Require(error.exception.empty() == error.text.empty(), "an error without a text");
  if (const auto status = storage::ReadHdfsStatus(text); !status.has_value()) {
    inferd::fuzz::RequireRefused(status.error());
  } else {
    Require(status->name.empty(), "a status with a name");
  }
  const auto entries = storage::ReadHdfsListing(text);
  if (!entries.has_value()) {
    inferd::fuzz::RequireRefused(entries.error());
    return 0;
  }
  for (const storage::HdfsStatus& entry : *entries) {
    Require(!entry.name.empty() && entry.name != "." && entry.name != "..", "an entry without a name");
    Require(entry.name.find('/') == std::string_view::npos, "a name that leads elsewhere");
  }
  return 0;
}
