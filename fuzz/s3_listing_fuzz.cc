// Fuzzes the answers of S3. A page must be read or refused, and a model's files must be below its path.

#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "storage/s3/s3_listing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using inferd::fuzz::Require;
  namespace storage = inferd::storage;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Require(storage::ReadS3Error(text).size() <= 4096, "an error's text without a limit");
  const auto page = storage::ReadS3Page(text);
  if (!page.has_value()) {
    inferd::fuzz::RequireRefused(page.error());
    return 0;
  }
  for (const std::string path : {"", "m", "m/", "m/a"}) {
    const auto files = storage::FilesOfModel(page->objects, path);
    Require(files.size() <= page->objects.size(), "more files than objects");
    for (const storage::RemoteFile& file : files) {
      Require(!file.path.empty() && file.key.ends_with(file.path), "a path that is not the end of its key");
      Require(file.key.starts_with(path), "a file of another model");
    }
  }
  return 0;
}
