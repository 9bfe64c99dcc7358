#include "storage/source/stored_object.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace inferd::storage {

namespace {

constexpr size_t kObjectsMax = 1'000'000;

RemoteFile MakeFile(const StoredObject& object, std::string path) {
  RemoteFile file{
      .path = std::move(path), .key = object.key, .size = object.size, .tag = object.tag, .md5 = object.md5};
  file.ranges = true;
  file.archive = ArchiveKindOf(object.key);
  return file;
}

}  // namespace

base::Result<std::vector<StoredObject>> AllObjects(
    const std::string& name, const std::function<base::Result<ObjectPage>(const std::string& token)>& fetch_page) {
  std::vector<StoredObject> objects;
  for (std::string token;;) {
    INFERD_ASSIGN_OR_RETURN(ObjectPage page, fetch_page(token));
    std::ranges::move(page.objects, std::back_inserter(objects));
    if (objects.size() > kObjectsMax) {
      return std::unexpected(base::ResourceExhausted(name + ": more than " + std::to_string(kObjectsMax) + " objects"));
    }
    if (page.next_token.empty()) return objects;
    token = std::move(page.next_token);
  }
}

std::vector<RemoteFile> FilesOfModel(const std::vector<StoredObject>& objects, const std::string& path) {
  const auto exact = std::ranges::find(objects, path, &StoredObject::key);
  if (exact != objects.end() && !path.ends_with('/')) return {MakeFile(*exact, path.substr(path.rfind('/') + 1))};
  const std::string folder = path.empty() || path.ends_with('/') ? path : path + "/";
  std::vector<RemoteFile> files;
  for (const StoredObject& object : objects) {
    if (!object.key.starts_with(folder) || object.key.ends_with('/')) continue;
    const size_t begin = object.key.find_first_not_of('/', folder.size());
    files.push_back(MakeFile(object, object.key.substr(begin)));
  }
  return files;
}

}  // namespace inferd::storage
