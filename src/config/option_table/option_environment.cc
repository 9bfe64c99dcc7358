#include "base/text/nearest_name.h"
#include "config/option_table/option_assignments.h"

namespace inferd::config {
namespace {

constexpr std::string_view kPrefix = "INFERD_";

std::string VariableName(std::string_view option) {
  std::string name(kPrefix);
  for (const char c : option) name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

// True for a value that Kubernetes sets for a service with a name such as inferd-http:
// INFERD_HTTP_PORT=tcp://10.0.0.1:80.
bool IsServiceLink(std::string_view value) { return value.starts_with("tcp://") || value.starts_with("udp://"); }

}  // namespace

base::Result<Assignments> ReadEnvironment(const std::map<std::string, std::string>& environment) {
  std::map<std::string, const Option*> known;
  for (const Option& option : OptionTable()) known.emplace(VariableName(option.name), &option);
  Assignments assignments;
  for (const auto& [name, value] : environment) {
    // The last one belongs to the build.
    if (!name.starts_with(kPrefix) || name == "INFERD_AS" || name == "INFERD_CONFIG" ||
        name == "INFERD_ONNXRUNTIME_ROOT") {
      continue;
    }
    const auto it = known.find(name);
    if (it == known.end() || IsServiceLink(value)) {
      base::NearestName nearest(name);
      for (const auto& [other, option] : known) nearest.Offer(other);
      assignments.warnings.push_back("environment: " + name + " is ignored" +
                                     (it == known.end() ? nearest.Suggestion() : std::string()));
      continue;
    }
    std::string_view rest = value;
    const char separator = it->second->separator;
    while (it->second->repeated && rest.find(separator) != std::string_view::npos) {
      assignments.values.push_back({it->second, std::string(rest.substr(0, rest.find(separator))), name});
      rest.remove_prefix(rest.find(separator) + 1);
    }
    assignments.values.push_back({it->second, std::string(rest), name});
  }
  return assignments;
}

}  // namespace inferd::config
