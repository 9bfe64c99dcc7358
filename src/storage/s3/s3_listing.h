#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/source/source.h"

namespace inferd::storage {

// The most bytes of an answer in XML that are looked at. A page has 1000 objects, with keys of at most 1 KiB.
inline constexpr size_t kS3AnswerBytesMax = 16 << 20;

struct S3Object {
  std::string key{};
  uint64_t size = 0;
  std::string etag{};  // as the header of that name has it
};

// One page of a bucket's objects (ListObjectsV2 with encoding-type=url). Plain data.
struct S3Page {
  std::vector<S3Object> objects;
  std::string next_token;  // of the next page; empty: this is the last
};

// INVALID_ARGUMENT: it is no such page.
base::Result<S3Page> ReadS3Page(std::string_view xml);

// "NoSuchBucket: The specified bucket does not exist" of an error's XML; empty: it is none.
std::string ReadS3Error(std::string_view xml);

// The files of a model at `path` (S3Settings::path): the object of that key alone, called as its last part, if there is
// one; else those below "<path>/", without that. Keys that end with a '/' stand for folders. KServe takes keys that
// only begin as `path` does, too, which mixes "model" with "model-2"; they are left out here.
std::vector<RemoteFile> FilesOfModel(const std::vector<S3Object>& objects, const std::string& path);

}  // namespace inferd::storage
