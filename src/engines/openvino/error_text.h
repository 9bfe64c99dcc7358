#pragma once

#include <string>
#include <string_view>

namespace inferd::openvino {

// Returns the text of an OpenVINO exception in one line, without locations in the library's source.
std::string ErrorText(std::string_view what);

}  // namespace inferd::openvino
