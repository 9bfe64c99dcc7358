#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"

// Kubernetes' MutatingWebhookConfiguration and ValidatingWebhookConfiguration, of which each webhook says where it is
// and which authorities are trusted there. Thread-safe.

namespace inferd::cluster {

// The names that an API server calls the webhooks by, which their certificate must have: of a service
// "NAME.NAMESPACE.svc", of a URL its host. Sorted, each once; what is neither is left out.
std::vector<std::string> CalledNames(const manifest::Value& configuration);

// The paths that it asks there. Sorted, each once.
std::vector<std::string> CalledPaths(const manifest::Value& configuration);

// Has each webhook trust these authorities (PEM). Whether that changed anything.
bool SetAuthorities(manifest::Value& configuration, std::string_view authorities);

}  // namespace inferd::cluster
