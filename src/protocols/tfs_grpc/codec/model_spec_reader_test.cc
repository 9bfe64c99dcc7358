#include "protocols/tfs_grpc/codec/model_spec_reader.h"

#include <gtest/gtest.h>

#include "serving/core/fake_dispatcher.h"
#include "tfs/prediction_service.pb.h"

namespace inferd::tfs_grpc {
namespace {

using tensorflow::serving::PredictRequest;

RequestedModel Read(const std::string& message) {
  auto model = ReadModelSpecOf(message, 1);
  EXPECT_TRUE(model.has_value()) << model.error().ToString();
  return model.value_or(RequestedModel());
}

TEST(ModelSpecReaderTest, ReadsWhatIsThere) {
  EXPECT_FALSE(Read("").given);
  PredictRequest request;
  request.mutable_model_spec();
  EXPECT_TRUE(Read(request.SerializeAsString()).given);
  request.mutable_model_spec()->set_name("m");
  request.mutable_model_spec()->set_signature_name("s");
  request.mutable_model_spec()->mutable_version()->set_value(7);
  const RequestedModel model = Read(request.SerializeAsString());
  EXPECT_EQ(model.spec.model, "m");
  EXPECT_EQ(model.spec.version, "7");
  EXPECT_EQ(model.signature, "s");
  request.mutable_model_spec()->mutable_version()->set_value(0);
  EXPECT_EQ(Read(request.SerializeAsString()).spec.version, "0") << "that is a version, too";
}

TEST(ModelSpecReaderTest, OfVersionAndLabelTheLastCounts) {
  PredictRequest version;
  version.mutable_model_spec()->mutable_version()->set_value(7);
  PredictRequest label;
  label.mutable_model_spec()->set_version_label("stable");
  const RequestedModel labelled = Read(version.SerializeAsString() + label.SerializeAsString());
  EXPECT_EQ(labelled.spec.label, "stable");
  EXPECT_EQ(labelled.spec.version, "");
  const RequestedModel numbered = Read(label.SerializeAsString() + version.SerializeAsString());
  EXPECT_EQ(numbered.spec.label, "");
  EXPECT_EQ(numbered.spec.version, "7");
}

TEST(ModelSpecReaderTest, MalformedOnesAreRefused) {
  for (const char* message :
       {"\x0a", "\x0a\x05", "\x0a\x02\x0a\x05", "\x0a\x04\x12\x02\x08\x80", "\x0a\x03\x0a\x01\xff"}) {
    EXPECT_EQ(ReadModelSpecOf(message, 1).error().code(), base::StatusCode::kInvalidArgument);
  }
}

TEST(ModelSpecReaderTest, AModelIsNamed) {
  core::FakeDispatcher dispatcher;
  dispatcher.models["m"] = std::make_shared<core::FakePinned>();
  RequestedModel model;
  EXPECT_EQ(FindModel(dispatcher, model).error(), base::InvalidArgument("Missing ModelSpec"));
  model.given = true;
  EXPECT_EQ(FindModel(dispatcher, model).error(), base::InvalidArgument("ModelSpec has no name specified."));
  model.spec.model = "m";
  EXPECT_TRUE(FindModel(dispatcher, model).has_value());
  dispatcher.unavailable = "loading";
  EXPECT_EQ(FindModel(dispatcher, model).error(), base::Unavailable("loading"));
  EXPECT_EQ(FindModel(dispatcher, model, tfs::Unready::kNotFound).error(),
            base::NotFound("Servable not found for request: Latest(m)"));
}

}  // namespace
}  // namespace inferd::tfs_grpc
