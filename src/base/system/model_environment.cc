#include "base/system/model_environment.h"

#include <algorithm>
#include <array>

#include "base/system/child_process.h"

namespace inferd::base {

namespace {

constexpr std::string_view kParameter = "operator.environment";

// The only list of secrets that the server takes from its environment. Add new secrets here.
constexpr std::array<std::string_view, 7> kSecretPrefixes = {
    "INFERD_",
    "INFERCTL_",  // options of inferd's programs
    "AWS_",       // S3
    "AZURE_",
    "AZ_",                 // Azure's blobs
    "HDFS_",               // HDFS
    "TRITONCACHE_REDIS_",  // the account of the response cache, under --as tritonserver
};
constexpr std::array<std::string_view, 4> kSecretNames = {
    "GOOGLE_APPLICATION_CREDENTIALS",
    "STORAGE_CONFIG",           // KServe's storage specification: keys of all storages
    "STORAGE_OVERRIDE_CONFIG",  // likewise
    "TRITON_CLOUD_CREDENTIAL_PATH",
};
constexpr std::string_view kHeadersSuffix = "-headers";  // HOST-headers: headers of requests to an HTTP storage

class NameList final {
 public:
  static Result<NameList> Parse(const std::string& parameter, std::string_view text) {
    NameList list;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      const std::string_view entry = text.substr(begin, end - begin);
      const size_t star = entry.find('*');
      if (entry.contains('=') || (star != std::string_view::npos && star + 1 != entry.size())) {
        return std::unexpected(InvalidArgument("parameter '" + parameter +
                                               "': expected names of variables, separated " +
                                               "by commas, each with a * at most at its end; entry " +
                                               std::to_string(list.entries_.size() + 1) + " is none"));
      }
      list.entries_.push_back(entry);
      begin = end + 1;
    }
    return list;
  }

  bool Has(std::string_view name) const {
    return std::ranges::any_of(entries_, [&](std::string_view entry) {
      if (!entry.ends_with('*')) return entry == name;
      return name.starts_with(entry.substr(0, entry.size() - 1)) && !IsServerSecret(name);
    });
  }

 private:
  std::vector<std::string_view> entries_;
};

}  // namespace

bool IsServerSecret(std::string_view name) {
  return name.ends_with(kHeadersSuffix) || std::ranges::find(kSecretNames, name) != kSecretNames.end() ||
         std::ranges::any_of(kSecretPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Result<std::vector<std::string>> ModelEnvironment(std::string_view model, const FindParameter& find) {
  std::string parameter = std::string(kParameter) + "." + std::string(model);
  std::optional<std::string_view> names = model.empty() ? std::nullopt : find(parameter);
  if (!names.has_value()) names = find(parameter = kParameter);
  INFERD_ASSIGN_OR_RETURN(const NameList list, NameList::Parse(parameter, names.value_or("*")));
  std::vector<std::string> variables = OwnEnvironment();
  std::erase_if(variables, [&list](const std::string& variable) { return !list.Has(VariableName(variable)); });
  return variables;
}

}  // namespace inferd::base
