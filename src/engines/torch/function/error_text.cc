#include "engines/torch/function/error_text.h"

#include <algorithm>
#include <vector>

namespace inferd::torchscript {

namespace {

constexpr size_t kTextMax = 2000;

// In an error inside a model, pieces of its source precede the message.
constexpr std::string_view kTrace = "Traceback of TorchScript";

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool IsName(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || letter == '.';
}

// True for "RuntimeError: ", "torch.jit.Error: " and similar.
bool BeginsMessage(std::string_view line) {
  const size_t colon = line.find(": ");
  return colon != std::string_view::npos && colon > 0 && std::all_of(line.begin(), line.begin() + colon, IsName);
}

// The library's own stack, or the model's source, follows such a line.
bool EndsMessage(std::string_view line) {
  return line.starts_with("Exception raised from ") || line.starts_with("  File \"") || line == ":";
}

}  // namespace

std::string ErrorText(std::string_view what) {
  std::vector<std::string_view> lines = Lines(what);
  auto begin = lines.begin();
  if (what.find(kTrace) != std::string_view::npos) {
    const auto last = std::find_if(lines.rbegin(), lines.rend(), BeginsMessage);
    if (last != lines.rend()) begin = last.base() - 1;
  }
  std::string text;
  for (auto line = begin; line != lines.end() && !EndsMessage(*line); ++line) {
    std::string_view words = *line;
    while (words.starts_with(' ')) words.remove_prefix(1);
    while (words.ends_with(' ')) words.remove_suffix(1);
    if (words.empty()) continue;
    if (!text.empty()) text += ' ';
    text += words;
  }
  while (text.ends_with(':') || text.ends_with(' ')) text.pop_back();
  if (text.size() > kTextMax) text = text.substr(0, kTextMax) + "...";
  return text.empty() ? "the library does not say why" : text;
}

}  // namespace inferd::torchscript
