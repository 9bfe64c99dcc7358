#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/apiserver/objects/registry.h"
#include "kserve/model/files/object_files.h"

namespace inferd::local {

// Copies the objects of files into the registry. A change in a file is written there, and an object that a file no
// longer has is deleted. Such objects carry the annotation serving.inferd.io/file. Other objects are not touched. Not
// thread-safe.
class FileSource final {
 public:
  // `files` and `runtimes` are manifests, or folders of manifests. A runtime in `files` replaces one of the same name
  // in `runtimes`. The registry must outlive it.
  FileSource(std::vector<std::string> files, std::vector<std::string> runtimes, apiserver::Registry& registry)
      : files_(std::move(files)), runtime_places_(std::move(runtimes)), registry_(registry) {}

  // Loads all files. INVALID_ARGUMENT for the first error. All files are checked before anything is written.
  base::Status Load();
  // Loads all files again if one has changed since the last load, but not since the previous call, so that no file is
  // read while it is being written. The error names the invalid file.
  base::Status LoadChanges();

 private:
  struct FileStamp {
    int64_t modified_ns = 0;
    uint64_t size = 0;

    bool operator==(const FileStamp&) const = default;
  };
  using Stamps = std::map<std::string, FileStamp>;
  // An object that must exist, with its file.
  struct Wanted {
    const apiserver::ResourceType* type = nullptr;
    const model::Object* object = nullptr;
    std::string file;
  };
  using AllWanted = std::map<apiserver::ObjectKey, Wanted>;

  base::Result<Stamps> Look() const;
  base::Status Apply(const Stamps& stamps);
  base::Status CheckSound(const model::ObjectFiles& files) const;
  base::Status Write(const AllWanted& wanted);
  base::Status WriteOne(const Wanted& wanted);
  void DeleteOthers(const AllWanted& wanted);

  const std::vector<std::string> files_;
  const std::vector<std::string> runtime_places_;
  apiserver::Registry& registry_;
  model::ObjectFiles runtimes_;
  Stamps stamps_;  // of the applied files
  Stamps seen_;    // at the last call
};

}  // namespace inferd::local
