#include "kserve/local/state/revision_record.h"

#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"

namespace inferd::local {
namespace {

RevisionRecord FullRecord() {
  RevisionRecord record{.component = "iris-predictor-default", .number = 3, .service = "iris", .service_uid = "u"};
  record.pod.kind = model::ComponentKind::kExplainer;
  record.pod.pod_spec = std::move(
      manifest::ReadYaml("{containers: [{name: kserve-container, args: ['--x={{.Name}}']}]}", "test")->front());
  record.pod.labels = {{"a", "b"}};
  record.pod.annotations = {{"c", "d"}};
  record.pod.namespace_name = "models";
  record.pod.runtime = "mine";
  record.pod.protocol_version = "v2";
  auto& extension = record.pod.extension;
  extension.min_replicas = 0;
  extension.max_replicas = 7;
  extension.scale_target = 8;
  extension.scale_metric = "rps";
  extension.container_concurrency = 9;
  extension.timeout_s = 10;
  extension.logger = {.url = "http://x", .mode = "all"};
  extension.batcher = {.max_batch_size = 11, .max_latency_ms = 12, .timeout_s = 13};
  return record;
}

TEST(RevisionRecord, IsReadAsItWasWritten) {
  const RevisionRecord record = FullRecord();
  const manifest::Value object = MakeRevisionObject(record);
  EXPECT_EQ(manifest::TextAt(object, {"metadata", "name"}), "iris-predictor-default-00003");
  const auto read = ReadRevisionObject(object);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(manifest::ToJson(MakeRevisionObject(*read)), manifest::ToJson(object));
  EXPECT_EQ(read->pod.kind, record.pod.kind);
  EXPECT_EQ(read->pod.pod_spec, record.pod.pod_spec);
  EXPECT_EQ(read->pod.labels, record.pod.labels);
  EXPECT_EQ(read->pod.annotations, record.pod.annotations);
  EXPECT_EQ(read->pod.extension.min_replicas, 0);
  EXPECT_EQ(read->pod.extension.max_replicas, 7);
  EXPECT_EQ(read->pod.extension.batcher->timeout_s, 13);
  EXPECT_EQ(read->pod.extension.logger->mode, "all");
}

TEST(RevisionRecord, AnotherObjectIsNone) {
  EXPECT_FALSE(ReadRevisionObject(manifest::Value::Map()).has_value());
  for (const char* const part : {"ownerReferences", "labels", "annotations", "name"}) {
    manifest::Value object = MakeRevisionObject(FullRecord());
    object.MapAt("metadata").Remove(part);
    EXPECT_FALSE(ReadRevisionObject(object).has_value()) << part;
  }
  manifest::Value object = MakeRevisionObject(FullRecord());
  object.MapAt("metadata").MapAt("annotations").Set("serving.inferd.io/component", manifest::Text("{"));
  EXPECT_FALSE(ReadRevisionObject(object).has_value());
}

}  // namespace
}  // namespace inferd::local
