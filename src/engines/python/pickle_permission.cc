#include "engines/python/pickle_permission.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "engines/kit/parameters.h"

namespace inferd::python {

namespace {

namespace fs = std::filesystem;

using kit::ToView;

constexpr std::string_view kParameter = "operator.pickles";  // its parts are separated by colons
constexpr std::string_view kAll = "all";

// Returns true if the folder is in one with the files of a load call (named by storage::StagingFolder).
bool WasSent(const fs::path& folder) {
  return std::ranges::any_of(folder, [](const fs::path& part) { return part.native().starts_with("inferd-load-"); });
}

// A model that is a link belongs to the folder of the link: the owner of its repository made it.
bool LiesIn(const fs::path& model, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) return false;
  if (fs::canonical(model, error) == real && !error) return true;
  const fs::path parent = fs::canonical(model.parent_path(), error);
  if (error) return false;
  return std::mismatch(real.begin(), real.end(), parent.begin(), parent.end()).first == real.end();
}

bool Means(std::string_view allowed, const inferd_load& load) {
  if (allowed == kAll) return true;
  std::error_code error;
  const fs::path model = fs::absolute(fs::path(ToView(load.model_dir)), error).lexically_normal();
  if (allowed.empty() || error || WasSent(model) || WasSent(fs::path(ToView(load.version_dir)))) return false;
  return allowed.contains('/') ? LiesIn(model, fs::path(allowed)) : allowed == ToView(load.model_name);
}

}  // namespace

bool MayUnpickle(const inferd_load& load) {
  for (size_t i = 0; i < load.parameter_count; ++i) {
    if (ToView(load.parameters[i].key) != kParameter) continue;
    std::string_view rest = ToView(load.parameters[i].value);
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (Means(rest.substr(0, end), load)) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return false;
}

}  // namespace inferd::python
