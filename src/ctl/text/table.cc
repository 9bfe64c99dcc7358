#include "ctl/text/table.h"

#include <algorithm>
#include <cstdio>

namespace inferd::ctl {

namespace {

// Counts characters instead of bytes: UTF-8 continuation bytes have no width.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Returns the position after the closing quote of the string that begins at `at`.
size_t StringEnd(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return std::min(at + 1, json.size());
}

// Returns the position after the array that begins at `at`, if it contains only numbers and words. Otherwise npos.
size_t FlatArrayEnd(std::string_view json, size_t at) {
  const size_t end = json.find_first_of("]{[\"", at + 1);
  return end != std::string_view::npos && json[end] == ']' ? end + 1 : std::string_view::npos;
}

}  // namespace

void Table::Add(std::vector<std::string> row) {
  for (std::string& cell : row) {
    for (char& c : cell) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
  }
  rows_.push_back(std::move(row));
}

Table& Table::AlignRight(std::vector<size_t> columns) {
  right_ = std::move(columns);
  return *this;
}

std::string Table::ToString() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - Width(row[i]), ' ');
      const bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
      if (i > 0) text += "  ";
      text += right ? padding + row[i] : row[i] + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string PrettyJson(std::string_view json) {
  std::string out;
  size_t depth = 0;
  const auto break_line = [&] { out.append("\n").append(2 * depth, ' '); };
  for (size_t i = 0; i < json.size();) {
    const char c = json[i];
    size_t end = i + 1;
    if (c == '"') {
      end = StringEnd(json, i);
      out += json.substr(i, end - i);
    } else if (c == '[' && FlatArrayEnd(json, i) != std::string_view::npos) {
      end = FlatArrayEnd(json, i);
      for (const char inside : json.substr(i, end - i)) {
        if (inside > ' ') out += inside;
        if (inside == ',') out += ' ';
      }
    } else if (c == '{' || c == '[') {
      out += c;
      const size_t next = json.find_first_not_of(" \t\r\n", end);
      if (next != std::string_view::npos && (json[next] == '}' || json[next] == ']')) {
        out += json[next];
        end = next + 1;
      } else {
        ++depth;
        break_line();
      }
    } else if (c == '}' || c == ']') {
      depth -= depth > 0 ? 1 : 0;
      break_line();
      out += c;
    } else if (c == ',') {
      out += c;
      break_line();
    } else if (c == ':') {
      out += ": ";
    } else if (c > ' ') {
      out += c;
    }
    i = end;
  }
  return out;
}

std::string DurationText(double ns) {
  const char* unit = "ns";
  for (const char* larger : {"us", "ms", "s"}) {
    if (ns < 999.5) break;
    ns /= 1000;
    unit = larger;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", ns < 10 ? 2 : ns < 100 ? 1 : 0, ns, unit);
  return text;
}

}  // namespace inferd::ctl
