#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ctl/doctor/finding.h"

namespace inferd::ctl {

// Returns a variable of the environment; empty if it is not set.
using VariableLookup = std::function<std::string(const char* name)>;

// Judges the variables of proxies (http_proxy, https_proxy, all_proxy, no_proxy, and the same in capital letters).
// inferctl ignores them, but curl and most clients send requests to the proxy, which does not know what "localhost" is.
// `host` is the server's, and `tls` says whether its URL begins with https. The result has no password of a proxy.
Finding JudgeProxy(const std::string& host, bool tls, const VariableLookup& variable);

// Returns true if a list like no_proxy has the host: "*", a name, ".domain", an address, or a network ("10.0.0.0/8").
bool IsExempt(std::string_view no_proxy, std::string_view host);

}  // namespace inferd::ctl
