#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::onnxruntime {

// Types of the operators that PatchGraph changes.
inline constexpr std::string_view kPatchedOperators[] = {"ZipMap", "StringNormalizer", "TreeEnsembleClassifier"};

// A model whose graph differs from its file's.
struct PatchedGraph {
  std::string model;  // a ModelProto
  // By output, what its elements stand for: element i of a row belongs to label i.
  std::map<std::string, std::vector<std::string>, std::less<>> labels;
};

// What the operating system is asked: the locale to use in place of one that a model names; empty: that one.
using LocaleChoice = std::function<std::string(std::string_view name)>;

// Changes what a model's own format makes unservable (operators of ONNX's `ai.onnx.ml` and `ai.onnx` domains):
//
//   ZipMap            turns the probabilities of a classifier into a sequence of maps, which no protocol carries. Where
//                     its result is an output of the graph, and nothing else, the output is the probabilities, FP32
//                     [rows, classes], and the keys of the maps become its labels.
//   TreeEnsembleClassifier  of LightGBM's converter: the labels are declared as one element, [1], whatever the rows of
//   the
//                     inputs. Where those may be any number, so may the elements of such an output.
//   StringNormalizer  names a locale, en_US.UTF-8 if it does not say, that the system may lack.
//
// nullopt: there is nothing to change, or `model` is no ModelProto. Everything else in it stays as it is.
std::optional<PatchedGraph> PatchGraph(std::string_view model, const LocaleChoice& locale);

bool HasLocale(const std::string& name);

// For StringNormalizer: empty where the system has the locale `name`, or where another would change letters otherwise
// (Turkish and its like); otherwise C.UTF-8, if there is that.
std::string ChooseLocale(std::string_view name);

}  // namespace inferd::onnxruntime
