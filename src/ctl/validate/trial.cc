#include "ctl/validate/trial.h"

#include <algorithm>
#include <sstream>

#include "ctl/infer_codec.h"
#include "ctl/text/table.h"

namespace inferd::ctl {

namespace {

constexpr size_t kCommandBytes = 2000;            // longer requests are sent as bytes
constexpr size_t kElementsMax = size_t{1} << 26;  // of all inputs of a made-up request

// In single quotes, for a shell.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool AllZeroBytes(const std::vector<NamedTensor>& tensors) {
  return std::ranges::all_of(tensors, [](const NamedTensor& tensor) {
    return std::ranges::all_of(tensor.data.bytes(), [](const std::byte b) { return b == std::byte{0}; });
  });
}

// The JSON before the bytes of binary tensors; the answer is JSON.
std::string BinaryHead(const std::vector<NamedTensor>& request) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("inputs");
  writer.BeginArray();
  for (const NamedTensor& input : request) {
    writer.BeginObject();
    writer.Member("name", input.name);
    writer.Member("datatype", tensor::DataTypeName(input.datatype));
    writer.Key("shape");
    writer.BeginArray();
    for (const int64_t dim : input.shape.dims()) writer.Int(dim);
    writer.EndArray();
    writer.Key("parameters");
    writer.BeginObject();
    writer.Member("binary_data_size", input.data.size());
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return writer.TakeString();
}

void WriteTrialTensors(json::Writer& writer, json::KeyText key, const std::vector<TensorSignature>& tensors) {
  writer.Key(key);
  writer.BeginArray();
  for (const TensorSignature& tensor : tensors) {
    writer.BeginObject();
    writer.Member("name", tensor.name);
    writer.Member("datatype", tensor::DataTypeName(tensor.datatype));
    writer.Key("shape");
    writer.BeginArray();
    for (const int64_t dim : tensor.shape.dims()) writer.Int(dim);
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
}

std::vector<TensorSignature> SignaturesOf(const std::vector<NamedTensor>& tensors) {
  std::vector<TensorSignature> signatures;
  for (const NamedTensor& tensor : tensors) signatures.push_back({tensor.name, tensor.datatype, tensor.shape});
  return signatures;
}

// The shape that the tensor of that name has there, as text; empty: it is not there.
std::string ShapeOf(const std::string& name, const std::vector<TensorSignature>& tensors) {
  const auto found = std::ranges::find(tensors, name, &TensorSignature::name);
  return found == tensors.end() ? "" : found->shape.ToString();
}

std::string Indented(const std::string& text, const std::string& indent) {
  std::istringstream lines(text);
  std::string line;
  std::string indented;
  while (std::getline(lines, line)) indented += line.empty() ? "\n" : indent + line + "\n";
  return indented;
}

// RESOURCE_EXHAUSTED if the made-up request would be too large.
base::Status CheckSize(const ModelSignature& signature) {
  size_t elements = 0;
  for (const TensorSignature& input : signature.inputs) {
    tensor::Shape shape = input.shape;
    for (size_t i = 0; i < shape.rank(); ++i) {
      if (shape[i] < 0) shape[i] = 1;
    }
    INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(shape));
    if (count > kElementsMax - elements) {
      return base::ResourceExhausted("its inputs have more than " + std::to_string(kElementsMax) +
                                     " elements, too many for a made-up request");
    }
    elements += count;
  }
  return base::OkStatus();
}

// Notes that the model refused the request, or that the server ended at it.
void NoteFailure(V2Server& server, const std::string& message, Trial& trial) {
  const base::Result<bool> live = server.Healthy("/v2/health/live");
  if (live.has_value() && *live) {
    trial.refusal = message;
  } else {
    trial.reason = "the server ended at a request of zeros: " + message;
  }
}

}  // namespace

