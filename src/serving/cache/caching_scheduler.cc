#include "serving/cache/caching_scheduler.h"

#include <algorithm>
#include <new>
#include <utility>

#include "serving/core/admission.h"
#include "serving/core/model_version.h"
#include "serving/core/request/request_timeout.h"
#include "serving/scheduling/metrics/latency_summaries.h"
#include "serving/scheduling/queue/waiting_requests.h"

namespace inferd::cache {

namespace {

bool HasReadableInputs(const core::InferRequest& request) {
  return std::ranges::all_of(request.inputs, [](const auto& input) { return input.data.place().readable(); });
}

// Returns true if the request was cancelled or timed out, which says nothing about equal requests.
bool IsOwnFailure(base::StatusCode code) {
  return code == base::StatusCode::kCancelled || code == base::StatusCode::kDeadlineExceeded;
}

std::shared_ptr<const StoredKey> Store(const RequestKey& key) {
  try {
    return std::make_shared<const StoredKey>(key);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Makes the execution use the key's copy of the inputs, as a client may change the memory that it shares. Outputs are
// copied to such memory after the response has been stored (QueuedRequest::PlaceOutputs).
void TakeInputsOf(const StoredKey& key, core::QueuedRequest& queued) {
  auto& inputs = queued.request->inputs;
  boost::container::small_vector<size_t, 4> order;
  for (size_t i = 0; i < inputs.size(); ++i) order.push_back(i);
  std::ranges::sort(order, {}, [&queued](size_t i) { return queued.layout.inputs[i]; });
  for (size_t i = 0; i < order.size(); ++i) inputs[order[i]].data = key.input(i);
  for (core::RequestedOutput& output : queued.request->outputs) {
    output.memory = {};
    output.on_device = false;
  }
}

bool PreservesOrder(const config::ModelConfig& config) {
  return config.dynamic_batching.has_value() && config.dynamic_batching->preserve_ordering;
}

std::vector<config::EnsembleStep> StepsOf(const config::ModelConfig& config) {
  return config.ensemble == nullptr ? std::vector<config::EnsembleStep>() : config.ensemble->steps;
}

}  // namespace

CachingScheduler::CachingScheduler(Parts parts, const Services& services)
    : parts_(std::move(parts)),
      services_(services),
      preserves_order_(PreservesOrder(*parts_.config)),
      steps_(StepsOf(*parts_.config), services.snapshots),
      watch_(services.deadlines.Add([this] { return AnswerGivenUp(); })) {
  parts_.metrics->AddCache();
}

// Every request must have been answered: each holds the version that owns this scheduler.
CachingScheduler::~CachingScheduler() { services_.deadlines.Remove(watch_); }

void CachingScheduler::Enqueue(core::QueuedRequest&& queued) {
  const core::InferRequest& request = *queued.request;
  if (queued.warmup || request.sequence.named() || !HasReadableInputs(request) ||
      !scheduling::PriorityLevel(*parts_.config, request.priority).has_value()) {
    return parts_.scheduler->Enqueue(std::move(queued));
  }
  if (preserves_order_) order_.Join(queued);
  LookUp(std::move(queued));
}

void CachingScheduler::LookUp(core::QueuedRequest&& queued) {
  const std::shared_ptr<const std::string> state = steps_.Get();
  if (state == nullptr) return parts_.scheduler->Enqueue(std::move(queued));
  const int64_t begin_ns = services_.clock.NowNs();
  const RequestKey key(parts_.scope, *state, queued, services_.secret);
  if (const auto found = services_.store.Find(key); found != nullptr) {
    return AnswerHit(queued, *found, services_.clock.NowNs() - begin_ns, begin_ns - queued.queued_ns);
  }
  if (!services_.store.Keeps(key.bytes())) {
    NoteTooLarge("request", key.bytes());
    RecordMiss(services_.clock.NowNs() - begin_ns);
    return parts_.scheduler->Enqueue(std::move(queued));
  }
  const uint64_t level = scheduling::PriorityLevel(*parts_.config, queued.request->priority).value_or(0);
  const int64_t now_ns = services_.clock.NowNs();
  const int64_t look_ns = Flights::LookAtNs(*queued.request, now_ns);
  const auto version = queued.version;  // keeps this alive: the request may be answered as soon as it follows
  Follower follower{.queued = std::move(queued), .lookup_ns = now_ns - begin_ns};
  switch (flights_.Join(key, level, follower)) {
    case Flights::Joined::kFollows:
      if (look_ns != 0) services_.deadlines.Arm(watch_, look_ns);
      return;
    case Flights::Joined::kLeads: return Lead(std::move(follower.queued), key, level, begin_ns);
    case Flights::Joined::kAlone: return Execute(std::move(follower.queued), Store(key), nullptr, follower.lookup_ns);
  }
}

void CachingScheduler::Lead(core::QueuedRequest&& queued, const RequestKey& key, uint64_t level, int64_t begin_ns) {
  std::shared_ptr<const StoredKey> stored = Store(key);
  FlightPointer flight;
  if (stored != nullptr) flight = flights_.Begin(stored, level, queued.request->timeout_us);
  // An equal request may have been answered in the meantime.
  std::shared_ptr<const CachedResponse> found = services_.store.Find(key);
  const int64_t lookup_ns = services_.clock.NowNs() - begin_ns;
  if (found != nullptr) {
    std::vector<Follower> followers;
    if (flight != nullptr) followers = flights_.End(flight);
    const auto version = queued.version;  // keeps this alive
    AnswerHit(queued, *found, lookup_ns, begin_ns - queued.queued_ns);
    return AnswerFollowers(std::move(followers), found.get(), base::StatusCode::kOk);
  }
  if (flight == nullptr || !services_.store.fetches()) {
    return Execute(std::move(queued), std::move(stored), std::move(flight), lookup_ns);
  }
  services_.store.Fetch(stored, [this, queued = std::move(queued), stored, flight,
                                 begin_ns](std::shared_ptr<const CachedResponse> fetched) mutable {
    const int64_t fetched_ns = services_.clock.NowNs() - begin_ns;
    if (fetched == nullptr) return Execute(std::move(queued), std::move(stored), std::move(flight), fetched_ns);
    std::vector<Follower> followers = flights_.End(flight);
    const auto version = queued.version;  // keeps this alive
    AnswerHit(queued, *fetched, fetched_ns, begin_ns - queued.queued_ns);
    AnswerFollowers(std::move(followers), fetched.get(), base::StatusCode::kOk);
  });
}

void CachingScheduler::NoteTooLarge(std::string_view what, size_t bytes) {
  if (noted_too_large_.load(std::memory_order_relaxed)) return;
  if (noted_too_large_.exchange(true, std::memory_order_relaxed)) return;
  services_.logger.Warning("Failed to insert key into the response cache: a " + std::string(what) + " of " +
                               std::to_string(bytes) +
                               " bytes does not fit. Further ones of this model are not logged. Make a local cache "
                               "larger (--cache-config local,size=BYTES; an entry in a Redis has 8 MiB at most), or "
                               "leave 'response_cache' out of the model's configuration",
                           {{"model", parts_.id.name}, {"version", parts_.id.version}});
}

// Null: it cannot be kept.
std::shared_ptr<const CachedResponse> CachingScheduler::Keep(const core::InferResponse& response,
                                                             std::shared_ptr<const StoredKey> key) {
  std::shared_ptr<const CachedResponse> kept;
  try {
    kept = CachedResponse::CopyOf(response);
    if (kept == nullptr) return nullptr;
    const size_t bytes = key->bytes() + kept->bytes();
    if (!services_.store.Insert(std::move(key), kept)) NoteTooLarge("request with its response", bytes);
  } catch (const std::bad_alloc&) {
    // Followers are answered with the copy, if there is one.
  }
  return kept;
}

// If `key` is null, the response is not stored. If `flight` is null, there are no followers.
void CachingScheduler::Execute(core::QueuedRequest&& queued, std::shared_ptr<const StoredKey> key, FlightPointer flight,
                               int64_t lookup_ns) {
  if (key == nullptr) {
    RecordMiss(lookup_ns);
    return parts_.scheduler->Enqueue(std::move(queued));
  }
  TakeInputsOf(*key, queued);
  // This object lives as long as the version, which the callback holds.
  queued.completion =
      core::Completion([this, version = queued.version, completion = std::move(queued.completion), key = std::move(key),
                        flight = std::move(flight), lookup_ns](core::InferResponse&& response) mutable {
        if (response.final) {
          return Answered(std::move(response), std::move(completion), std::move(key), flight, lookup_ns);
        }
        key = nullptr;  // several responses are not stored
        completion.Send(std::move(response));
      });
  parts_.scheduler->Enqueue(std::move(queued));
}

void CachingScheduler::Answered(core::InferResponse&& response, core::Completion completion,
                                std::shared_ptr<const StoredKey> key, const FlightPointer& flight, int64_t lookup_ns) {
  const int64_t begin_ns = services_.clock.NowNs();
  const base::StatusCode code = response.status.code();
  std::shared_ptr<const CachedResponse> kept;
  if (response.status.ok() && key != nullptr) kept = Keep(response, std::move(key));
  // Stored before the flight ends: later requests find it in the store.
  std::vector<Follower> followers;
  if (flight != nullptr) followers = flights_.End(flight);
  RecordMiss(lookup_ns + services_.clock.NowNs() - begin_ns);
  completion.Send(std::move(response));
  AnswerFollowers(std::move(followers), kept.get(), code);
}

void CachingScheduler::AnswerFollowers(std::vector<Follower> followers, const CachedResponse* response,
                                       base::StatusCode code) {
  for (Follower& follower : followers) {
    core::QueuedRequest& queued = follower.queued;
    if (response != nullptr) {
      const int64_t waited_ns = services_.clock.NowNs() - queued.queued_ns - follower.lookup_ns;
      AnswerHit(queued, *response, follower.lookup_ns, waited_ns);
    } else if (IsOwnFailure(code)) {
      LookUp(std::move(queued));
    } else {
      const std::shared_ptr<const std::string> state = steps_.Get();
      std::shared_ptr<const StoredKey> key;
      if (state != nullptr) key = Store(RequestKey(parts_.scope, *state, queued, services_.secret));
      Execute(std::move(queued), std::move(key), nullptr, follower.lookup_ns);
    }
  }
}

void CachingScheduler::RecordMiss(int64_t ns) {
  parts_.statistics->RecordCacheMiss(ns);
  if (scheduling::LatencySummaries* const summaries = parts_.metrics->summaries(); summaries != nullptr) {
    summaries->ObserveCacheMiss(ns);
  }
}

void CachingScheduler::AnswerHit(core::QueuedRequest& queued, const CachedResponse& response, int64_t lookup_ns,
                                 int64_t queue_ns) {
  const int64_t now_ns = services_.clock.NowNs();
  const int64_t total_ns = now_ns - queued.queued_ns;
  parts_.statistics->RecordCacheHit(total_ns, queue_ns, lookup_ns, services_.clock.WallNs() / 1'000'000);
  parts_.statistics->RecordRequest(queued.layout.rows, total_ns, queue_ns);
  parts_.metrics->ObserveRequest(total_ns);
  if (scheduling::LatencySummaries* const summaries = parts_.metrics->summaries(); summaries != nullptr) {
    summaries->ObserveRequest(total_ns, queue_ns);
    summaries->ObserveCacheHit(lookup_ns);
  }
  queued.Answer(response.Answer());
}

int64_t CachingScheduler::AnswerGivenUp() {
  const int64_t now_ns = services_.clock.NowNs();
  int64_t next_ns = 0;
  for (Follower& follower : flights_.TakeGivenUp(now_ns, &next_ns)) {
    base::Status status = core::CheckAwaited(*follower.queued.request, now_ns);
    core::Refuse(std::move(follower.queued), std::move(status), 0, now_ns);
  }
  return next_ns;
}

}  // namespace inferd::cache
