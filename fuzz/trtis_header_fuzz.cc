// Fuzzes NV-InferRequest. Our reader must accept exactly what protobuf's own parser accepts, with the same content. An
// accepted request is checked against a model, and answered.

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/trtis_requests.h"
#include "protocols/trtis/infer_header_text.h"

namespace {

struct Quiet final : google::protobuf::io::ErrorCollector {
  void AddError(int, int, const std::string&) override {}
};

// Returns true if both parsers can be compared: a header's value has no line breaks and no NUL. Leaves out escapes of
// code points, too.
bool Comparable(std::string_view text) {
  return text.find_first_of(std::string_view("\n\r\0", 3)) == std::string_view::npos && !text.contains("\\u") &&
         !text.contains("\\U");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  const std::string text(reinterpret_cast<const char*>(data), size);
  auto header = trtis::ReadInferHeaderText(text);
  if (Comparable(text)) {
    nvidia::inferenceserver::InferRequestHeader expected;
    google::protobuf::TextFormat::Parser parser;
    Quiet quiet;
    parser.RecordErrorsTo(&quiet);
    const bool good = parser.ParseFromString(text, &expected);
    fuzz::Require(good == header.has_value(), good ? "refused: " + header.error().message() : "taken");
    fuzz::Require(!good || fuzz::MessageOf(*header).DebugString() == expected.DebugString(), "read differently");
  }
  if (!header.has_value()) {
    fuzz::Require(!header.error().message().empty(), "an error without a message");
    return 0;
  }
  const core::ModelSignature signature = fuzz::FuzzSignature();
  auto planned = trtis::PlanRequest(*std::move(header), signature, "m");
  if (!planned.has_value()) return 0;
  fuzz::CheckAnswer(*planned, signature);
  const base::BufferSlice body(base::Buffer::CopyOf(text));
  const base::Status set = trtis::SetBody(body, *planned->request);
  fuzz::Require(set.ok() == (planned->request->InputBytes() == body.size()) || !set.ok(), "a body of another size");
  return 0;
}
