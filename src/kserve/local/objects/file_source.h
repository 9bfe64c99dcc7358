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

// Objects of files, kept in the registry as the files have them: what changes in a file is written there, and what goes
// from it is deleted. Objects have a note of their file (annotation serving.inferd.io/file); others are left alone. Not
// thread-safe.
class FileSource final {
 public:
  // `files` and `runtimes`: files of manifests, or folders of them. What `files` have goes before runtimes of the same
  // name. The registry outlives it.
  FileSource(std::vector<std::string> files, std::vector<std::string> runtimes, apiserver::Registry& registry)
      : files_(std::move(files)), runtime_places_(std::move(runtimes)), registry_(registry) {}

  // INVALID_ARGUMENT: the first fault; then nothing has changed.
  base::Status Load();
  // The same, if a file has changed since, and was the same at the call before: it is not being written. The error says
  // what is wrong with one.
  base::Status LoadChanges();

 private:
  struct FileStamp {
    int64_t modified_ns = 0;
    uint64_t size = 0;

    bool operator==(const FileStamp&) const = default;
  };
  using Stamps = std::map<std::string, FileStamp>;
  // Objects to be there, with the file of each.
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
  Stamps stamps_;  // of what is applied
  Stamps seen_;    // at the last look
};

}  // namespace inferd::local
