#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "kserve/kubernetes/access/cluster_access.h"

namespace inferd::kubernetes {

// The output of a credential plug-in. Secret.
struct ExecCredential {
  std::string token{};
  std::string certificate{};            // PEM
  std::string private_key{};            // PEM
  std::optional<int64_t> expires_ns{};  // since the Unix epoch; if nullopt, valid until the server refuses it
};

// Parses the output: an ExecCredential of that API version. INVALID_ARGUMENT if it is invalid; the message contains
// nothing of the text. Thread-safe.
base::Result<ExecCredential> ParseExecCredential(std::string_view text, std::string_view api_version);

// Runs the plug-in and parses its output, which may have 1 MiB. Blocks for at most `time_limit`, then kills the
// plug-in. FAILED_PRECONDITION if there is no such program; the message has the installation hint. UNAVAILABLE if it
// failed. Thread-safe.
base::Result<ExecCredential> RunExecPlugin(const ClusterAccess& access, std::chrono::seconds time_limit);

}  // namespace inferd::kubernetes
