#pragma once

#include <string>
#include <string_view>
#include <vector>

// What names of Kubernetes' objects, labels and annotations may be (Kubernetes: apimachinery, validation). Each
// function returns what is wrong, in Kubernetes' words; empty: nothing is. Thread-safe.

namespace inferd::manifest {

// A name of most objects: a DNS subdomain (RFC 1123) of at most 253 characters.
std::vector<std::string> CheckSubdomain(std::string_view name);
// A namespace's name, or a container's: a DNS label (RFC 1123) of at most 63.
std::vector<std::string> CheckLabel(std::string_view name);
// A Service's name: a DNS label (RFC 1035) of at most 63, which begins with a letter.
std::vector<std::string> CheckServiceName(std::string_view name);
// A label's or an annotation's key: "name" or "prefix.example/name".
std::vector<std::string> CheckQualifiedName(std::string_view key);
// A label's value.
std::vector<std::string> CheckLabelValue(std::string_view value);

}  // namespace inferd::manifest
