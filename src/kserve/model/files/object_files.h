#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/model/api/object.h"

namespace inferd::model {

// Objects read from files, with the file of each. Their addresses stay valid. Not thread-safe.
class ObjectFiles {
 public:
  // Adds the objects of a file. Errors as of manifest::ReadFile.
  base::Status Add(const std::string& file);
  // Adds the objects of files, and of all manifests (*.yaml, *.yml, *.json) in folders. The first problem of an object
  // is an error.
  base::Status AddSound(const std::vector<std::string>& paths);

  const std::list<Object>& objects() const { return objects_; }
  const std::map<const Object*, std::string>& files() const { return files_; }
  // Returns the objects that are runtimes.
  std::vector<const ServingRuntime*> runtimes() const;

 private:
  std::list<Object> objects_;
  std::map<const Object*, std::string> files_;
};

// Returns the manifest files of a folder, sorted by name, or `path` itself if it is a file. INVALID_ARGUMENT if the
// folder cannot be read.
base::Result<std::vector<std::string>> ManifestsOf(const std::string& path);

// Returns the folder of the ClusterServingRuntimes that are installed with this program.
std::string DefaultRuntimesFolder();

}  // namespace inferd::model
