// Fuzzes the check of TorchScript source in a model. If a source is accepted, each part of it must be accepted, too. A
// refused source must really have as much as it is refused for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engines/torch/function/source_depth.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  constexpr std::ptrdiff_t kAtLeast = 400;  // the minimum count of something in a refused source
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const base::Status verdict = torchscript::CheckSourceDepth(source);
  if (!verdict.ok()) {
    fuzz::RequireRefused(verdict);
    const bool brackets = verdict.message().find("brackets") != std::string_view::npos;
    const auto open =
        std::ranges::count_if(source, [](char letter) { return std::string_view("([{").contains(letter); });
    fuzz::Require(brackets ? open >= kAtLeast : size >= kAtLeast, "refused for what is not there");
    return 0;
  }
  // A line's end also ends strings and comments, so the text before it is a complete source.
  size_t end = source.find('\n');
  for (int lines = 0; end != std::string_view::npos && lines < 8; ++lines, end = source.find('\n', end + 1)) {
    fuzz::Require(torchscript::CheckSourceDepth(source.substr(0, end + 1)).ok(),
                  "its beginning is refused, and it is not");
  }
  return 0;
}
