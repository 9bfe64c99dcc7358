#pragma once

#include <string>
#include <string_view>
#include <vector>

// Checks of names of Kubernetes' objects, labels and annotations (Kubernetes: apimachinery, validation). Each function
// returns the mistakes in Kubernetes' words; empty if there are none. Thread-safe.

namespace inferd::manifest {

// Checks the name of most objects: a DNS subdomain (RFC 1123) of at most 253 characters.
std::vector<std::string> CheckSubdomain(std::string_view name);
// Checks the name of a namespace or a container: a DNS label (RFC 1123) of at most 63 characters.
std::vector<std::string> CheckLabel(std::string_view name);
// Checks a Service's name: a DNS label (RFC 1035) of at most 63 characters, which begins with a letter.
std::vector<std::string> CheckServiceName(std::string_view name);
// Checks the key of a label or an annotation: "name" or "prefix.example/name".
std::vector<std::string> CheckQualifiedName(std::string_view key);
// Checks a label's value.
std::vector<std::string> CheckLabelValue(std::string_view value);

}  // namespace inferd::manifest
