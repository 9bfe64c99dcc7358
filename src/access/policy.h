#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "access/group.h"
#include "access/token_file.h"
#include "base/status.h"
#include "net/http/http.h"
#include "net/secret.h"

namespace inferd::access {

// Requests to these groups must have that header with that value.
struct HeaderRule {
  std::vector<Group> groups;
  std::string header;  // gRPC: the name of ASCII metadata
  std::string value;
};

// Requests to these groups must have a bearer token of that file (RFC 6750, 2.1).
struct TokenRule {
  std::vector<Group> groups;
  std::shared_ptr<const TokenFile> tokens;
};

// How a missing or wrong header is answered: `text` and the header's name in quotes. Defaults: HTTP 403 in Triton's
// words.
struct HeaderRefusal {
  base::StatusCode code = base::StatusCode::kPermissionDenied;
  std::string text = "This API is restricted, expecting header ";
};

// Which clients may call which group of endpoints over one transport, on all of its listeners. Immutable and
// thread-safe; tokens may be read anew meanwhile. A group with a header rule and a token rule demands both.
class Policy final {
 public:
  // Every group is open.
  Policy() = default;

  // INVALID_ARGUMENT if a group is in two header rules, or in two token rules.
  static base::Result<Policy> Create(std::vector<HeaderRule> header_rules, std::vector<TokenRule> token_rules,
                                     HeaderRefusal refusal = {});

  // From now on control calls of groups without a rule are taken from this machine only. Before it is shared.
  void ControlFromHere() { control_from_here_ = true; }
  bool controls_from_here() const { return control_from_here_; }

  bool restricts(Group group) const { return !demand(group).header.empty() || demand(group).tokens != nullptr; }

  // OK, the refusal, or UNAUTHENTICATED for a bearer token that is missing or not known. Values are compared in
  // constant time, and never quoted. The first header of a name counts.
  base::Status Check(Group group, const net::RequestHead& head) const;

  // The same for a call that changes what the server does: loads or unloads a model, sets how it logs or traces.
  base::Status CheckControl(Group group, const net::RequestHead& head) const;

  // Whether CheckControl may refuse.
  bool restricts_control(Group group) const { return control_from_here_ || restricts(group); }

 private:
  struct Demand {
    std::string header;  // empty: none
    std::optional<net::SecretDigest> value;
    std::shared_ptr<const TokenFile> tokens;  // nullptr: none
  };

  const Demand& demand(Group group) const { return demands_[static_cast<size_t>(group)]; }
  Demand& demand(Group group) { return demands_[static_cast<size_t>(group)]; }

  std::array<Demand, kGroupCount> demands_;
  HeaderRefusal refusal_;
  bool control_from_here_ = false;
};

}  // namespace inferd::access
