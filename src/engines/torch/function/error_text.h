#pragma once

#include <string>
#include <string_view>

namespace inferd::torchscript {

// Returns the text of a libtorch exception in one line of at most 2 000 bytes. For an error inside a model this is its
// last line, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x3 and 784x256)", without the model's source
// and the library's stack.
std::string ErrorText(std::string_view what);

}  // namespace inferd::torchscript
