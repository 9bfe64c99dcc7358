#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "net/http/http.h"
#include "net/secret.h"
#include "protocols/access/group.h"
#include "protocols/access/token_file.h"

namespace inferd::access {

// Requires a header with a value for requests to these groups.
struct HeaderRule {
  std::vector<Group> groups;
  std::string header;  // for gRPC: the name of ASCII metadata
  std::string value;
};

// Requires a bearer token from a file for requests to these groups (RFC 6750, 2.1).
struct TokenRule {
  std::vector<Group> groups;
  std::shared_ptr<const TokenFile> tokens;
};

// The answer to a missing or wrong header: `text`, followed by the header's name in quotes. Defaults: HTTP 403 in
// Triton's words.
struct HeaderRefusal {
  base::StatusCode code = base::StatusCode::kPermissionDenied;
  std::string text = "This API is restricted, expecting header ";
};

// A kind of call that changes the server's state.
enum class ControlCall : uint8_t {
  kByName,       // loads or unloads an existing model, unchanged
  kBrought,      // loads a model with a configuration or files from the caller
  kBroughtCode,  // likewise, for a model that runs code
  kReload,       // TensorFlow Serving's reload, with the list of models
  kOther,        // logs, traces, clients' shared memory
};

// The origins from which control calls are accepted, in groups without a rule. Pages in a browser may make none. From
// kHere on, the origins that pass CheckFromHere() may make all calls, and others may make the named ones.
enum class ControlFrom : uint8_t {
  kSocket,  // clients of the Unix socket
  kHere,
  kMachine,  // programs on this machine: IsFromMachine()
  kNames,    // others: kByName
  kReload,   // others: kReload
  kModels,   // others: all but kBroughtCode
  kAnyone,   // everyone
};

// The access rules of one transport, for all of its listeners: which clients may call which group of endpoints.
// Immutable and thread-safe, although tokens may be reloaded meanwhile. A group with a header rule and a token rule
// requires both.
class Policy final {
 public:
  // Makes a policy without restrictions.
  Policy() = default;

  // INVALID_ARGUMENT if a group is in two header rules, or in two token rules.
  static base::Result<Policy> Create(std::vector<HeaderRule> header_rules, std::vector<TokenRule> token_rules,
                                     HeaderRefusal refusal = {});

  // Must be called before the policy is shared. The default is kAnyone.
  void SetControlFrom(ControlFrom from) { control_from_ = from; }
  ControlFrom control_from() const { return control_from_; }

  bool restricts(Group group) const { return !demand(group).header.empty() || demand(group).tokens != nullptr; }

  // Returns OK, the refusal, or UNAUTHENTICATED for a missing or unknown bearer token. Values are compared in constant
  // time and never quoted. The first header of a name counts.
  base::Status Check(Group group, const net::RequestHead& head) const;

  // Does the same for a control call. In a group without a rule, returns PERMISSION_DENIED for origins that ControlFrom
  // excludes, and for requests of a page in a browser: otherwise a page's author could control the servers of all its
  // readers.
  base::Status CheckControl(Group group, ControlCall call, const net::RequestHead& head) const;

  // The result for a call that loads a model which it contains.
  struct Brought {
    base::Status status;        // CheckControl's
    bool may_run_code = false;  // the loaded model may run code
  };
  Brought CheckBrought(Group group, const net::RequestHead& head) const;

 private:
  struct Demand {
    std::string header;  // empty if none
    std::optional<net::SecretDigest> value;
    std::shared_ptr<const TokenFile> tokens;  // nullptr if none
  };

  const Demand& demand(Group group) const { return demands_[static_cast<size_t>(group)]; }
  Demand& demand(Group group) { return demands_[static_cast<size_t>(group)]; }

  std::array<Demand, kGroupCount> demands_;
  HeaderRefusal refusal_;
  ControlFrom control_from_ = ControlFrom::kAnyone;
};

}  // namespace inferd::access
