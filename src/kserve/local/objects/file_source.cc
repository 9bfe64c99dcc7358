#include "kserve/local/objects/file_source.h"

#include <filesystem>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/model/resolve/review.h"

namespace inferd::local {

namespace {

namespace fs = std::filesystem;

using apiserver::ObjectPtr;
using apiserver::ResourceType;
using manifest::Value;
using model::Object;

constexpr std::string_view kFileAnnotation = "serving.inferd.io/file";
const apiserver::WriteOptions kFileOptions = {.manager = "inferd-controller-files", .internal = true};

std::string NamespaceOf(const ResourceType& type, const Object& object) {
  if (!type.namespaced) return {};
  const std::string& own = object.metadata().namespace_name;
  return own.empty() ? "default" : own;
}

base::Status ErrorOf(const apiserver::ApiError& error, const std::string& file) {
  return base::InvalidArgument(file + ": " + error.message);
}

}  // namespace

base::Status FileSource::Load() {
  INFERD_RETURN_IF_ERROR(runtimes_.AddSound(runtime_places_).WithContext("runtimes"));
  INFERD_ASSIGN_OR_RETURN(stamps_, Look());
  seen_ = stamps_;
  return Apply(stamps_);
}

base::Status FileSource::LoadChanges() {
  const auto stamps = Look();
  if (!stamps.has_value()) return base::OkStatus();
  // A file that is being written may be short or empty for a moment. Its missing objects must not be deleted.
  const bool settled = std::exchange(seen_, *stamps) == *stamps;
  if (!settled || *stamps == stamps_) return base::OkStatus();
  stamps_ = *stamps;
  return Apply(stamps_);
}

base::Result<FileSource::Stamps> FileSource::Look() const {
  Stamps stamps;
  for (const std::string& path : files_) {
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> files, model::ManifestsOf(path));
    for (const std::string& file : files) {
      std::error_code error;
      FileStamp& stamp = stamps[file];
      stamp.modified_ns = fs::last_write_time(file, error).time_since_epoch().count();
      stamp.size = error ? 0 : fs::file_size(file, error);
    }
  }
  return stamps;
}

base::Status FileSource::CheckSound(const model::ObjectFiles& files) const {
  std::vector<const Object*> objects;
  for (const Object& object : files.objects()) objects.push_back(&object);
  for (const model::ObjectReview& review :
       model::ReviewObjects(objects, runtimes_.runtimes(), model::TrainedModelPlaces::kAnywhere)) {
    if (review.problems.empty()) continue;
    return base::InvalidArgument(review.problems.front().ToString(files.files().at(review.object)));
  }
  return base::OkStatus();
}

base::Status FileSource::Apply(const Stamps& stamps) {
  model::ObjectFiles files;
  for (const auto& [file, stamp] : stamps) INFERD_RETURN_IF_ERROR(files.Add(file));
  INFERD_RETURN_IF_ERROR(CheckSound(files));
  AllWanted wanted;
  for (const model::ObjectFiles* some : {&std::as_const(runtimes_), &std::as_const(files)}) {
    for (const Object& object : some->objects()) {
      const ResourceType* const type = apiserver::FindKind(object.api_version, object.kind);
      // Kinds that have no effect here, such as a Deployment beside a service.
      if (type == nullptr || !type->writable) continue;
      wanted[apiserver::Registry::KeyOf(*type, NamespaceOf(*type, object), object.metadata().name)] = {
          .type = type, .object = &object, .file = some->files().at(&object)};
    }
  }
  INFERD_RETURN_IF_ERROR(Write(wanted));
  DeleteOthers(wanted);
  return base::OkStatus();
}

base::Status FileSource::Write(const AllWanted& wanted) {
  static const ResourceType& kNamespaces = *apiserver::FindKind("v1", "Namespace");
  for (const auto& [key, each] : wanted) {
    if (key.namespace_name.empty() || registry_.Get(kNamespaces, "", key.namespace_name).has_value()) continue;
    Value made = Value::Map();
    made.MapAt("metadata").Set("name", Value::String(key.namespace_name));
    auto created = registry_.Create(kNamespaces, "", std::move(made), kFileOptions);
    if (!created.has_value()) return ErrorOf(created.error(), each.file);
  }
  for (const auto& [key, each] : wanted) INFERD_RETURN_IF_ERROR(WriteOne(each));
  return base::OkStatus();
}

base::Status FileSource::WriteOne(const Wanted& wanted) {
  const ResourceType& type = *wanted.type;
  const std::string namespace_name = NamespaceOf(type, *wanted.object);
  const std::string& name = wanted.object->metadata().name;
  Value object = wanted.object->document();
  object.MapAt("metadata").MapAt("annotations").Set(kFileAnnotation, Value::String(wanted.file));
  for (const std::string_view key : {"resourceVersion", "uid", "managedFields", "finalizers"}) {
    object.MapAt("metadata").Remove(key);
  }
  const auto live = registry_.Get(type, namespace_name, name);
  if (live.has_value() && type.has_status) {
    const Value stored = apiserver::ParseStored((*live)->json);
    object.Remove("status");
    if (const Value* const status = stored.Find("status"); status != nullptr) object.Set("status", *status);
  }
  const auto written = live.has_value() ? registry_.Update(type, namespace_name, name, std::move(object), kFileOptions)
                                        : registry_.Create(type, namespace_name, std::move(object), kFileOptions);
  return written.has_value() ? base::OkStatus() : ErrorOf(written.error(), wanted.file);
}

void FileSource::DeleteOthers(const AllWanted& wanted) {
  for (const ResourceType& type : apiserver::ResourceTypes()) {
    for (const ObjectPtr& object : registry_.store().List(type.resource(), "").objects) {
      if (wanted.contains(object->key) || object->json.find(kFileAnnotation) == std::string::npos) continue;
      const Value stored = apiserver::ParseStored(object->json);
      if (manifest::FieldAt(stored, {"metadata", "annotations", kFileAnnotation}) == nullptr) continue;
      bool gone = false;
      static_cast<void>(registry_.Delete(type, object->key.namespace_name, object->key.name, {}, gone));
    }
  }
}

}  // namespace inferd::local