Trial TryModel(V2Server& server, const std::string& model) {
  Trial trial{.model = model};
  base::Result<ModelSignature> signature = server.Model(model, "");
  if (!signature.has_value()) {
    trial.reason = signature.error().message();
    return trial;
  }
  trial.signature = *std::move(signature);
  if (const base::Status size = CheckSize(*trial.signature); !size.ok()) {
    trial.refusal = size.message();
    return trial;
  }
  InputTexts texts;
  texts.fill = "zeros";
  base::Result<std::vector<NamedTensor>> inputs = MakeInputs(*trial.signature, texts);
  if (!inputs.has_value()) {
    trial.refusal = inputs.error().message();
    return trial;
  }
  trial.request = *std::move(inputs);
  trial.command = CommandFor(model, trial.request);
  InferOptions options;
  options.model = model;
  options.wire = Wire::kBinary;
  const auto ask = [&]() -> base::Result<InferAnswer> {
    INFERD_ASSIGN_OR_RETURN(const net::ClientRequest request, EncodeInfer(options, trial.request));
    INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, server.Call(request));
    return DecodeInfer(response);
  };
  const base::Result<InferAnswer> answer = ask();
  if (answer.has_value()) {
    trial.answer = SignaturesOf(answer->outputs);
  } else {
    NoteFailure(server, answer.error().message(), trial);
  }
  return trial;
}

std::string CommandFor(const std::string& model, const std::vector<NamedTensor>& request) {
  const std::string url = "localhost:8000" + ModelPath(model, "") + "/infer";
  size_t bytes = 0;
  for (const NamedTensor& input : request) bytes += input.data.size();
  if (bytes <= kCommandBytes) {
    InferOptions options;
    options.model = model;
    const base::Result<net::ClientRequest> json = EncodeInfer(options, request);
    if (json.has_value() && json->body.size() <= kCommandBytes) {
      return "curl -s " + url + " -d " + Quoted(json->body);
    }
  }
  if (!AllZeroBytes(request)) return "inferctl infer " + Quoted(model) + " --fill zeros";
  const std::string head = BinaryHead(request);
  return "{ printf %s " + Quoted(head) + "; head -c " + std::to_string(bytes) + " /dev/zero; } | curl -s " + url +
         " -H 'Inference-Header-Content-Length: " + std::to_string(head.size()) +
         "' -H 'Content-Type: application/octet-stream' --data-binary @-";
}

std::string TrialText(const Trial& trial) {
  if (!trial.untried.empty()) return "  not tried: " + trial.untried + "\n";
  if (!trial.signature.has_value()) return "  problem: it does not load: " + trial.reason + "\n";
  if (!trial.reason.empty()) return "  problem: " + trial.reason + "\n";
  const std::vector<TensorSignature> asked = SignaturesOf(trial.request);
  Table table({"", "NAME", "DATATYPE", "SHAPE", "TRIED"});
  for (const TensorSignature& input : trial.signature->inputs) {
    table.Add({"input", input.name, std::string(tensor::DataTypeName(input.datatype)), input.shape.ToString(),
               ShapeOf(input.name, asked)});
  }
  for (const TensorSignature& output : trial.signature->outputs) {
    table.Add({"output", output.name, std::string(tensor::DataTypeName(output.datatype)), output.shape.ToString(),
               ShapeOf(output.name, trial.answer)});
  }
  std::string text = trial.refusal.empty()
                         ? "  loaded, and it answers a request of zeros:\n"
                         : "  loaded. It refuses a request of zeros, which may be no values for it: " + trial.refusal +
                               "\n  Send values of your own. Its inputs and outputs:\n";
  text += Indented(table.ToString(), "    ");
  if (!trial.command.empty()) {
    text += "  the same request, to a server that has the model:\n    " + trial.command + "\n";
  }
  return text;
}

void WriteTrial(json::Writer& writer, const Trial& trial) {
  writer.BeginObject();
  writer.Member("model", trial.model);
  writer.Member("loaded", trial.signature.has_value());
  writer.Member("untried", trial.untried);
  writer.Member("reason", trial.reason);
  WriteTrialTensors(writer, "inputs", trial.signature ? trial.signature->inputs : std::vector<TensorSignature>{});
  WriteTrialTensors(writer, "outputs", trial.signature ? trial.signature->outputs : std::vector<TensorSignature>{});
  WriteTrialTensors(writer, "request", SignaturesOf(trial.request));
  WriteTrialTensors(writer, "answer", trial.answer);
  writer.Member("refusal", trial.refusal);
  writer.Member("command", trial.command);
  writer.EndObject();
}

}  // namespace inferd::ctl
