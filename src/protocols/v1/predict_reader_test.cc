#include "protocols/v1/predict_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "data/tensor/bytes.h"

namespace inferd::v1 {
namespace predict_reader_test {

using core::ModelSignature;
using tensor::DataType;

ModelSignature One(DataType type) {
  return {.inputs = {{.name = "x", .datatype = type, .shape = {-1}}}, .outputs = {}};
}

// A signature with tag: STRING, signal: INT32, sensor: FP32, as in the document's example.
ModelSignature Three() {
  return {.inputs = {{.name = "tag", .datatype = DataType::kBytes, .shape = {-1, 1}},
                     {.name = "signal", .datatype = DataType::kInt32, .shape = {-1, 5}},
                     {.name = "sensor", .datatype = DataType::kFp32, .shape = {-1, 2, 2}}},
          .outputs = {}};
}

std::string Elements(const core::InferTensor& tensor) {
  std::string text;
  if (tensor.datatype == DataType::kBytes) {
    for (const std::string_view element : tensor::PackedElements(tensor.data.bytes())) text.append(" ").append(element);
    return text;
  }
  for (size_t i = 0; i < tensor.data.size(); i += 4) {
    int32_t integer = 0;
    float real = 0;
    std::memcpy(&integer, tensor.data.data() + i, 4);
    std::memcpy(&real, tensor.data.data() + i, 4);
    text += " " + (tensor.datatype == DataType::kFp32 ? std::to_string(real).substr(0, 4) : std::to_string(integer));
  }
  return text;
}

// Returns "row x[2] 1 2", or the error.
std::string Read(std::string_view body, const ModelSignature& signature) {
  const auto decoded = ReadPredict(body, signature);
  if (!decoded.has_value()) return decoded.error().message();
  EXPECT_TRUE(decoded->request != nullptr);
  std::string text = decoded->row ? "row" : "columnar";
  for (const core::InferTensor& input : decoded->request->inputs) {
    text += " " + input.name + input.shape.ToString() + Elements(input);
  }
  return text;
}
std::string ReadInt(std::string_view body) { return Read(body, One(DataType::kInt32)); }

// As in TensorFlow Serving: 501 in columns, and the client's error in rows.
TEST(PredictReaderTest, SomeTypesHaveNoFormInJson) {
  const auto fault = [](std::string_view body, DataType type) { return ReadPredict(body, One(type)).error(); };
  EXPECT_EQ(fault(R"({"inputs": [ [1.5]]})", DataType::kComplex64),
            base::Unimplemented("Conversion of JSON Value: 1.5 to type: complex64"));
  EXPECT_EQ(fault(R"({"inputs": {"x": 7}})", DataType::kQuint8),
            base::Unimplemented("Conversion of JSON Value: 7 to type: quint8"));
  EXPECT_EQ(
      fault(R"({"instances": [1, 2]})", DataType::kComplex128),
      base::InvalidArgument("Failed to process element: 0 of 'instances' list. Error: UNIMPLEMENTED: Conversion of "
                            "JSON Value: 1 to type: complex128"));
  EXPECT_EQ(fault(R"({"instances": [{"x": 1}]})", DataType::kQint8),
            base::InvalidArgument("Failed to process element: 0 key: x of 'instances' list. Error: UNIMPLEMENTED: "
                                  "Conversion of JSON Value: 1 to type: qint8"));
}

TEST(PredictReaderTest, RowsOfOneInput) {
  EXPECT_EQ(ReadInt(R"({"instances": [1, 2]})"), "row x[2] 1 2");
  EXPECT_EQ(ReadInt(R"({"instances": [[[1, 2]], [[3, 4]]]})"), "row x[2,1,2] 1 2 3 4");
  EXPECT_EQ(ReadInt(R"({"instances": [{"x": [1]}, {"x": [2]}]})"), "row x[2,1] 1 2");
  EXPECT_EQ(ReadInt(R"({"signature_name": "serving_default", "instances": [7]})"), "row x[1] 7");
  EXPECT_EQ(ReadInt(R"({"instances": [7], "signature_name": "", "other": {"a": [null]}})"), "row x[1] 7");
  EXPECT_EQ(ReadInt(R"({"instances": [[]]})"), "row x[1,0]");
  EXPECT_EQ(Read(R"({"instances": ["foo", {"b64": "YmFy"}]})", One(DataType::kBytes)), "row x[2] foo bar");
  EXPECT_EQ(Read(R"({"instances": [{"b64": "YmFy"}, "foo"]})", One(DataType::kBytes)), "row x[2] bar foo");
  EXPECT_EQ(Read(R"({"instances": [{"x": {"b64": "YmFy"}}]})", One(DataType::kBytes)), "row x[1] bar");
}

TEST(PredictReaderTest, ValuesThatAreObjectsAreOneInputs) {
  constexpr char kBody[] = R"({"instances": [{"b64": "YmFy"}, "foo"]})";
  EXPECT_EQ(Read(kBody, Three()),
            "input size does not match signature: 1!=3 len({tag}) != len({sensor,signal,tag}). Sent extra: {}. Missing "
            "but required: {sensor,signal}.");
  ModelSignature optional = Three();
  optional.inputs[1].optional = optional.inputs[2].optional = true;
  EXPECT_EQ(Read(kBody, optional), "row tag[2] bar foo");
  EXPECT_EQ(Read(R"({"instances": [{"b64": "YmFy"}, {"tag": "foo"}]})", Three()),
            "Expecting value/list but got object at item 1 of input list");
  std::swap(optional.inputs[0], optional.inputs[2]);
  EXPECT_EQ(
      Read(kBody, optional),
      "Failed to process element: 0 of 'instances' list. Error: INVALID_ARGUMENT: JSON Value: {\"b64\": \"YmFy\"} "
      "Type: Object is not of expected type: float");
}

TEST(PredictReaderTest, RowsOfSeveralInputs) {
  EXPECT_EQ(
      Read(R"({"instances": [{"tag": ["foo"], "signal": [1, 2, 3, 4, 5], "sensor": [[1, 2], [3, 4]]},
                                   {"signal": [3, 4, 1, 2, 5], "tag": ["bar"], "sensor": [[4, 5], [6, 8]]}]})",
           Three()),
      "row tag[2,1] foo bar signal[2,5] 1 2 3 4 5 3 4 1 2 5 sensor[2,2,2] 1.00 2.00 3.00 4.00 4.00 5.00 6.00 8.00");
}

