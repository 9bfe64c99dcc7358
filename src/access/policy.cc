#include "access/policy.h"

#include <strings.h>

#include <utility>

#include "access/from_here.h"

namespace inferd::access {

namespace {

constexpr std::string_view kFromHereOnly =
    "control calls are taken from this machine only; --control-from anyone, or a rule of access for them, lets others "
    "in";

// RFC 9110, 11.4: the scheme without regard to case, blanks, the token. Empty: it is not of this scheme.
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

base::Status Policy::CheckControl(Group group, const net::RequestHead& head) const {
  INFERD_RETURN_IF_ERROR(Check(group, head));
  if (!control_from_here_ || restricts(group) || IsFromHere(head)) return base::OkStatus();
  return base::PermissionDenied(std::string(kFromHereOnly));
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
