// Fuzzes InferRequest over gRPC. Our reader must accept what the generated class accepts, with the same content.

#include <google/protobuf/stubs/logging.h>

#include <cstdint>
#include <string>

#include "fuzz/trtis_requests.h"
#include "protocols/trtis/infer_message.h"
#include "protocols/trtis/model_version.h"
#include "trtis/grpc_service.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  [[maybe_unused]] static const auto kBefore = google::protobuf::SetLogHandler(nullptr);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const base::BufferSlice slice(base::Buffer::CopyOf(bytes));
  static_cast<void>(trtis::RawInputAt(slice.bytes()));
  auto read = trtis::ReadInferMessage(slice);
  nvidia::inferenceserver::InferRequest expected;
  const bool good = expected.ParseFromString(bytes);
  fuzz::Require(good || !read.has_value(), "taken");
  // For the generated class, an integer in the version's field is an unknown field.
  const bool known = good && expected.GetReflection()->GetUnknownFields(expected).empty();
  const auto version = trtis::ReadVersion(expected.version());
  if (known) fuzz::Require(version.has_value() == read.has_value(), "refused");
  if (!read.has_value()) return 0;
  fuzz::Require(read->model == expected.model_name(), "another model");
  fuzz::Require(!known || read->version == *version, "another version");
  fuzz::Require(read->raws.size() == static_cast<size_t>(expected.raw_input_size()), "other tensors");
  for (size_t i = 0; i < read->raws.size(); ++i) {
    fuzz::Require(read->raws[i].view() == expected.raw_input(static_cast<int>(i)), "other bytes");
  }
  auto header = expected.meta_data();
  header.DiscardUnknownFields();
  fuzz::Require(fuzz::MessageOf(read->header).SerializeAsString() == header.SerializeAsString(), "read differently");
  const core::ModelSignature signature = fuzz::FuzzSignature();
  auto planned = trtis::PlanRequest(std::move(read->header), signature, "m");
  if (!planned.has_value()) return 0;
  static_cast<void>(trtis::SetRaws(read->raws, *planned->request));
  fuzz::CheckAnswer(*planned, signature);
  return 0;
}
