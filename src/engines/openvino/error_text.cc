#include "engines/openvino/error_text.h"

#include "base/text/utf8.h"

namespace inferd::openvino {

namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// "Exception from src/inference/src/cpp/core.cpp:84:" has no text after it; "Check 'x' failed at
// src/core/src/model.cpp:264:" may have some.
std::string_view WithoutPlace(std::string_view line) {
  if (line.starts_with("Exception from src/") || line.starts_with("FrontEnd API failed with ")) return {};
  if (!line.starts_with("Check '") || line.find("' failed at src/") == std::string_view::npos) return line;
  const size_t place = line.find("' failed at src/");
  const size_t end = line.find(':', line.find(':', place) + 1);
  return end == std::string_view::npos ? std::string_view() : Trimmed(line.substr(end + 1));
}

}  // namespace

std::string ErrorText(std::string_view what) {
  std::string text;
  while (!what.empty()) {
    const size_t end = what.find('\n');
    const std::string_view line = WithoutPlace(Trimmed(what.substr(0, end)));
    what = end == std::string_view::npos ? std::string_view() : what.substr(end + 1);
    if (line.empty()) continue;
    if (!text.empty()) text += text.ends_with(':') || text.ends_with('.') ? " " : "; ";
    text += line;
  }
  if (text.find("No translator found for ") != std::string::npos) {
    text +=
        " OpenVINO lacks this operator: serve the model that the file was made from with another engine, such as a "
        "SavedModel with tensorflow";
  }
  // Its quotations from a file may have any bytes.
  return text.empty() ? "OpenVINO says nothing of why" : base::ReplaceMalformedUtf8(text);
}

}  // namespace inferd::openvino
