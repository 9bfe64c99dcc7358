#include "protocols/access/policy.h"

#include <strings.h>

#include <utility>

#include "protocols/access/from_here.h"

namespace inferd::access {

namespace {

constexpr std::string_view kFromNoPage =
    "control calls are not taken from pages in browsers; a rule of access for them lets those in that have its header "
    "or token";

bool LetsOthers(ControlFrom from, ControlCall call) {
  switch (from) {
    case ControlFrom::kSocket:
    case ControlFrom::kHere:
    case ControlFrom::kMachine: return false;
    case ControlFrom::kNames: return call == ControlCall::kByName;
    case ControlFrom::kReload: return call == ControlCall::kReload;
    case ControlFrom::kModels: return call != ControlCall::kBroughtCode;
    case ControlFrom::kAnyone: return true;
  }
  return false;
}

base::Status CheckOrigin(ControlFrom from, const net::RequestHead& head) {
  const auto refuse_if = [](bool refused, const char* why) {
    return refused ? base::PermissionDenied(why) : base::OkStatus();
  };
  switch (from) {
    case ControlFrom::kSocket: return refuse_if(!IsFromSocket(head), "not over the server's Unix socket");
    case ControlFrom::kMachine: return refuse_if(!IsFromMachine(head), "from another machine, or passed on");
    default: return CheckFromHere(head);
  }
}

// Returns the refusal: who may call, how to allow others, and why this request may not.
base::Status Refusal(ControlFrom from, ControlCall call, const base::Status& why) {
  std::string text = call == ControlCall::kBrought
                         ? "models that are loaded with a configuration or files of the call's are taken from "
                         : "control calls are taken from ";
  switch (from) {
    case ControlFrom::kSocket: text += "the server's Unix socket"; break;
    case ControlFrom::kMachine: text += "this machine"; break;
    default: text += "this server's user and root on this machine"; break;
  }
  text += " only; --control-from, or a rule of access for them, lets others in. This one came ";
  return base::PermissionDenied(text + why.message());
}

// Returns the token after the scheme, which is compared ignoring case (RFC 9110, 11.4). Empty for another scheme.
std::string_view BearerToken(std::string_view credentials) {
  constexpr std::string_view kScheme = "bearer ";
  if (credentials.size() < kScheme.size() || strncasecmp(credentials.data(), kScheme.data(), kScheme.size()) != 0) {
    return {};
  }
  credentials.remove_prefix(kScheme.size());
  const size_t begin = credentials.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : credentials.substr(begin);
}

}  // namespace

base::Result<Policy> Policy::Create(std::vector<HeaderRule> header_rules, std::vector<TokenRule> token_rules,
                                    HeaderRefusal refusal) {
  Policy policy;
  policy.refusal_ = std::move(refusal);
  for (const HeaderRule& rule : header_rules) {
    for (const Group group : rule.groups) {
      Demand& demand = policy.demand(group);
      if (!demand.header.empty()) {
        return std::unexpected(base::InvalidArgument("one group of endpoints is restricted by two headers: '" +
                                                     demand.header + "' and '" + rule.header + "'"));
      }
      demand.header = rule.header;
      demand.value.emplace(rule.value);
    }
  }
  for (const TokenRule& rule : token_rules) {
    for (const Group group : rule.groups) {
      Demand& demand = policy.demand(group);
      if (demand.tokens != nullptr) {
        return std::unexpected(base::InvalidArgument("one group of endpoints is restricted by two files of tokens: '" +
                                                     demand.tokens->path() + "' and '" + rule.tokens->path() + "'"));
      }
      demand.tokens = rule.tokens;
    }
  }
  return policy;
}

base::Status Policy::CheckControl(Group group, ControlCall call, const net::RequestHead& head) const {
  INFERD_RETURN_IF_ERROR(Check(group, head));
  if (restricts(group)) return base::OkStatus();
  if (LetsOthers(control_from_, call)) {
    return IsFromPage(head) ? base::PermissionDenied(std::string(kFromNoPage)) : base::OkStatus();
  }
  const base::Status origin = CheckOrigin(control_from_, head);
  return origin.ok() ? origin : Refusal(control_from_, call, origin);
}

// A client that may bring code may bring everything else: the kernel is asked once.
Policy::Brought Policy::CheckBrought(Group group, const net::RequestHead& head) const {
  if (CheckControl(group, ControlCall::kBroughtCode, head).ok()) return {.status = {}, .may_run_code = true};
  return {.status = CheckControl(group, ControlCall::kBrought, head)};
}

base::Status Policy::Check(Group group, const net::RequestHead& head) const {
  const Demand& demand = this->demand(group);
  if (!demand.header.empty()) {
    const auto value = head.Find(demand.header);
    if (!value.has_value() || !demand.value->Matches(net::SecretDigest(*value))) {
      return base::Status(refusal_.code, refusal_.text + "'" + demand.header + "'");
    }
  }
  if (demand.tokens != nullptr) {
    const std::string_view token = BearerToken(head.Find("authorization").value_or(""));
    if (token.empty()) return base::Status(base::StatusCode::kUnauthenticated, "a bearer token is required");
    if (!demand.tokens->Has(token)) {
      return base::Status(base::StatusCode::kUnauthenticated, "the bearer token is not known");
    }
  }
  return base::OkStatus();
}

}  // namespace inferd::access
