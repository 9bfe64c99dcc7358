#include "kserve/model/api/serving_runtime.h"

#include <utility>

#include "kserve/model/api/empty_values.h"
#include "kserve/model/api/field_types.h"
#include "kserve/model/api/pod_spec.h"

namespace inferd::model {

namespace {

using manifest::Fields;

SupportedModelFormat ReadFormat(Fields& fields) {
  SupportedModelFormat format;
  fields.Read("name", format.name);
  fields.Read("version", format.version);
  fields.Read("autoSelect", format.auto_select);
  fields.Read("priority", format.priority);
  if (fields.Find("name") == nullptr) fields.Fail("name", "is required");
  return format;
}

void ReadSpec(Fields& spec, ServingRuntime& runtime) {
  for (Fields format : spec.Maps("supportedModelFormats")) runtime.formats.push_back(ReadFormat(format));
  spec.Read("multiModel", runtime.multi_model);
  spec.Read("disabled", runtime.disabled);
  spec.Read("protocolVersions", runtime.protocol_versions);
  spec.Read("labels", runtime.labels);
  spec.Read("annotations", runtime.annotations);
  CheckPodSpec(spec);
  for (const Fields& container : spec.Maps("containers")) runtime.containers.push_back(WithoutNulls(container.value()));
  if (spec.Find("containers") == nullptr) spec.Fail("containers", "is required");
  for (const std::string_view key :
       {"volumes", "nodeSelector", "affinity", "tolerations", "imagePullSecrets", "hostIPC"}) {
    if (const manifest::Value* value = spec.Find(key)) runtime.pod_spec.Set(key, WithoutNulls(*value));
  }
}

}  // namespace

ServingRuntime ReadServingRuntime(manifest::Value document, bool cluster_wide, manifest::Problems& problems) {
  ServingRuntime runtime;
  runtime.document = std::move(document);
  runtime.cluster_wide = cluster_wide;
  Fields object(runtime.document, "", problems);
  runtime.metadata = ReadObjectMeta(object, !cluster_wide);
  if (std::optional<Fields> spec = object.Map("spec")) {
    ReadSpec(*spec, runtime);
    CheckFieldTypes("ServingRuntime", object);
  } else if (object.Find("spec") == nullptr) {
    object.Fail("spec", "is required");
  }
  return runtime;
}

}  // namespace inferd::model
