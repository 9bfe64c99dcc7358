#include "kserve/kubernetes/coordination/leader_election.h"

#include <algorithm>
#include <utility>

#include "base/text/utc_time.h"
#include "data/manifest/fields.h"

namespace inferd::kubernetes {

namespace {

using manifest::Value;

constexpr int64_t kLeaseSecondsMax = 3600;  // limit for another process's lease time

const std::string& HolderOf(const Value& lease) { return TextAt(lease, {"spec", "holderIdentity"}); }

int64_t LeaseNs(const Value& lease) {
  const auto seconds = manifest::ParseInt64(TextAt(lease, {"spec", "leaseDurationSeconds"}));
  return std::chrono::nanoseconds(std::chrono::seconds(std::clamp<int64_t>(seconds.value_or(0), 1, kLeaseSecondsMax)))
      .count();
}

// The text changes with every write, of any controller.
std::string StateOf(const Value& lease) { return UidOf(lease) + "/" + ResourceVersionOf(lease); }

}  // namespace

LeaderElection::LeaderElection(LeaseStore& store, LeaderElectionOptions options, const base::Clock& clock)
    : store_(store),
      options_(std::move(options)),
      deadline_ns_(
          std::chrono::nanoseconds(std::min<std::chrono::milliseconds>(
                                       options_.renew_deadline, std::chrono::milliseconds(options_.lease_time) * 2 / 3))
              .count()),
      clock_(clock) {}

bool LeaderElection::leads() const {
  const base::MutexLock lock(mutex_);
  return renewed_ns_.has_value() && clock_.NowNs() - *renewed_ns_ < deadline_ns_;
}

std::string LeaderElection::leader() const {
  const base::MutexLock lock(mutex_);
  return leader_;
}

std::string LeaderElection::trouble() const {
  const base::MutexLock lock(mutex_);
  return trouble_;
}

void LeaderElection::Observe(const Value& lease, int64_t now_ns) {
  std::string state = StateOf(lease);
  if (state != observed_) {
    observed_ = std::move(state);
    observed_ns_ = now_ns;
  }
  const base::MutexLock lock(mutex_);
  leader_ = HolderOf(lease);
  if (leader_ != options_.identity) renewed_ns_.reset();
}

bool LeaderElection::IsFree(const Value& lease, int64_t now_ns) const {
  const std::string& holder = HolderOf(lease);
  return holder.empty() || now_ns - observed_ns_ >= LeaseNs(lease);
}

Value LeaderElection::Wished(Value lease, Wish wish) const {
  const std::string now = base::UtcTimeText(clock_.WallNs());
  Value& spec = lease.MapAt("spec");
  if (wish == Wish::kTake) {
    const auto before = manifest::ParseInt64(TextAt(spec, {"leaseTransitions"}));
    spec.Set("leaseTransitions", Value::Int(before.has_value() && *before < INT32_MAX ? *before + 1 : 0));
    spec.Set("acquireTime", Value::String(now));
  }
  const bool released = wish == Wish::kRelease;
  spec.Set("holderIdentity", Value::String(released ? "" : options_.identity));
  spec.Set("leaseDurationSeconds", Value::Int(released ? 1 : options_.lease_time.count()));
  spec.Set("renewTime", Value::String(now));
  return lease;
}

ApiResult<bool> LeaderElection::Write(const Value& lease, Wish wish, int64_t begun_ns) {
  const Value wished = Wished(lease, wish);
  const auto written = ResourceVersionOf(lease).empty() ? store_.Create(wished) : store_.Update(wished);
  if (!written.has_value()) {
    // Another process wrote first. The next attempt reads its lease.
    if (written.error().is_conflict() || written.error().is_already_exists()) return leads();
    return std::unexpected(written.error());
  }
  Observe(*written, clock_.NowNs());
  const base::MutexLock lock(mutex_);
  renewed_ns_ = wish == Wish::kRelease ? std::nullopt : std::optional(begun_ns);
  return wish != Wish::kRelease;
}

ApiResult<bool> LeaderElection::Try() {
  auto tried = TryOnce();
  const base::MutexLock lock(mutex_);
  trouble_ = tried.has_value() ? "" : tried.error().ToString();
  return tried;
}

ApiResult<bool> LeaderElection::TryOnce() {
  const int64_t begun_ns = clock_.NowNs();
  auto lease = store_.Get();
  if (!lease.has_value()) {
    if (!lease.error().is_not_found()) return std::unexpected(lease.error());
    return Write(MakeObject(LeaseResource(), store_.name()), Wish::kTake, begun_ns);
  }
  const int64_t now_ns = clock_.NowNs();
  Observe(*lease, now_ns);
  // A lease of another process with the same identity cannot be distinguished, so identities must be unique.
  if (HolderOf(*lease) == options_.identity) return Write(*lease, Wish::kRenew, begun_ns);
  if (IsFree(*lease, now_ns)) return Write(*lease, Wish::kTake, begun_ns);
  return false;
}

ApiResult<void> LeaderElection::Release() {
  const int64_t begun_ns = clock_.NowNs();
  {
    const base::MutexLock lock(mutex_);
    if (!std::exchange(renewed_ns_, std::nullopt).has_value()) return {};
  }
  const auto lease = store_.Get();
  if (!lease.has_value()) return std::unexpected(lease.error());
  if (HolderOf(*lease) != options_.identity) return {};
  const auto written = Write(*lease, Wish::kRelease, begun_ns);
  if (!written.has_value()) return std::unexpected(written.error());
  return {};
}

void LeaderElection::Run(const std::stop_token& stop, const std::function<void(bool)>& on_change) {
  bool led = false;
  const auto tell = [&](bool now) {
    if (std::exchange(led, now) != now) on_change(now);
  };
  do {
    static_cast<void>(Try());
    tell(leads());
  } while (options_.wait(options_.pause, stop));
  tell(false);
  static_cast<void>(Release());
}

}  // namespace inferd::kubernetes
