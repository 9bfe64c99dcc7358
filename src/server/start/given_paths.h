#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/options/server_options.h"

namespace inferd::server {

// Completes paths that were given without a name: a folder of one model becomes NAME=/absolute/path, named after the
// folder. Folders of models stay as they are. Returns a line for the log about each that it changed. Under other
// personalities nothing changes.
std::vector<std::string> NameModelFolders(config::ServerOptions& options);

// Returns warnings about repositories that serve nothing as they are, each with its remedy: a model's own folder, loose
// model files, an empty folder.
std::vector<std::string> RepositoryWarnings(const config::ServerOptions& options);

// Returns a clause about the first given path that does not exist: "; did you mean 'models/digits'?", or what the
// nearest existing folder holds. Empty if all exist, or if it knows nothing better.
std::string MissingPathHint(const config::ServerOptions& options);

}  // namespace inferd::server
