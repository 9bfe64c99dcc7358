#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::onnxruntime {

// The types of the operators that PatchGraph() changes.
inline constexpr std::string_view kPatchedOperators[] = {"ZipMap", "StringNormalizer", "TreeEnsembleClassifier"};

// A model whose graph differs from its file's.
struct PatchedGraph {
  std::string model;  // a ModelProto
  // For each output, the meaning of its elements: element i of a row belongs to label i.
  std::map<std::string, std::vector<std::string>, std::less<>> labels;
};

// Returns the locale that replaces the one which a model names. Empty to keep it.
using LocaleChoice = std::function<std::string(std::string_view name)>;

// Changes parts of a model that could not be served as they are (operators of ONNX's `ai.onnx.ml` and `ai.onnx`
// domains):
//
//   ZipMap            turns a classifier's probabilities into a sequence of maps, which no protocol carries. If its
//                     result is only an output of the graph, the output becomes the probabilities, FP32
//                     [rows, classes], and the keys of the maps become its labels.
//   TreeEnsembleClassifier  from LightGBM's converter declares the labels as one element, [1], whatever the number of
//                     the inputs' rows. If that is variable, the output's size becomes variable, too.
//   StringNormalizer  names a locale, by default en_US.UTF-8, that the system may lack.
//
// nullopt if there is nothing to change, or `model` is not a ModelProto. Everything else stays unchanged.
std::optional<PatchedGraph> PatchGraph(std::string_view model, const LocaleChoice& locale);

bool HasLocale(const std::string& name);

// For StringNormalizer: empty if the system has the locale `name`, or if another one would convert letters differently
// (Turkish and similar). Otherwise C.UTF-8, if it exists.
std::string ChooseLocale(std::string_view name);

}  // namespace inferd::onnxruntime
