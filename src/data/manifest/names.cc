#include "data/manifest/names.h"

#include <algorithm>

namespace inferd::manifest {

namespace {

constexpr size_t kLabelBytesMax = 63;
constexpr size_t kSubdomainBytesMax = 253;

constexpr std::string_view kLabelFault =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainFault =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kServiceFault =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kQualifiedFault =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValueFault =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDecimal(char c) { return c >= '0' && c <= '9'; }
bool IsLowerAlphanumeric(char c) { return IsLower(c) || IsDecimal(c); }
bool IsAlphanumeric(char c) { return IsLowerAlphanumeric(c) || IsUpper(c); }

bool IsLabel(std::string_view text) {
  if (text.empty() || !IsLowerAlphanumeric(text.front()) || !IsLowerAlphanumeric(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return IsLowerAlphanumeric(c) || c == '-'; });
}

bool IsSubdomain(std::string_view text) {
  for (;;) {
    const size_t dot = text.find('.');
    if (!IsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsQualified(std::string_view text) {
  if (text.empty() || !IsAlphanumeric(text.front()) || !IsAlphanumeric(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

void CheckSize(std::string_view text, size_t bytes_max, std::string_view prefix, std::vector<std::string>& faults) {
  if (text.size() <= bytes_max) return;
  faults.push_back(std::string(prefix) + "must be no more than " + std::to_string(bytes_max) + " characters");
}

}  // namespace

std::vector<std::string> CheckSubdomain(std::string_view name) {
  std::vector<std::string> faults;
  CheckSize(name, kSubdomainBytesMax, "", faults);
  if (!IsSubdomain(name)) faults.emplace_back(kSubdomainFault);
  return faults;
}

std::vector<std::string> CheckLabel(std::string_view name) {
  std::vector<std::string> faults;
  CheckSize(name, kLabelBytesMax, "", faults);
  if (!IsLabel(name)) faults.emplace_back(kLabelFault);
  return faults;
}

std::vector<std::string> CheckServiceName(std::string_view name) {
  std::vector<std::string> faults;
  CheckSize(name, kLabelBytesMax, "", faults);
  if (!IsLabel(name) || !IsLower(name.front())) faults.emplace_back(kServiceFault);
  return faults;
}

std::vector<std::string> CheckQualifiedName(std::string_view key) {
  std::vector<std::string> faults;
  std::string_view name = key;
  if (const size_t slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.contains('/')) {
      faults.push_back("a qualified name " + std::string(kQualifiedFault) +
                       " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return faults;
    }
    if (prefix.empty()) {
      faults.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& fault : CheckSubdomain(prefix)) faults.push_back("prefix part " + fault);
    }
  }
  if (name.empty()) faults.emplace_back("name part must be non-empty");
  CheckSize(name, kLabelBytesMax, "name part ", faults);
  if (!IsQualified(name)) faults.push_back("name part " + std::string(kQualifiedFault));
  return faults;
}

std::vector<std::string> CheckLabelValue(std::string_view value) {
  std::vector<std::string> faults;
  CheckSize(value, kLabelBytesMax, "", faults);
  if (!value.empty() && !IsQualified(value)) faults.emplace_back(kLabelValueFault);
  return faults;
}

}  // namespace inferd::manifest
