#include "ctl/init/model_name.h"

#include <cstddef>

#include "base/text/digits.h"
#include "base/text/printable.h"

namespace inferd::ctl {

namespace {

constexpr size_t kNameBytesMax = 255;  // of a folder's name in Linux
// Endings of names that are two words: a model of MXNet is NAME-symbol.json.
constexpr std::string_view kSymbolEnding = "-symbol";

bool IsKept(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

std::string Legal(std::string text) {
  if (!base::IsPrintable(text)) {
    for (char& c : text) c = static_cast<unsigned char>(c) < 0x80 ? c : '_';
  }
  for (char& c : text) c = IsKept(c) ? c : '_';
  text.erase(0, text.find_first_not_of(".-"));
  if (text.size() > kNameBytesMax) {
    size_t end = kNameBytesMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
    text.resize(end);
  }
  return text.empty() ? "model" : text;
}

}  // namespace

base::Status CheckModelName(std::string_view name) {
  const std::string quoted = base::QuotedName(name);
  if (name.empty()) return base::InvalidArgument("a model's name is not empty");
  if (name.starts_with('.')) {
    return base::InvalidArgument(quoted + " is no name of a model: inferd ignores folders that begin with a dot");
  }
  if (name.find('/') != std::string_view::npos) {
    return base::InvalidArgument(quoted + " is no name of a model: it has a '/'. --repository DIR selects the folder");
  }
  if (name.size() > kNameBytesMax || !base::IsPrintable(name)) {
    return base::InvalidArgument(quoted + " is no name of a model: it has a control character, is not UTF-8, or is " +
                                 "longer than " + std::to_string(kNameBytesMax) + " bytes");
  }
  return base::OkStatus();
}

std::string DefaultModelName(const std::filesystem::path& path, bool is_folder) {
  std::filesystem::path named = path.lexically_normal();
  if (!named.has_filename()) named = named.parent_path();  // "folder/"
  if (!is_folder) {
    std::string stem = named.stem().string();
    if (stem.ends_with(kSymbolEnding) && stem.size() > kSymbolEnding.size()) {
      stem.resize(stem.size() - kSymbolEnding.size());
    }
    return Legal(std::move(stem));
  }
  if (base::IsDigits(named.filename().string()) && named.has_parent_path()) named = named.parent_path();
  const bool has_ending = named.extension() == ".savedmodel";
  return Legal((has_ending ? named.stem() : named.filename()).string());
}

}  // namespace inferd::ctl
