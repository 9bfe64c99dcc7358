#include "kserve/cluster/objects/cluster_features.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/manifest/value_path.h"

namespace inferd::cluster {

namespace {

using kubernetes::ObjectName;
using kubernetes::Resource;
using manifest::TextAt;
using manifest::Value;

constexpr const char* kGatewayName = "inferd-gateway";
constexpr const char* kAboutInitContainers = "ConfigMap knative-serving/config-features";

// Returns for example "serving.knative.dev/v1 Service".
std::string AboutApi(const Resource& resource) { return resource.api_version() + " " + resource.kind; }

std::string AboutGateway(const std::string& namespace_name) { return "Service " + namespace_name + "/" + kGatewayName; }

bool IsListOfKinds(const Value& api) {
  const Value* const kinds = api.Find("resources");
  return kinds != nullptr && kinds->is(manifest::Kind::kList);
}

// The API version may exist with other kinds only. Then the cluster lacks this kind.
bool ListsKind(const Value& api, const Resource& resource) {
  return std::ranges::any_of(api.Find("resources")->items(),
                             [&](const Value& kind) { return TextAt(kind, {"name"}) == resource.plural; });
}

}  // namespace

std::string GatewayHostOf(const std::string& namespace_name) {
  return std::string(kGatewayName) + "." + namespace_name + ".svc.cluster.local";
}

ClusterFeatures::ClusterFeatures(kubernetes::Client& client, const base::Clock& clock, std::string controller_namespace,
                                 FindEvidence evidence, base::Logger& logger)
    : client_(client),
      clock_(clock),
      controller_namespace_(std::move(controller_namespace)),
      evidence_(std::move(evidence)),
      logger_(logger) {}

bool ClusterFeatures::Look(const std::stop_token& stop) {
  Round round{.stop = stop};
  for (const WrittenResource& written : WrittenResources()) {
    if (written.optional) LookForApi(written.resource, round);
  }
  const auto is_there = [](const Value&) -> std::optional<bool> { return true; };
  LookForObject(PlainServices(), {controller_namespace_, kGatewayName}, nullptr, is_there, round);
  {
    const base::MutexLock lock(mutex_);
    if (KnownOf(AboutApi(KnativeServices())) != Known::kThere) return round.changed;
  }
  const auto is_enabled = [](const Value& features) -> std::optional<bool> {
    return TextAt(features, {"data", "kubernetes.podspec-init-containers"}) == "enabled";
  };
  LookForObject(ConfigMaps(), {"knative-serving", "config-features"}, &ConfigMaps(), is_enabled, round);
  return round.changed;
}

void ClusterFeatures::LookForApi(const Resource& resource, Round& round) {
  if (round.is_over) return;
  Answer answer = client_.GetDocument("/apis/" + resource.api_version(), round.stop);
  if (answer.has_value() && !IsListOfKinds(*answer)) {
    answer = std::unexpected(
        kubernetes::ErrorWithoutAnswer({base::StatusCode::kDataLoss, "the answer does not list the API's kinds"}));
  }
  const bool is_own_404 = !answer.has_value() && answer.error().says_not_served();
  const auto lists_kind = [&](const Value& api) -> std::optional<bool> {
    return ListsKind(api, resource) ? std::optional(true) : std::nullopt;
  };
  Note(AboutApi(resource), &resource, answer, is_own_404, lists_kind, round);
}

void ClusterFeatures::LookForObject(const Resource& resource, const ObjectName& name, const Resource* evidence,
                                    const Read& read, Round& round) {
  if (round.is_over) return;
  const Answer answer = client_.Get(resource, name, round.stop);
  Note(resource.kind + " " + name.namespace_name + "/" + name.name, evidence, answer,
       !answer.has_value() && answer.error().says_absent(name.name), read, round);
}

void ClusterFeatures::Note(const std::string& about, const Resource* evidence, const Answer& answer, bool is_own_404,
                           const Read& read, Round& round) {
  // An answer that cannot be parsed still proves that the server is reachable.
  const bool is_away =
      !answer.has_value() && answer.error().code == 0 && answer.error().status != base::StatusCode::kDataLoss;
  round.is_over = round.stop.stop_requested() || is_away;
  if (round.stop.stop_requested()) return;
  const std::optional<bool> there = answer.has_value() ? read(*answer) : std::nullopt;
  const bool is_missing = is_own_404 || (answer.has_value() && !there.has_value());
  // Called without the lock, because it asks other objects.
  const Evidence found = is_missing ? evidence_(evidence) : Evidence::kNone;
  const base::MutexLock lock(mutex_);
  Lookup& lookup = lookups_[about];
  const bool was_clear = lookup.doubt().empty();
  if (is_missing) {
    round.changed |= lookup.NotFound(clock_.NowNs(), found);
  } else if (!answer.has_value()) {
    round.changed |= lookup.Failed("it cannot be looked up: " + answer.error().ToString());
  } else {
    round.changed |= *there ? lookup.Found() : lookup.SwitchedOff();
  }
  if (was_clear && !lookup.doubt().empty()) {
    logger_.Warning("a lookup in the cluster is in doubt", {{"about", about}, {"why", lookup.doubt()}});
  } else if (!was_clear && lookup.doubt().empty()) {
    logger_.Info("a lookup in the cluster is clear again",
                 {{"about", about}, {"known", lookup.known() == Known::kThere ? "there" : "absent"}});
  }
}

ClusterFeatures::Known ClusterFeatures::KnownOf(const std::string& about) const {
  const auto found = lookups_.find(about);
  return found == lookups_.end() ? Known::kNothing : found->second.known();
}

bool ClusterFeatures::HasKnative() const {
  // Pod templates depend on whether Knative accepts init containers, so both must be known.
  return KnownOf(AboutApi(KnativeServices())) == Known::kThere && KnownOf(kAboutInitContainers) != Known::kNothing;
}

bool ClusterFeatures::known() const {
  const base::MutexLock lock(mutex_);
  if (KnownOf(AboutGateway(controller_namespace_)) == Known::kNothing) return false;
  if (KnownOf(AboutApi(KnativeServices())) == Known::kThere && !HasKnative()) return false;
  return std::ranges::none_of(WrittenResources(), [&](const WrittenResource& written) REQUIRES(mutex_) {
    return written.optional && KnownOf(AboutApi(written.resource)) == Known::kNothing;
  });
}

bool ClusterFeatures::Has(const Resource& resource) const {
  const base::MutexLock lock(mutex_);
  if (resource == KnativeServices()) return HasKnative();
  return !IsOptional(resource) || KnownOf(AboutApi(resource)) == Known::kThere;
}

std::string ClusterFeatures::gateway_host() const {
  const base::MutexLock lock(mutex_);
  if (KnownOf(AboutGateway(controller_namespace_)) != Known::kThere) return {};
  return GatewayHostOf(controller_namespace_);
}

bool ClusterFeatures::revisions_take_init_containers() const {
  const base::MutexLock lock(mutex_);
  return KnownOf(kAboutInitContainers) == Known::kThere;
}

std::string ClusterFeatures::Summary() const {
  std::string summary;
  const base::MutexLock lock(mutex_);
  for (const auto& [about, lookup] : lookups_) {
    if (lookup.known() == Known::kThere) summary += about + "\n";
  }
  return summary;
}

std::vector<Doubt> ClusterFeatures::doubts() const {
  std::vector<Doubt> doubts;
  const base::MutexLock lock(mutex_);
  for (const auto& [about, lookup] : lookups_) {
    if (!lookup.doubt().empty()) doubts.push_back({.about = about, .text = lookup.doubt()});
  }
  return doubts;
}

}  // namespace inferd::cluster
