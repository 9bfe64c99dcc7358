#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/source/source.h"

namespace inferd::storage {

// An object of a bucket, from a listing. Plain data.
struct StoredObject {
  std::string key{};
  uint64_t size = 0;
  std::string tag{};  // changes whenever the bytes change
  std::string md5{};  // in lower-case hexadecimal digits; empty if unknown
};

// One page of a bucket's objects. Plain data.
struct ObjectPage {
  std::vector<StoredObject> objects;
  std::string next_token;  // of the next page; empty on the last one
};

// Returns all objects of a listing. `fetch_page` returns a page by its token (empty for the first). RESOURCE_EXHAUSTED,
// with `name`, if there are more than a million.
base::Result<std::vector<StoredObject>> AllObjects(
    const std::string& name, const std::function<base::Result<ObjectPage>(const std::string& token)>& fetch_page);

// Returns the files of a model at `path`, which does not begin with '/'. If there is an object with that key, it is the
// only file, named by the path's last component. Else they are the objects below "<path>/", with relative paths. Keys
// that end with '/' denote folders. For S3, KServe also takes keys that merely begin with `path`, which mixes "model"
// with "model-2"; they are left out here.
std::vector<RemoteFile> FilesOfModel(const std::vector<StoredObject>& objects, const std::string& path);

}  // namespace inferd::storage
