#include "base/system/control_groups.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace inferd::base {

namespace {

using LimitOf = std::function<double(const std::filesystem::path&)>;

double LeastFrom(const std::filesystem::path& mount, const std::filesystem::path& group, const LimitOf& limit_of) {
  double least = limit_of(mount);
  std::filesystem::path at = mount;
  for (const auto& name : group.relative_path().lexically_normal()) {
    at /= name;
    least = std::min(least, limit_of(at));
  }
  return least;
}

}  // namespace

// Lines have the form ID:CONTROLLERS:PATH; version 2 has no controllers there.
double LeastLimit(const ControlGroups& groups, std::string_view controller, const LimitOf& limit_of) {
  double least = std::numeric_limits<double>::infinity();
  std::ifstream membership(groups.membership);
  for (std::string line; std::getline(membership, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, LeastFrom(groups.mount, path, limit_of));
    if (controllers.contains("," + std::string(controller) + ",")) {
      least = std::min(least, LeastFrom(groups.mount / controller, path, limit_of));
    }
  }
  return least;
}

}  // namespace inferd::base
