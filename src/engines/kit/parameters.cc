#include "engines/kit/parameters.h"

#include <charconv>
#include <string>

namespace inferd::kit {

base::Status ReadNumber(std::string_view key, std::string_view text, int min, int max, int* number) {
  int parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || parsed < min || parsed > max) {
    return base::InvalidArgument("parameter '" + std::string(key) + "': expected a number from " + std::to_string(min) +
                                 " to " + std::to_string(max) + ", got '" + std::string(text) + "'");
  }
  *number = parsed;
  return base::OkStatus();
}

base::Status ReadFlag(std::string_view key, std::string_view text, bool* flag) {
  int number = text == "true" ? 1 : 0;
  if (text != "true" && text != "false") INFERD_RETURN_IF_ERROR(ReadNumber(key, text, 0, 1, &number));
  *flag = number != 0;
  return base::OkStatus();
}

}  // namespace inferd::kit
