#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/model/api/object.h"

namespace inferd::model {

// Objects that stay where they are, with the file of each. Not thread-safe.
class ObjectFiles {
 public:
  // The documents of a file: manifest::ReadFile's errors.
  base::Status Add(const std::string& file);
  // Those of files, and of all manifests (*.yaml, *.yml, *.json) of folders; their first problem is an error.
  base::Status AddSound(const std::vector<std::string>& paths);

  const std::list<Object>& objects() const { return objects_; }
  const std::map<const Object*, std::string>& files() const { return files_; }
  // Those that are runtimes.
  std::vector<const ServingRuntime*> runtimes() const;

 private:
  std::list<Object> objects_;
  std::map<const Object*, std::string> files_;
};

// The files of a folder that have manifests, in the order of their names; a file is itself. INVALID_ARGUMENT: it cannot
// be read.
base::Result<std::vector<std::string>> ManifestsOf(const std::string& path);

// The folder of the ClusterServingRuntimes that are installed with this program.
std::string DefaultRuntimesFolder();

}  // namespace inferd::model
