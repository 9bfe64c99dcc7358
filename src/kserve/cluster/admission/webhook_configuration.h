#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"

// Functions on Kubernetes' MutatingWebhookConfiguration and ValidatingWebhookConfiguration. Each webhook in them has an
// address and the authorities that are trusted there. Thread-safe.

namespace inferd::cluster {

// Returns the host names by which an API server calls the webhooks; their certificate must have them. For a service it
// is "NAME.NAMESPACE.svc", for a URL its host. Sorted and unique. Webhooks with neither are ignored.
std::vector<std::string> CalledNames(const manifest::Value& configuration);

// Returns the paths of the webhooks, sorted and unique.
std::vector<std::string> CalledPaths(const manifest::Value& configuration);

// Makes each webhook trust these authorities (PEM). Returns true if that changed anything.
bool SetAuthorities(manifest::Value& configuration, std::string_view authorities);

}  // namespace inferd::cluster
