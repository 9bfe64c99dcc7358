// A file of TorchScript source, as it stands in a model: what is taken is taken in part, too, and what is refused has
// as much of what it is refused for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engines/torch/function/source_depth.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  constexpr std::ptrdiff_t kAtLeast = 400;  // of anything, in a source that is refused
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
  // A line's end ends texts and comments: what stands before one is a source of its own.
  size_t end = source.find('\n');
  for (int lines = 0; end != std::string_view::npos && lines < 8; ++lines, end = source.find('\n', end + 1)) {
    fuzz::Require(torchscript::CheckSourceDepth(source.substr(0, end + 1)).ok(),
                  "its beginning is refused, and it is not");
  }
  return 0;
}
