#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/source/source.h"

namespace inferd::storage {

// An object of a bucket, as a listing has it. Plain data.
struct StoredObject {
  std::string key{};
  uint64_t size = 0;
  std::string tag{};  // another one whenever the bytes are others
  std::string md5{};  // in lower-case hexadecimal digits; empty: not known
};

// One page of a bucket's objects. Plain data.
struct ObjectPage {
  std::vector<StoredObject> objects;
  std::string next_token;  // of the next page; empty: this is the last
};

// All objects of a listing whose pages `fetch_page` brings by their tokens (empty: the first). RESOURCE_EXHAUSTED: more
// than a million, with `name`.
base::Result<std::vector<StoredObject>> AllObjects(
    const std::string& name, const std::function<base::Result<ObjectPage>(const std::string& token)>& fetch_page);

// The files of a model at `path`, which does not begin with a '/': the object of that key alone, called as its last
// part, if there is one; else those below "<path>/", without that. Keys that end with a '/' stand for folders. KServe
// takes keys of S3 that only begin as `path` does, too, which mixes "model" with "model-2"; they are left out here.
std::vector<RemoteFile> FilesOfModel(const std::vector<StoredObject>& objects, const std::string& path);

}  // namespace inferd::storage