TEST(PredictReaderTest, Columns) {
  EXPECT_EQ(ReadInt(R"({"inputs": [[1], [2]]})"), "columnar x[2,1] 1 2");
  EXPECT_EQ(ReadInt(R"({"inputs": 5})"), "columnar x[] 5");
  EXPECT_EQ(ReadInt(R"({"inputs": {"x": [1], "unknown": [true, {}]}})"), "columnar x[1] 1");
  EXPECT_EQ(Read(R"({"inputs": {"b64": "YmFy"}})", One(DataType::kBytes)), "columnar x[] bar");
  EXPECT_EQ(Read(R"({"inputs": {"sensor": [[0.5]], "tag": "a", "signal": []}})", Three()),
            "columnar tag[] a signal[0] sensor[1,1] 0.50");
}

TEST(PredictReaderTest, OptionalInputsMayBeLeftOut) {
  ModelSignature signature = Three();
  signature.inputs[1].optional = true;
  signature.inputs[2].optional = true;
  EXPECT_EQ(Read(R"({"inputs": {"tag": "a"}})", signature), "columnar tag[] a");
  EXPECT_EQ(Read(R"({"instances": [{"tag": "a"}, {"tag": "b"}]})", signature), "row tag[2] a b");
  EXPECT_EQ(
      Read(R"({"instances": [{"tag": "a"}, {"tag": "b", "signal": 1}]})", signature),
      "Failed to process element: 1 of 'instances' list. JSON object: {\"tag\": \"b\", \"signal\": 1} keys must be "
      "equal to: sensor,signal,tag");
}

TEST(PredictReaderTest, TheBodyIsAnObject) {
  EXPECT_EQ(ReadInt(""), "JSON Parse error: The document is empty");
  EXPECT_EQ(ReadInt("[1]"), "JSON Value: [1] Is not object");
  EXPECT_EQ(ReadInt("\"x\""), "JSON Value: \"x\" Is not object");
  EXPECT_TRUE(ReadInt(R"({"instances": [1] "x": 2})").starts_with("JSON Parse error: ")) << ReadInt(R"({"instances")");
  EXPECT_TRUE(ReadInt("{").ends_with(" at offset: 1")) << ReadInt("{");
  EXPECT_TRUE(ReadInt(R"({"instances": [1]} x)").starts_with("JSON Parse error: ")) << "trailing bytes";
  EXPECT_TRUE(ReadInt("{\"instances\": [\"\xFF\"]}").starts_with("JSON Parse error: ")) << "malformed UTF-8";
  EXPECT_TRUE(ReadInt(R"({"instances": [1], "instances": [2]})").starts_with("JSON Parse error: repeated key"));
}

