#include "kserve/cluster/guard/change_guard.h"

#include <utility>
#include <vector>

#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::cluster {

namespace {

constexpr const char* kHeld = "inferd_controller_held";
constexpr const char* kHeldHelp = "Objects whose change is destructive and waits, by its cause";
constexpr int64_t kMsPerSecond = 1'000;

std::string DigestOfWanted(const ObjectSet& set) {
  return DocumentDigest(manifest::Value::List(std::vector<manifest::Value>(set.wanted.begin(), set.wanted.end())));
}

}  // namespace

bool EndsMove(const IntendedChange& change, const Destruction& destruction) {
  return change.is_move && destruction.rolled.empty();
}

ChangeGuard::ChangeGuard(Options options, kubernetes::Client& client, const base::Clock& clock,
                         metrics::Registry& metrics, base::Logger& logger)
    : options_(std::move(options)), client_(client), metrics_(metrics), logger_(logger), pace_(options_.limits, clock) {
  for (const std::string_view kind : kCauseKinds) {
    metrics_.AddCallback(metrics::Registry::CallbackKind::kGauge, kHeld, kHeldHelp, LabelsOf(kind),
                         [this, kind] { return Waiting(kind); });
  }
}

ChangeGuard::~ChangeGuard() {
  for (const std::string_view kind : kCauseKinds) metrics_.RemoveSeries(kHeld, LabelsOf(kind));
}

metrics::Labels ChangeGuard::LabelsOf(std::string_view cause_kind) const {
  return {{"kind", options_.kind}, {"cause", std::string(cause_kind)}};
}

double ChangeGuard::Waiting(std::string_view cause_kind) const {
  size_t count = 0;
  for (const auto& [cause, waiting] : pace_.Waiting()) {
    if (cause.substr(0, cause.find(' ')) == cause_kind) count += waiting;
  }
  return static_cast<double>(count);
}

kubernetes::ApiResult<std::optional<HeldChange>> ChangeGuard::Check(const IntendedChange& change,
                                                                    const std::stop_token& stop) {
  const auto destruction = FindDestruction(change.set, change.revised, client_, stop);
  if (!destruction.has_value()) return std::unexpected(destruction.error());
  if (!destruction->empty()) return Decide(change, *destruction);
  pace_.Forget(kubernetes::NameOf(change.set.owner));
  return std::nullopt;
}

std::optional<HeldChange> ChangeGuard::Decide(const IntendedChange& change, const Destruction& destruction) {
  const kubernetes::ObjectName owner = kubernetes::NameOf(change.set.owner);
  ChangeCause cause = memory_.CauseOf(change.set.owner, change.inputs, destruction.before);
  // A controller that starts during a move does not know that the user has asked for it.
  cause.is_users |= EndsMove(change, destruction);
  const Pace::Change asked = {.cause = cause.object.empty() ? cause.kind : cause.kind + " " + cause.object,
                              .owner = owner,
                              .wanted = DigestOfWanted(change.set)};
  if (cause.is_users) {
    pace_.Admit(asked);
    return std::nullopt;
  }
  const std::string what = destruction.ToString();
  const Pace::Answer answer = pace_.Ask(asked, options_.count_owners());
  if (answer.is_admitted) {
    if (answer.waited) {
      logger_.Info("a held change goes on", {{"kind", options_.kind},
                                             {"namespace", owner.namespace_name},
                                             {"name", owner.name},
                                             {"change", what},
                                             {"cause", cause.about}});
    }
    return std::nullopt;
  }
  if (!answer.waited) {
    logger_.Warning("a change is held", {{"kind", options_.kind},
                                         {"namespace", owner.namespace_name},
                                         {"name", owner.name},
                                         {"change", what},
                                         {"cause", cause.about},
                                         {"for_s", answer.wait.count() / kMsPerSecond}});
  }
  const PaceLimits& limits = pace_.limits();
  return HeldChange{
      .again_in = answer.wait,
      .notice = {.status = "False",
                 .reason = "ChangeHeld",
                 .message = "a change waits for its turn: it " + what + ", because " + cause.about +
                            ". For one cause, " + std::to_string(limits.at_once) + " or, if that is more, " +
                            std::to_string(limits.percent) + " % are changed so in the first minute, then " +
                            std::to_string(limits.per_minute) + " a minute"}};
}

void ChangeGuard::NoteApplied(const kubernetes::ObjectName& owner, DecisionInputs inputs) {
  memory_.NoteApplied(owner, std::move(inputs));
}

void ChangeGuard::Forget(const kubernetes::ObjectName& owner) {
  pace_.Forget(owner);
  memory_.Forget(owner);
}

void ChangeGuard::Restart() {
  pace_.Clear();
  memory_.Clear();
}

}  // namespace inferd::cluster
