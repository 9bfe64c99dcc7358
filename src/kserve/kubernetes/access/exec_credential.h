#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kserve/kubernetes/access/cluster_access.h"

namespace inferd::kubernetes {

// What a plug-in says. Secrets.
struct ExecCredential {
  std::string token{};
  std::string certificate{};            // PEM
  std::string private_key{};            // PEM
  std::optional<int64_t> expires_ns{};  // since the Unix epoch; none: when the server refuses it
};

// Reads what it has printed: an ExecCredential of that API version. INVALID_ARGUMENT, without anything of the text.
// Thread-safe.
base::Result<ExecCredential> ParseExecCredential(std::string_view text, std::string_view api_version);

// Runs it. Blocks for at most `time_limit`, after which it is killed; it prints 1 MiB at most. FAILED_PRECONDITION:
// there is no such program, with the hint how it is installed; UNAVAILABLE: it failed. Thread-safe.
base::Result<ExecCredential> RunExecPlugin(const ClusterAccess& access, std::chrono::seconds time_limit);

}  // namespace inferd::kubernetes