TEST(PredictReaderTest, OneOfTwoFormats) {
  EXPECT_EQ(ReadInt("{}"), "Missing 'inputs' or 'instances' key");
  EXPECT_EQ(ReadInt(R"({"inputs": 1, "instances": [1]})"),
            R"(JSON Value: {"inputs": 1, "instances": [1]} Not formatted correctly expecting only one of 'inputs' or )"
            "'instances' keys to exist ");
}

TEST(PredictReaderTest, TheSignatureIsTheOneThereIs) {
  EXPECT_EQ(
      ReadInt(R"({"signature_name": 1, "instances": [1]})"),
      R"(JSON Value: {"signature_name": 1, "instances": [1]} not formatted correctly. 'signature_name' key must be )"
      "a string value.");
  EXPECT_EQ(ReadInt(R"({"instances": [1], "signature_name": "other"})"),
            "Serving signature name: \"other\" not found in signature def");
}

// Errors of the JSON, and then of its members, precede errors of a tensor.
TEST(PredictReaderTest, TheOuterErrorIsTheOneThatIsTold) {
  EXPECT_TRUE(ReadInt(R"({"instances": ["a"], )").starts_with("JSON Parse error: "));
  EXPECT_EQ(ReadInt(R"({"instances": ["a"], "signature_name": "other"})"),
            "Serving signature name: \"other\" not found in signature def");
}

TEST(PredictReaderTest, InstancesAreAListThatIsNotEmpty) {
  EXPECT_EQ(ReadInt(R"({"instances": 1})"),
            R"(JSON Value: {"instances": 1} Expecting 'instances' to be an list/array)");
  EXPECT_EQ(ReadInt(R"({"instances": []})"), R"(JSON Value: {"instances": []} No values in 'instances' array)");
}

TEST(PredictReaderTest, ValuesOrObjectsButNotBoth) {
  EXPECT_EQ(Read(R"({"instances": [1]})", Three()),
            "instances is a plain list, but expecting list of objects as multiple input tensors required as per "
            "tensorinfo_map");
  EXPECT_EQ(Read(R"({"inputs": [1]})", Three()),
            "inputs is a plain value/list, but expecting an object as multiple input tensors required as per "
            "tensorinfo_map");
  EXPECT_EQ(ReadInt(R"({"instances": [1, {"x": 1}]})"), "Expecting value/list but got object at item 1 of input list");
  EXPECT_EQ(ReadInt(R"({"instances": [{"x": 1}, 1]})"), "Expecting object but got list at item 1 of input list");
  EXPECT_EQ(Read(R"({"instances": [{"x": "a"}, {"b64": "YmFy"}]})", One(DataType::kBytes)),
            "Expecting object but got list at item 1 of input list");
}

TEST(PredictReaderTest, ErrorsSayWhichElement) {
  EXPECT_EQ(
      ReadInt(R"({"instances": [1, 2.5]})"),
      "Failed to process element: 1 of 'instances' list. Error: INVALID_ARGUMENT: JSON Value: 2.5 Type: Number is "
      "not of expected type: int32");
  EXPECT_EQ(ReadInt(R"({"instances": [[1], [2, 3]]})"),
            "Failed to process element: 1 of 'instances' list. Error: INVALID_ARGUMENT: Expecting tensor size: 1 but "
            "got: 2");
  EXPECT_EQ(ReadInt(R"({"instances": [{"x": [1]}, {"x": [[1]]}]})"),
            "Failed to process element: 1 key: x of 'instances' list. Error: INVALID_ARGUMENT: Expecting shape [1] but "
            "got: [1,1]");
  EXPECT_EQ(ReadInt(R"({"instances": [{"y": 1}]})"),
            "Failed to process element: 0 key: y of 'instances' list. Error: INVALID_ARGUMENT: JSON object: does not "
            "have named input: y");
  EXPECT_EQ(ReadInt(R"({"instances": [{}]})"),
            "Failed to process element: 0 of 'instances' list. JSON object: {} keys must be equal to: x");
  EXPECT_EQ(Read(R"({"inputs": {"tag": "a"}})", Three()), "Missing named input: signal in 'inputs' object.");
  EXPECT_EQ(ReadInt(R"({"inputs": [[1], [2, 3]]})"),
            "Encountered list at unexpected size: 2 at level: 1 expected size: 1");
}

