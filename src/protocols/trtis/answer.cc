#include "protocols/trtis/answer.h"

#include <algorithm>

#include "base/text/utf8.h"
#include "data/wire/append.h"
#include "protocols/trtis/model_version.h"
#include "protocols/trtis/text_form.h"
#include "protocols/v2/ranking.h"

namespace inferd::trtis {

namespace {

// Finds the largest elements of each entry of the batch, largest first.
void Rank(const core::InferTensor& tensor, const core::TensorSpec* spec, uint32_t entries, uint32_t count,
          Answer::Output& output) {
  const auto elements = static_cast<size_t>(tensor.shape.ElementCount().value_or(0)) / entries;
  output.classes_per_entry = std::min<size_t>(count, elements);
  output.classes.reserve(entries * output.classes_per_entry);
  v2::WithValues(tensor, [&](auto at) {
    std::vector<size_t> order;
    for (size_t entry = 0; entry < entries; ++entry) {
      const auto in_entry = [&](size_t i) { return at(entry * elements + i); };
      v2::RankElements(in_entry, elements, output.classes_per_entry, order);
      for (size_t i = 0; i < output.classes_per_entry; ++i) {
        Answer::Class& found = output.classes.emplace_back();
        found.index = static_cast<int32_t>(order[i]);
        found.value = static_cast<float>(in_entry(order[i]));
        if (spec != nullptr && order[i] < spec->labels.size()) found.label = spec->labels[order[i]];
      }
    }
  });
}

base::Status UnexpectedShape(const core::InferTensor& tensor, uint64_t bytes) {
  return base::InvalidArgument("unexpected shape " + tensor.shape.ToString() + " for inference output '" + tensor.name +
                               "', expecting " + std::to_string(bytes) + " bytes");
}

std::string ClassMessage(const Answer::Class& found) {
  std::string message;
  if (found.index != 0) wire::AppendNumber(1, found.index, &message);
  if (found.value != 0) wire::AppendFloat(2, found.value, &message);
  if (!found.label.empty()) {  // a line of a file, which may have any content
    wire::AppendBytes(3, base::IsUtf8(found.label) ? found.label : base::ReplaceMalformedUtf8(found.label), &message);
  }
  return message;
}

std::string OutputMessage(const Answer::Output& output, uint32_t entries) {
  std::string message;
  wire::AppendBytes(1, output.name, &message);
  if (output.raw) {
    std::string raw;
    if (output.byte_size != 0) wire::AppendNumber(1, static_cast<int64_t>(output.byte_size), &raw);
    wire::AppendBytes(2, raw, &message);
    return message;
  }
  for (size_t entry = 0; entry < entries; ++entry) {
    std::string classes;
    for (size_t i = 0; i < output.classes_per_entry; ++i) {
      wire::AppendBytes(1, ClassMessage(output.classes[entry * output.classes_per_entry + i]), &classes);
    }
    wire::AppendBytes(3, classes, &message);
  }
  return message;
}

void AppendField(std::string& out, std::string_view name, uint64_t value) {
  out += name;
  AppendDecimal(out, value);
  out.push_back('\n');
}

void AppendClassText(std::string& out, const Answer::Class& found) {
  out += "    cls {\n";
  if (found.index != 0) AppendField(out, "      idx: ", static_cast<uint64_t>(found.index));
  if (found.value != 0) {
    out += "      value: ";
    AppendFloatText(out, found.value);
    out.push_back('\n');
  }
  if (!found.label.empty()) {
    out += "      label: ";
    AppendQuoted(out, found.label);
    out.push_back('\n');
  }
  out += "    }\n";
}

void AppendOutputText(std::string& out, const Answer::Output& output, uint32_t entries) {
  out += "output {\n  name: ";
  AppendQuoted(out, output.name);
  out.push_back('\n');
  if (output.raw) {
    out += "  raw {\n";
    if (output.byte_size != 0) AppendField(out, "    byte_size: ", output.byte_size);
    out += "  }\n";
  }
  for (size_t entry = 0; !output.raw && entry < entries; ++entry) {
    out += "  batch_classes {\n";
    for (size_t i = 0; i < output.classes_per_entry; ++i) {
      AppendClassText(out, output.classes[entry * output.classes_per_entry + i]);
    }
    out += "  }\n";
  }
  out += "}\n";
}

}  // namespace

base::Result<Answer> MakeAnswer(const core::InferResponse& response, const AnswerPlan& plan,
                                const core::ModelSignature& signature, std::string_view version) {
  Answer answer{.model = response.model_name, .version = 0, .batch_size = plan.batch_size, .outputs = {}};
  INFERD_ASSIGN_OR_RETURN(answer.version, VersionNumber(version));
  if (plan.outputs.empty()) return answer;
  if (response.outputs.size() != plan.outputs.size()) {
    return std::unexpected(base::Internal("expected " + std::to_string(plan.outputs.size()) + " outputs, got " +
                                          std::to_string(response.outputs.size())));
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const core::InferTensor& tensor = response.outputs[i];
    const AnswerPlan::Output& wanted = plan.outputs[i];
    if (tensor.data.size() != wanted.byte_size * plan.batch_size) {
      return std::unexpected(UnexpectedShape(tensor, wanted.byte_size * plan.batch_size));
    }
    Answer::Output& output = answer.outputs.emplace_back();
    output.name = tensor.name;
    output.raw = !wanted.classes.has_value();
    output.byte_size = wanted.byte_size;
    if (output.raw) continue;
    const int index = signature.FindOutput(tensor.name);
    Rank(tensor, index < 0 ? nullptr : &signature.outputs[static_cast<size_t>(index)], plan.batch_size, *wanted.classes,
         output);
  }
  return answer;
}

std::string AnswerText(const Answer& answer) {
  constexpr size_t kTypicalOutput = 96;
  std::string text;
  text.reserve(kTypicalOutput * (1 + answer.outputs.size()));
  text += "model_name: ";
  AppendQuoted(text, answer.model);
  text.push_back('\n');
  if (answer.version != 0) AppendField(text, "model_version: ", answer.version);
  AppendField(text, "batch_size: ", answer.batch_size);
  for (const Answer::Output& output : answer.outputs) AppendOutputText(text, output, answer.batch_size);
  return text;
}

std::string AnswerMessage(const Answer& answer) {
  std::string message;
  message.reserve(128);
  wire::AppendBytes(1, answer.model, &message);
  if (answer.version != 0) wire::AppendNumber(2, answer.version, &message);
  wire::AppendNumber(3, answer.batch_size, &message);
  for (const Answer::Output& output : answer.outputs) {
    wire::AppendBytes(4, OutputMessage(output, answer.batch_size), &message);
  }
  return message;
}

}  // namespace inferd::trtis
