#include "engines/onnxruntime/library/error_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace inferd::onnxruntime {

namespace {

constexpr std::string_view kSources = "/onnxruntime_src/";
constexpr std::string_view kContrib = "ai.onnx.contrib";

// The library's own domains: an unknown operator in one of them is missing in this release.
constexpr std::array<std::string_view, 8> kOwnDomains = {"",
                                                         "ai.onnx",
                                                         "ai.onnx.ml",
                                                         "ai.onnx.training",
                                                         "ai.onnx.preview.training",
                                                         "com.microsoft",
                                                         "com.microsoft.nchwc",
                                                         "com.ms.internal.nhwc"};

// Moves `*at` behind the bracket that closes the one at `*at`. Returns false if there is none.
bool SkipBrackets(std::string_view text, char open, char close, size_t* at) {
  int depth = 0;
  for (; *at < text.size(); ++*at) {
    if (text[*at] == open) ++depth;
    if (text[*at] == close && --depth == 0) {
      ++*at;
      return true;
    }
  }
  return false;
}

// Returns the start of the text after "path.cc:12 type Class::Function(arguments) const [with T = int] ", which begins
// at `begin`.
size_t EndOfPlace(std::string_view text, size_t begin) {
  size_t at = text.find(' ', begin);
  const size_t line = text.rfind(':', at);
  if (at == std::string_view::npos || line == std::string_view::npos || line < begin) return begin;
  const size_t after_path = at + 1;
  // An operator's name, and a type with function types, have brackets of their own.
  do {
    at = text.find('(', at);
    if (at == std::string_view::npos || text.substr(after_path, at - after_path).find('\n') != std::string_view::npos) {
      return after_path;
    }
    if (!SkipBrackets(text, '(', ')', &at)) return after_path;
  } while (at < text.size() && text[at] != ' ' && text[at] != '\n');
  for (const std::string_view word : {" const", " noexcept"}) {
    if (text.substr(at).starts_with(word)) at += word.size();
  }
  if (text.substr(at).starts_with(" [with ")) {
    ++at;
    if (!SkipBrackets(text, '[', ']', &at)) return after_path;
  }
  return std::min(text.size(), text.find_first_not_of(' ', at));
}

// Returns the text between `before` and `after`. Empty if they are missing.
std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = text.substr(begin + before.size());
  const size_t end = rest.find(after);
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

std::string_view NumberAfter(std::string_view text, std::string_view before) {
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = text.substr(begin + before.size());
  return rest.substr(0, std::min(rest.size(), rest.find_first_not_of("0123456789")));
}

// Parses "Fatal error: ai.onnx.contrib:StringLength(-1) is not a registered function/op".
std::string_view DomainOfUnregistered(std::string_view text) {
  const size_t end = text.find(" is not a registered function/op");
  if (end == std::string_view::npos) return {};
  const std::string_view before = text.substr(0, end);
  const size_t begin = before.rfind(' ') == std::string_view::npos ? 0 : before.rfind(' ') + 1;
  const std::string_view name = before.substr(begin);
  const size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

std::string NewerOperator() {
  return ": this release of ONNX Runtime does not have it; export the model without it, with an older opset or an "
         "older "
         "exporter";
}

std::string ForDomain(std::string_view domain, bool is_imported, bool has_libraries) {
  if (std::ranges::find(kOwnDomains, domain) != kOwnDomains.end()) {
    return is_imported
               ? NewerOperator()
               : ": add the domain to the model's opset_import (onnx.helper.make_model(..., opset_imports=[...]))";
  }
  std::string text =
      has_libraries ? ": no library that op_library_filename names has such operators"
                    : ": operators of such a domain come from a library: put it into the model's folder and name it "
                      "in config.pbtxt, model_operations { op_library_filename: \"LIBRARY.so\" }; the server opens it "
                      "if --allow-op-library names that folder";
  if (domain == kContrib) text += "; the library of this domain is in the Python package onnxruntime-extensions";
  if (!is_imported) text += "; the model's opset_import needs the domain, too";
  return text;
}

std::string Remedy(std::string_view message, bool has_libraries) {
  if (const auto version = NumberAfter(message, "max supported IR version: "); !version.empty()) {
    const std::string number(version);
    return ": write that version into the file (model = onnx.load(FILE); model.ir_version = " + number +
           "; onnx.save(model, FILE)), or export with onnx.helper.make_model(..., ir_version=" + number + ")";
  }
  if (const auto opset = NumberAfter(message, " is till opset "); !opset.empty()) {
    const std::string number(opset);
    return ": export the model with opset " + number +
           ", or convert it: onnx.version_converter.convert_version(model, " + number + ")";
  }
  if (message.find("No opset import for domain '") != std::string_view::npos) {
    return ForDomain(Between(message, "No opset import for domain '", "'"), false, has_libraries);
  }
  if (message.find(" is not a registered function/op") != std::string_view::npos) {
    return ForDomain(DomainOfUnregistered(message), true, has_libraries);
  }
  if (message.find("No Op registered for ") != std::string_view::npos) return NewerOperator();
  return {};
}

}  // namespace

std::string WithoutSourcePlaces(std::string_view message) {
  std::string text;
  while (true) {
    const size_t place = message.find(kSources);
    text += message.substr(0, place);
    if (place == std::string_view::npos) return text;
    const size_t end = EndOfPlace(message, place);
    if (end == place) {  // another form, which is kept
      text += message.substr(place, kSources.size());
      message.remove_prefix(place + kSources.size());
    } else {
      message.remove_prefix(end);
    }
  }
}

std::string ExplainLoadError(std::string_view message, bool has_libraries) {
  constexpr std::string_view kLoadModelFrom = "Load model from ";
  constexpr std::string_view kFailed = " failed:";
  if (const size_t failed = message.find(kFailed);
      message.starts_with(kLoadModelFrom) && failed != std::string_view::npos) {
    message.remove_prefix(failed + kFailed.size());
  }
  std::string text = WithoutSourcePlaces(message);
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == '.')) {
    text.pop_back();
  }
  return text + Remedy(text, has_libraries);
}

}  // namespace inferd::onnxruntime