TEST(PredictReaderTest, AModelWithoutInputsHasNoSignatureToFill) {
  EXPECT_EQ(Read(R"({"inputs": {}})", ModelSignature()), "Failed to get input map for signature: DEFAULT");
}

TEST(PredictReaderTest, DepthIsLimitedEverywhere) {
  const std::string deep(100'000, '[');
  EXPECT_TRUE(ReadInt("{\"instances\": " + deep).starts_with("JSON Parse error: nested deeper than 64 levels"));
  EXPECT_TRUE(ReadInt("{\"other\": " + deep).starts_with("JSON Parse error: nested deeper than 64 levels"));
  EXPECT_TRUE(ReadInt("{\"inputs\": " + std::string(40, '[') + std::string(40, ']') + "}")
                  .starts_with("Encountered list at unexpected level: 32"));
  EXPECT_TRUE(ReadInt("{\"inputs\": " + std::string(32, '[') + std::string(32, ']') + "}").starts_with("columnar x["));
  EXPECT_TRUE(ReadInt("{\"instances\": [" + std::string(32, '[') + std::string(32, ']') + "]}")
                  .starts_with("Encountered list at unexpected level: 32"));
}

TEST(PredictReaderTest, HugeBodiesOfManyInputsReserveLittle) {
  ModelSignature signature;
  for (int i = 0; i < 200; ++i) {
    signature.inputs.push_back(
        {.name = "i" + std::to_string(i), .datatype = DataType::kFp64, .shape = {-1, 1'000'000'000}, .optional = true});
  }
  std::string body = "{\"inputs\": {";
  for (int i = 0; i < 200; ++i) body += (i > 0 ? ",\"i" : "\"i") + std::to_string(i) + "\": [1]";
  body += "}, \"padding\": \"" + std::string(1 << 20, 'x') + "\"}";
  const auto decoded = ReadPredict(body, signature);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->request->inputs.size(), 200u);
}

std::string ReadKserve(std::string_view body, const ModelSignature& signature) {
  const auto decoded = ReadPredict(body, signature, {.dialect = Dialect::kKserve});
  if (!decoded.has_value()) return decoded.error().message();
  std::string text = decoded->row ? "row" : "columnar";
  for (const core::InferTensor& input : decoded->request->inputs) {
    text += " " + input.name + input.shape.ToString() + Elements(input);
  }
  return text;
}

TEST(PredictReaderTest, KservesDialectTakesInputsForInstances) {
  const ModelSignature one = One(DataType::kInt32);
  EXPECT_EQ(ReadKserve(R"({"instances": [1, 2]})", one), "row x[2] 1 2");
  EXPECT_EQ(ReadKserve(R"({"inputs": [1, 2]})", one), "row x[2] 1 2");
  EXPECT_EQ(ReadKserve(R"({"inputs": [{"x": 1}, {"x": 2}]})", one), "row x[2] 1 2");
  EXPECT_EQ(ReadKserve(R"({"inputs": {"x": [1, 2]}})", one), "columnar x[2] 1 2");
  EXPECT_EQ(ReadKserve(R"({"inputs": {"x": [1], "y": 7}})", one), "the model has no input 'y'");
  EXPECT_EQ(ReadKserve("", ModelSignature()), "row");
  EXPECT_EQ(ReadKserve("{}", ModelSignature()), "row");
}

TEST(PredictReaderTest, KservesDialectHasItsOwnWords) {
  const ModelSignature one = One(DataType::kInt32);
  EXPECT_EQ(ReadKserve("", one), "Unrecognized request format: The document is empty");
  EXPECT_EQ(ReadKserve("[]", one), "Unrecognized request format: expected an object");
  EXPECT_TRUE(ReadKserve("{\"instances\": [1", one).starts_with("Unrecognized request format: "));
  EXPECT_EQ(ReadKserve(R"({"instances": 1})", one), R"(Expected "instances" to be a list)");
  EXPECT_EQ(ReadKserve("{}", one), R"(Expected "instances" or "inputs" in the request)");
  EXPECT_EQ(ReadKserve(R"({"inputs": [1], "instances": [1]})", one),
            R"(Expected either "instances" or "inputs", not both)");
  EXPECT_EQ(ReadKserve(R"({"instances": [1, {"x": 1}]})", one),
            "Expecting value/list but got object at item 1 of input list");
}

}  // namespace predict_reader_test
}  // namespace inferd::v1
