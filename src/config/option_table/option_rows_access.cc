#include <algorithm>

#include "base/text/http_token.h"
#include "config/option_table/option_field.h"
#include "config/option_table/option_rows.h"

namespace inferd::config {
namespace {

constexpr std::string_view kAccess = "Access";
constexpr std::string_view kClientMemory = "Shared memory of clients";
constexpr size_t kShownBytes = 64;
constexpr std::string_view kGroups =
    "health|metadata|inference|shared-memory|model-config|model-repository|statistics|trace|logging|metrics";

constexpr std::string_view kControlFrom = "socket|here|machine|names|reload|models|anyone";
constexpr std::string_view kOwners = "own|any";

using S = ServerOptions;
using Memory = ClientMemoryOptions;

// Parses GROUP,GROUP... `kind` is Triton's word for a group.
base::Result<std::vector<EndpointGroup>> ParseGroups(std::string_view text, std::string_view kind) {
  std::vector<EndpointGroup> groups;
  for (;;) {
    const std::string_view name = text.substr(0, text.find(','));
    const auto parsed = ParseChoice<EndpointGroup>(kGroups, name);
    if (!parsed.has_value() && name.contains('=')) {
      return std::unexpected(base::InvalidArgument("expected groups before the ':', and found a '='"));
    }
    if (!parsed.has_value()) {
      return std::unexpected(parsed.error().WithContext("unknown restricted " + std::string(kind) + " '" +
                                                        std::string(name.substr(0, kShownBytes)) + "'"));
    }
    const EndpointGroup group = *parsed;
    if (std::ranges::find(groups, group) != groups.end()) {
      return std::unexpected(
          base::InvalidArgument(std::string(kind) + " '" + std::string(name) +
                                "' can not be specified in multiple config groups, nor twice in one"));
    }
    groups.push_back(group);
    if (name.size() == text.size()) return groups;
    text.remove_prefix(name.size() + 1);
  }
}

// Allows one header per group, since otherwise it would be ambiguous. `names` are those of `groups`. The rule and the
// text are Triton's.
base::Status CheckNew(const std::vector<HeaderRule>& rules, std::string_view names,
                      const std::vector<EndpointGroup>& groups, std::string_view kind) {
  for (const EndpointGroup group : groups) {
    const std::string_view name = names.substr(0, names.find(','));
    const auto restricts = [group](const HeaderRule& rule) {
      return std::ranges::find(rule.groups, group) != rule.groups.end();
    };
    if (std::ranges::any_of(rules, restricts)) {
      return base::InvalidArgument(std::string(kind) + " '" + std::string(name) +
                                   "' can not be specified in multiple config groups");
    }
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  return base::OkStatus();
}

// Checks a header's value (RFC 9110, 5.5). Blanks at its ends would be lost in transit.
bool IsHeaderValue(std::string_view text) {
  return !text.empty() && text.front() != ' ' && text.back() != ' ' &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

// Errors never quote the text, which has a secret.
template <std::vector<HeaderRule> AccessOptions::*Rules>
base::Status AddHeaderRule(ServerOptions& options, std::string_view text) {
  const size_t colon = text.find(':');
  const size_t equals = text.find('=', colon == std::string_view::npos ? text.size() : colon);
  if (equals == std::string_view::npos) return base::InvalidArgument("expected GROUP,...:HEADER=VALUE");
  const std::string_view kind = Rules == &AccessOptions::grpc_rules ? "protocol" : "api";
  HeaderRule rule;
  INFERD_ASSIGN_OR_RETURN(rule.groups, ParseGroups(text.substr(0, colon), kind));
  rule.header = text.substr(colon + 1, equals - colon - 1);
  rule.value = text.substr(equals + 1);
  if (!base::IsToken(rule.header)) return base::InvalidArgument("expected the name of a header between ':' and '='");
  if (!IsHeaderValue(rule.value)) return base::InvalidArgument("no header can have the value of '" + rule.header + "'");
  INFERD_RETURN_IF_ERROR(CheckNew(options.access.*Rules, text.substr(0, colon), rule.groups, kind));
  (options.access.*Rules).push_back(std::move(rule));
  return base::OkStatus();
}

base::Status AddTokenRule(ServerOptions& options, std::string_view text) {
  TokenRule rule;
  // For a path with a colon, write a folder before it: ./a:b.
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos && text.substr(0, colon).find('/') == std::string_view::npos) {
    INFERD_ASSIGN_OR_RETURN(rule.groups, ParseGroups(text.substr(0, colon), "api"));
    text.remove_prefix(colon + 1);
  }
  if (text.empty()) return base::InvalidArgument("expected [GROUP,...:]PATH");
  rule.file = text;
  options.access.token_rules.push_back(std::move(rule));
  return base::OkStatus();
}

}  // namespace

// Groups are separated by commas, so rules are separated by semicolons.
std::vector<Option> AccessRows() {
  return {
      {.group = kAccess,
       .name = "http-restricted-api",
       .value_name = "GROUP,...:HEADER=VALUE",
       .help = "HTTP requests to these groups of endpoints must have that header; groups: health, metadata, inference, "
               "shared-memory, model-config, model-repository, statistics, trace, logging, metrics",
       .repeated = true,
       .separator = ';',
       .set = AddHeaderRule<&AccessOptions::http_rules>,
       .print = PrintNothing},
      {.group = kAccess,
       .name = "grpc-restricted-protocol",
       .value_name = "GROUP,...:HEADER=VALUE",
       .help = "gRPC calls to these groups must have that metadata",
       .repeated = true,
       .separator = ';',
       .set = AddHeaderRule<&AccessOptions::grpc_rules>,
       .print = PrintNothing},
      {.group = kAccess,
       .name = "access-token-file",
       .value_name = "[GROUP,...:]FILE",
       .help = "requests to these groups, over HTTP and gRPC, must have a bearer token of this file, which has one a "
               "line; without groups: to all but health and metrics",
       .repeated = true,
       .separator = ';',
       .set = AddTokenRule,
       .print = PrintNothing},
      Choice<kControlFrom, &ServerOptions::access, &AccessOptions::control_from>(
          kAccess, "control-from",
          "who may load and unload models, set the log and register shared memory, where no rule of access restricts "
          "that: Unix sockets' clients; this server's user and root on this machine, too; all users of this machine; "
          "or those, and others load and unload by name, TensorFlow Serving's reload, all but models that are sent and "
          "run code, or all"),
  };
}

std::vector<Option> ClientMemoryRows() {
  return {
      Plain<&S::client_memory, &Memory::served>(
          kClientMemory, "client-shared-memory", "",
          "clients may register regions of shared memory for inputs and outputs (docs/shared-memory.md)"),
      Plain<&S::client_memory, &Memory::key_prefix>(kClientMemory, "client-shared-memory-prefix", "PREFIX",
                                                    "what the keys of their objects must begin with, as in /app-"),
      Choice<kOwners, &S::client_memory, &Memory::owner>(
          kClientMemory, "client-shared-memory-owner",
          "whose objects they may be: those of the server's own user, or any that it may open"),
      Plain<&S::client_memory, &Memory::regions_max>(kClientMemory, "client-shared-memory-regions-max", "N",
                                                     "regions at a time, at most 4096"),
      Plain<&S::client_memory, &Memory::region_bytes_max>(kClientMemory, "client-shared-memory-region-bytes-max",
                                                          "BYTES", "one region"),
      Plain<&S::client_memory, &Memory::bytes_max>(kClientMemory, "client-shared-memory-bytes-max", "BYTES",
                                                   "all regions together; 0: a quarter of memory"),
  };
}

}  // namespace inferd::config
