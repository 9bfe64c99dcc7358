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

// A call that changes what the server does.
enum class ControlCall : uint8_t {
  kByName,       // loads or unloads a model that is there, as it is there
  kBrought,      // loads one with a configuration or files of the caller's
  kBroughtCode,  // the same of one that runs code
  kReload,       // TensorFlow Serving's, with the list of models
  kOther,        // logs, traces, clients' shared memory
};

// Who may make them in groups that no rule restricts. A page in a browser may make none. From kHere on, CheckFromHere()
// says who may make all of them, and others may make what is named.
enum class ControlFrom : uint8_t {
  kSocket,  // who reaches the Unix socket
  kHere,
  kMachine,  // whoever uses this machine: IsFromMachine()
  kNames,    // others: kByName
  kReload,   // others: kReload
  kModels,   // others: all but kBroughtCode
  kAnyone,   // everyone
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

  // Before it is shared. kAnyone before that.
  void SetControlFrom(ControlFrom from) { control_from_ = from; }
  ControlFrom control_from() const { return control_from_; }

  bool restricts(Group group) const { return !demand(group).header.empty() || demand(group).tokens != nullptr; }

  // OK, the refusal, or UNAUTHENTICATED for a bearer token that is missing or not known. Values are compared in
  // constant time, and never quoted. The first header of a name counts.
  base::Status Check(Group group, const net::RequestHead& head) const;

  // The same for a control call. Without a rule for the group, PERMISSION_DENIED for whom ControlFrom does not let in,
  // and for a request of a page in a browser: the author of a page would control the servers of all its readers.
  base::Status CheckControl(Group group, ControlCall call, const net::RequestHead& head) const;

  // Of a call that loads what it brings.
  struct Brought {
    base::Status status;        // CheckControl's
    bool may_run_code = false;  // and what it brings may run code
  };
  Brought CheckBrought(Group group, const net::RequestHead& head) const;

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
  ControlFrom control_from_ = ControlFrom::kAnyone;
};

}  // namespace inferd::access
