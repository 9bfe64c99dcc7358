#include "server/access_policies.h"

#include <utility>

#include "config/personality.h"

namespace inferd::server {

namespace {

access::Group GroupOf(config::EndpointGroup group) {
  switch (group) {
    case config::EndpointGroup::kHealth: return access::Group::kHealth;
    case config::EndpointGroup::kMetadata: return access::Group::kMetadata;
    case config::EndpointGroup::kInference: return access::Group::kInference;
    case config::EndpointGroup::kSharedMemory: return access::Group::kSharedMemory;
    case config::EndpointGroup::kModelConfig: return access::Group::kModelConfig;
    case config::EndpointGroup::kModelRepository: return access::Group::kModelRepository;
    case config::EndpointGroup::kStatistics: return access::Group::kStatistics;
    case config::EndpointGroup::kTrace: return access::Group::kTrace;
    case config::EndpointGroup::kLogging: return access::Group::kLogging;
    case config::EndpointGroup::kMetrics: return access::Group::kMetrics;
  }
  std::unreachable();
}

std::vector<access::Group> GroupsOf(const std::vector<config::EndpointGroup>& named) {
  std::vector<access::Group> groups;
  for (const config::EndpointGroup group : named) groups.push_back(GroupOf(group));
  return groups;
}

// Probes and scrapers usually have no token.
std::vector<access::Group> AllButHealthAndMetrics() {
  std::vector<access::Group> groups;
  for (size_t i = 0; i < access::kGroupCount; ++i) {
    const auto group = static_cast<access::Group>(i);
    if (group != access::Group::kHealth && group != access::Group::kMetrics) groups.push_back(group);
  }
  return groups;
}

std::vector<access::HeaderRule> HeaderRules(const std::vector<config::HeaderRule>& named, std::string_view prefix) {
  std::vector<access::HeaderRule> rules;
  for (const config::HeaderRule& rule : named) {
    rules.push_back(
        {.groups = GroupsOf(rule.groups), .header = std::string(prefix) + rule.header, .value = rule.value});
  }
  return rules;
}

access::ControlFrom ControlFromOf(config::ControlFrom from) {
  switch (from) {
    case config::ControlFrom::kSocket: return access::ControlFrom::kSocket;
    case config::ControlFrom::kHere: return access::ControlFrom::kHere;
    case config::ControlFrom::kMachine: return access::ControlFrom::kMachine;
    case config::ControlFrom::kNames: return access::ControlFrom::kNames;
    case config::ControlFrom::kReload: return access::ControlFrom::kReload;
    case config::ControlFrom::kModels: return access::ControlFrom::kModels;
    case config::ControlFrom::kAnyone: return access::ControlFrom::kAnyone;
  }
  return access::ControlFrom::kHere;
}

base::Result<std::unique_ptr<const access::Policy>> MakePolicy(std::vector<access::HeaderRule> header_rules,
                                                               std::vector<access::TokenRule> token_rules,
                                                               access::HeaderRefusal refusal,
                                                               config::ControlFrom control) {
  INFERD_ASSIGN_OR_RETURN(access::Policy policy,
                          access::Policy::Create(std::move(header_rules), std::move(token_rules), std::move(refusal)));
  policy.SetControlFrom(ControlFromOf(control));
  return std::make_unique<const access::Policy>(std::move(policy));
}

}  // namespace

base::Result<AccessPolicies> AccessPolicies::Open(const config::ServerOptions& options) {
  AccessPolicies policies;
  std::vector<access::TokenRule> token_rules;
  for (const config::TokenRule& rule : options.access.token_rules) {
    auto file = access::TokenFile::Open(rule.file);
    if (!file.has_value()) return std::unexpected(file.error().WithContext("--access-token-file"));
    policies.token_files_.push_back(*std::move(file));
    token_rules.push_back({.groups = rule.groups.empty() ? AllButHealthAndMetrics() : GroupsOf(rule.groups),
                           .tokens = policies.token_files_.back()});
  }
  INFERD_ASSIGN_OR_RETURN(policies.http_, MakePolicy(HeaderRules(options.access.http_rules, ""), token_rules, {},
                                                     options.access.control_from));
  const config::GrpcRestriction& restriction = options.personality->grpc_restriction;
  INFERD_ASSIGN_OR_RETURN(
      policies.grpc_,
      MakePolicy(HeaderRules(options.access.grpc_rules, restriction.header_prefix), token_rules,
                 {.code = restriction.code, .text = std::string(restriction.text)}, options.access.control_from));
  return policies;
}

void AccessPolicies::LogWhoControls(base::Logger& logger) const {
  switch (http_->control_from()) {
    case access::ControlFrom::kSocket:
      return logger.Info("control calls are taken over Unix sockets only, or as rules of access say (--control-from)");
    case access::ControlFrom::kHere:
      return logger.Info(
          "control calls are taken from this server's user and root on this machine only, or as rules of access say "
          "(--control-from)");
    case access::ControlFrom::kMachine:
      return logger.Info("control calls are taken from this machine only, or as rules of access say (--control-from)");
    case access::ControlFrom::kNames:
      return logger.Info(
          "any client may load and unload models by their names; other control calls are taken from this server's user "
          "and root on this machine only, or as rules of access say (--control-from)");
    case access::ControlFrom::kReload:
      return logger.Info(
          "any client may call HandleReloadConfigRequest; other control calls are taken from this server's user and "
          "root on this machine only, or as rules of access say (--control-from)");
    case access::ControlFrom::kModels:
    case access::ControlFrom::kAnyone: break;
  }
  const auto open = [](const access::Policy& policy) { return !policy.restricts(access::Group::kModelRepository); };
  if (open(*http_) || open(*grpc_)) {
    logger.Warning(
        "any client that reaches the ports may load and unload models; --control-from=here, or a rule of access, "
        "changes "
        "that");
  }
}

std::string AccessPolicies::Gap() const {
  int open = 0;
  for (size_t i = 0; i < access::kGroupCount; ++i) {
    const auto group = static_cast<access::Group>(i);
    // gRPC has no metrics page.
    if (group != access::Group::kMetrics && http_->restricts(group) && !grpc_->restricts(group)) ++open;
  }
  if (open == 0) return {};
  return std::to_string(open) +
         " group(s) of endpoints are restricted over HTTP and open over gRPC, which answers on HTTP's port too: "
         "restrict "
         "them over gRPC as well, or with --access-token-file, which holds over both";
}

base::Status AccessPolicies::Reload() {
  base::Status first;
  for (const auto& file : token_files_) {
    base::Status status = file->Reload();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

}  // namespace inferd::server
