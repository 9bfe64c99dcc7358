#include "kserve/cluster/objects/object_writer.h"

#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/difference.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/model/reconcile/revision_objects.h"

namespace inferd::cluster {

namespace {

using kubernetes::ApiError;
using kubernetes::Resource;
using manifest::TextAt;
using manifest::Value;

bool IsGoing(const Value& live) { return manifest::FieldAt(live, {"metadata", "deletionTimestamp"}) != nullptr; }

// True for a conflict with fields of another manager, and if an object would have two controllers.
bool StandsInTheWay(const ApiError& error) { return error.code == 409 || error.code == 422; }

// The pods of a revision never change. If the watch is late, the plan takes the number of a revision that is there, and
// gets the next number once the watch has it.
bool IsAnotherRevision(const Value& found, const model::LiveRevision& wanted, const Value& owner) {
  const auto revision = model::ReadRevision(found);
  return ClaimOf(found, owner) == Claim::kOwn && (!revision.has_value() || revision->made_of != wanted.made_of);
}

}  // namespace

std::shared_ptr<metrics::Counter> WritesCounter(metrics::Registry& metrics, const char* result) {
  return metrics.AddCounter("inferd_controller_writes_total",
                            "Objects of a cluster that were written, by what became of it", {{"result", result}});
}

std::string TitleOf(const Value& object) {
  return TextAt(object, {"kind"}) + " \"" + TextAt(object, {"metadata", "name"}) + "\"";
}

ObjectWriter::ObjectWriter(kubernetes::Client& client, Gate may_write, metrics::Registry& metrics)
    : client_(client),
      may_write_(std::move(may_write)),
      applied_(WritesCounter(metrics, "applied")),
      deleted_(WritesCounter(metrics, "deleted")),
      failed_(WritesCounter(metrics, "failed")) {}

WriteFailure ObjectWriter::FailureOf(const ApiError& error, const Value& object) const {
  failed_->Add();
  const bool transient = error.code == 0 || error.code == 401 || error.is_conflict() || error.is_not_found() ||
                         error.status == base::StatusCode::kUnavailable;
  return {.transient = transient,
          .reason = error.reason.empty() ? "NoAnswer" : error.reason,
          .message = "the " + TitleOf(object) + " cannot be written: " + error.message};
}

WriteResult<Written> ObjectWriter::Apply(const Value& owner, const Resource& resource, const Value& object, bool force,
                                         const std::stop_token& stop) {
  if (!may_write_()) {
    return std::unexpected(
        WriteFailure{.transient = true, .reason = "NotLeading", .message = "another controller leads"});
  }
  const auto applied = client_.Apply(resource, object, {.field_manager = FieldManagerOf(owner), .force = force}, stop);
  if (!applied.has_value()) return std::unexpected(FailureOf(applied.error(), object));
  applied_->Add();
  return Written::kApplied;
}

WriteResult<Written> ObjectWriter::Delete(const Resource& resource, const Value& live, const std::stop_token& stop) {
  if (IsGoing(live)) return Written::kUnchanged;
  if (!may_write_()) {
    return std::unexpected(
        WriteFailure{.transient = true, .reason = "NotLeading", .message = "another controller leads"});
  }
  const auto deleted = client_.Delete(resource, kubernetes::NameOf(live),
                                      {.uid = kubernetes::UidOf(live), .propagation = "Background"}, stop);
  // A conflict or a 404 means that the object is gone. An object with the same name but another uid is not ours.
  if (!deleted.has_value() && !deleted.error().is_not_found() && !deleted.error().is_conflict()) {
    return std::unexpected(FailureOf(deleted.error(), live));
  }
  deleted_->Add();
  return Written::kDeleted;
}

WriteResult<Written> ObjectWriter::WriteOver(const Value& owner, const Resource& resource, const Value& object,
                                             const Value& live, const std::stop_token& stop) {
  const WriteFailure later{.transient = true,
                           .reason = "ObjectDeleting",
                           .message = "the " + TitleOf(object) + " of before is being deleted"};
  switch (ClaimOf(live, owner)) {
    case Claim::kForeign:
      return std::unexpected(
          WriteFailure{.transient = false,
                       .reason = "NotOwned",
                       .message = "the " + TitleOf(object) + " is there already, and is left alone: " + OwnerText(live),
                       .of_knative = ControlledByKnative(live)});
    case Claim::kEarlier: {
      auto deleted = Delete(resource, live, stop);
      if (!deleted.has_value()) return deleted;
      return std::unexpected(later);
    }
    case Claim::kOwn:
    case Claim::kFree: break;
  }
  if (IsGoing(live)) return std::unexpected(later);
  if (WasWritten(live, object) && FindDifferences(live, object).empty()) return Written::kUnchanged;
  return Apply(owner, resource, object, true, stop);
}

WriteResult<Written> ObjectWriter::Write(const Value& owner, const Value& wanted, const Value* live,
                                         const std::stop_token& stop) {
  const Resource* const resource = WrittenResourceOf(wanted);
  if (resource == nullptr) {
    return std::unexpected(WriteFailure{
        .transient = false, .reason = "UnknownKind", .message = "a " + TextAt(wanted, {"kind"}) + " is not written"});
  }
  const Value object = ForWriting(wanted, owner);
  if (live != nullptr) return WriteOver(owner, *resource, object, *live, stop);
  if (!may_write_()) {
    return std::unexpected(
        WriteFailure{.transient = true, .reason = "NotLeading", .message = "another controller leads"});
  }
  if (const auto revision = model::ReadRevision(object)) {
    const auto found = client_.Get(*resource, kubernetes::NameOf(object), stop);
    if (!found.has_value() && !found.error().is_not_found()) return std::unexpected(FailureOf(found.error(), object));
    if (found.has_value() && IsAnotherRevision(*found, *revision, owner)) {
      return std::unexpected(WriteFailure{
          .transient = true,
          .reason = "RevisionExists",
          .message = "the " + TitleOf(object) + " is there already, as another revision that was not listed yet"});
    }
    if (found.has_value()) return WriteOver(owner, *resource, object, *found, stop);
  }
  // Without force, an existing object that is not known yet is not overwritten: another manager owns its fields.
  const auto applied = client_.Apply(*resource, object, {.field_manager = FieldManagerOf(owner), .force = false}, stop);
  if (applied.has_value()) {
    applied_->Add();
    return Written::kApplied;
  }
  if (!StandsInTheWay(applied.error())) return std::unexpected(FailureOf(applied.error(), object));
  const auto found = client_.Get(*resource, kubernetes::NameOf(object), stop);
  if (!found.has_value()) return std::unexpected(FailureOf(applied.error(), object));
  return WriteOver(owner, *resource, object, *found, stop);
}

}  // namespace inferd::cluster
