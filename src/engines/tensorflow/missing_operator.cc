#include "engines/tensorflow/missing_operator.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace inferd::tensorflow {

namespace {

constexpr std::string_view kFault = "Op type not registered '";

struct Row {
  std::string_view part;  // of the operator's name
  std::string_view package;
};

constexpr std::string_view kText = "TensorFlow Text (tf_text)";
constexpr Row kPackages[] = {
    {"TFText>", kText},
    {"TokenizeWithOffsets", kText},
    {"Sentencepiece", kText},
    {"Wordpiece", kText},
    {"CaseFold", kText},
    {"NormalizeUTF8", kText},
    {"FindSourceOffsets", kText},
    {"RegexSplit", kText},
    {"SplitMerge", kText},
    {"SentenceFragments", kText},
    {"ConstrainedSequence", kText},
    {"MaxSpanningTree", kText},
    {"RoundRobin", kText},
    {"FastBertNormalize", kText},
    {"NgramsStringJoin", kText},
    {"SimpleML", "TensorFlow Decision Forests"},
    {"Addons>", "TensorFlow Addons"},
    {"IO>", "TensorFlow I/O"},
    {"Scann>", "ScaNN"},
};

}  // namespace

std::string WithMissingOperator(std::string message) {
  const size_t at = message.find(kFault);
  if (at == std::string::npos) return message;
  const size_t begin = at + kFault.size();
  const std::string type = message.substr(begin, message.find('\'', begin) - begin);
  const auto* const found =
      std::ranges::find_if(kPackages, [&type](const Row& row) { return type.find(row.part) != std::string::npos; });
  const std::string package(found == std::end(kPackages) ? "a package other than TensorFlow" : found->package);
  return "operator '" + type + "' comes with " + package +
         ", which is not part of this server; a library of such operators can be named in config.pbtxt, "
         "model_operations { op_library_filename }. TensorFlow says: " +
         message;
}

}  // namespace inferd::tensorflow
