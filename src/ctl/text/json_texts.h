#pragma once

#include <string>
#include <vector>

#include "data/json/writer.h"

namespace inferd::ctl {

// Writes a member whose value is an array of strings.
inline void WriteTexts(json::Writer& writer, json::KeyText key, const std::vector<std::string>& texts) {
  writer.Key(key);
  writer.BeginArray();
  for (const std::string& text : texts) writer.String(text);
  writer.EndArray();
}

}  // namespace inferd::ctl
