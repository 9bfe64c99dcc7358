#include "protocols/tfs_grpc/codec/session_request.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "protocols/tfs/model_spec.h"

namespace inferd::tfs_grpc {

namespace {

using base::InvalidArgument;
using wire::Reader;
using wire::Tag;
using wire::Type;

constexpr uint32_t kFeed = Tag(2, Type::kBytes);
constexpr uint32_t kFetch = Tag(3, Type::kBytes);
constexpr uint32_t kTarget = Tag(4, Type::kBytes);
constexpr uint32_t kNameIsAlias = Tag(6, Type::kVarint);
constexpr uint32_t kFeedName = Tag(1, Type::kBytes);
constexpr uint32_t kFeedTensor = Tag(2, Type::kBytes);

SessionRequest::Feed ReadFeed(Reader in, Reader& outer) {
  SessionRequest::Feed feed;
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case kFeedName: feed.name = in.String(); break;
      case kFeedTensor: feed.tensor.push_back(in.Message()); break;
      default: in.Skip();
    }
  }
  if (!in.ok()) outer.Fail("a feed is malformed");
  if (feed.tensor.empty()) feed.tensor.push_back(Reader(std::string_view()));
  return feed;
}

std::string Endpoint(std::string_view name) { return "Endpoint \"" + std::string(name) + "\" "; }

// Returns the name without ":0": "x" and "x:0" are the same.
std::string_view WithoutZero(std::string_view name) {
  return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name;
}

base::Status Check(const SessionRequest& request) {
  std::set<std::string_view> fed;
  for (const SessionRequest::Feed& feed : request.feeds) {
    if (!fed.insert(WithoutZero(feed.name)).second) return InvalidArgument(Endpoint(feed.name) + "fed more than once.");
  }
  for (const std::string_view fetch : request.fetches) {
    if (fed.contains(WithoutZero(fetch))) return InvalidArgument(Endpoint(fetch) + "is both fed and fetched.");
  }
  if (!request.fetches.empty() || !request.targets.empty()) return {};
  return InvalidArgument("Must specify at least one target to fetch or execute.");
}

// Returns the index of `name` among the tensors, or nullopt.
std::optional<int> Find(std::string_view name, const std::vector<core::TensorSpec>& tensors, bool alias) {
  const auto found = std::ranges::find_if(tensors, [&](const core::TensorSpec& tensor) {
    return alias ? tensor.name == name : WithoutZero(tfs::GraphName(tensor)) == WithoutZero(name);
  });
  return found == tensors.end() ? std::nullopt : std::optional(static_cast<int>(found - tensors.begin()));
}

// Finds all names, or reports the missing one.
class SignatureMatch {
 public:
  SignatureMatch(const SessionRequest& request, const core::ModelSignature& signature)
      : request_(request), signature_(signature) {}

  std::optional<SessionPlan> Find(uint32_t number) const {
    SessionPlan plan{.signature = number, .inputs = {}, .outputs = {}};
    std::vector<bool> fed(signature_.inputs.size());
    for (const SessionRequest::Feed& feed : request_.feeds) {
      const auto input = tfs_grpc::Find(feed.name, signature_.inputs, request_.aliases);
      if (!input.has_value()) return std::nullopt;
      fed[static_cast<size_t>(*input)] = true;
      plan.inputs.push_back(*input);
    }
    for (size_t i = 0; i < fed.size(); ++i) {
      if (!fed[i] && !signature_.inputs[i].optional) return std::nullopt;
    }
    for (const std::string_view fetch : request_.fetches) {
      const auto output = tfs_grpc::Find(fetch, signature_.outputs, request_.aliases);
      if (!output.has_value()) return std::nullopt;
      plan.outputs.push_back(*output);
    }
    return plan;
  }

 private:
  const SessionRequest& request_;
  const core::ModelSignature& signature_;
};

template <typename Names>
std::string Listed(const Names& names) {
  std::string list;
  for (const auto& name : names) {
    if (list.size() > 256) return list + ", ...";
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  return "{" + list + "}";
}

base::Status NoSignature(const SessionRequest& request) {
  if (!request.targets.empty()) {
    return base::Unimplemented(
        "no operators are run but those that a fetched tensor needs: target is not served without --tfs-session-graph");
  }
  std::vector<std::string_view> fed;
  for (const SessionRequest::Feed& feed : request.feeds) fed.push_back(feed.name);
  return base::Unimplemented("no signature of the model takes " + Listed(fed) + " and gives " +
                             Listed(request.fetches) +
                             ", and other tensors of its graph are not served without --tfs-session-graph");
}

}  // namespace

bool SameTensor(std::string_view a, std::string_view b) { return WithoutZero(a) == WithoutZero(b); }

base::Result<SessionRequest> ReadSessionRequest(std::string_view message) {
  SessionRequest request;
  Reader in(message);
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case kFeed: request.feeds.push_back(ReadFeed(in.Message(), in)); break;
      case kFetch: request.fetches.push_back(in.String()); break;
      case kTarget: request.targets.push_back(in.String()); break;
      case kNameIsAlias: request.aliases = in.Varint() != 0; break;
      default: in.Skip();
    }
    if (std::max({request.feeds.size(), request.fetches.size(), request.targets.size()}) > kSessionNamesMax) {
      return std::unexpected(InvalidArgument("expected at most " + std::to_string(kSessionNamesMax) +
                                             " tensors in each of feed, fetch and target, got more"));
    }
  }
  if (!in.ok()) return std::unexpected(in.status());
  INFERD_RETURN_IF_ERROR(Check(request));
  return request;
}

base::Result<SessionPlan> PlanSession(const SessionRequest& request, const core::PinnedModel& model,
                                      std::string_view named) {
  const auto signatures = model.signatures();
  const std::optional<uint32_t> first = tfs::FindSignature(model, tfs::MeantSignature(named));
  if (!first.has_value() && request.aliases) {
    return std::unexpected(base::FailedPrecondition("Serving signature key \"" +
                                                    std::string(tfs::MeantSignature(named)) + "\" not found."));
  }
  if (!request.targets.empty()) return std::unexpected(NoSignature(request));
  if (first.has_value()) {
    if (auto plan = SignatureMatch(request, *signatures[*first]).Find(*first)) return *std::move(plan);
  }
  for (uint32_t i = 0; i < signatures.size() && !request.aliases; ++i) {
    if (auto plan = SignatureMatch(request, *signatures[i]).Find(i)) return *std::move(plan);
  }
  return std::unexpected(NoSignature(request));
}

}  // namespace inferd::tfs_grpc
