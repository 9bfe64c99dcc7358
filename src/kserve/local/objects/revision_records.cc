#include "kserve/local/objects/revision_records.h"

#include <algorithm>
#include <utility>

namespace inferd::local {

namespace {

const apiserver::ResourceType& Revisions() {
  static const apiserver::ResourceType& kType = *apiserver::FindKind("serving.knative.dev/v1", "Revision");
  return kType;
}

}  // namespace

void RevisionRecords::Save(const RevisionRecord& record) {
  const std::string& namespace_name = record.pod.namespace_name;
  // An old record of that name belongs to a deleted service.
  Remove(namespace_name, record.name());
  // If this fails, the component continues only with its newest revision after a restart.
  static_cast<void>(registry_.Create(Revisions(), namespace_name, MakeRevisionObject(record),
                                     {.manager = "inferd-controller", .internal = true}));
}

void RevisionRecords::Remove(const std::string& namespace_name, const std::string& name) {
  bool gone = false;
  static_cast<void>(registry_.Delete(Revisions(), namespace_name, name, {}, gone));
}

std::vector<RevisionRecord> RevisionRecords::Of(const std::string& namespace_name, const std::string& component,
                                                const std::string& service_uid,
                                                const std::set<std::string>& names) const {
  std::vector<RevisionRecord> records;
  const auto add = [&](const std::string& name) {
    const auto object = registry_.Get(Revisions(), namespace_name, name);
    if (!object.has_value()) return false;
    auto record = ReadRevisionObject(apiserver::ParseStored((*object)->json));
    if (!record.has_value() || record->component != component || record->service_uid != service_uid) return false;
    records.push_back(*std::move(record));
    return true;
  };
  for (const std::string& name : names) add(name);
  std::ranges::sort(records, {}, &RevisionRecord::number);
  RevisionRecord next{.component = component, .service = {}, .service_uid = {}};
  next.number = records.empty() ? 1 : records.back().number + 1;
  while (add(next.name())) ++next.number;
  return records;
}

}  // namespace inferd::local
