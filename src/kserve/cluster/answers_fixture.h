#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kserve/kubernetes/scripted_api_fixture.h"

// The table of docs/kubernetes.md under "What each answer does", and the answers of its columns.

namespace inferd::cluster {

// The first word of a cell says what happens if nothing was known before, the second what happens if something was.
inline const std::string kWaits = "waits";  // no decision is made, and no object is created
inline const std::string kKept = "kept";    // the last known state stays in force
inline const std::string kNone = "none";    // the thing counts as absent

struct Reply {
  const char* column;
  // `name` is the object's name. Empty if the request is for an API or a list.
  std::string (*of)(const std::string& name);
};

inline const std::vector<Reply>& Replies() {
  static const std::vector<Reply> replies = {
      {"404",
       [](const std::string& name) {
         return name.empty() ? Answer(404, "404 page not found\n")
                             : kubernetes::Answer(404, kubernetes::AbsentJson(name));
       }},
      {"404 of a proxy", [](const std::string&) { return kubernetes::Answer(404, "<html>not found</html>"); }},
      {"401, 403",
       [](const std::string&) { return kubernetes::Answer(403, kubernetes::StatusJson(403, "Forbidden", "no")); }},
      {"410",
       [](const std::string&) { return kubernetes::Answer(410, kubernetes::StatusJson(410, "Expired", "too old")); }},
      {"429, 5xx",
       [](const std::string&) {
         return kubernetes::Answer(503, kubernetes::StatusJson(503, "ServiceUnavailable", "later"));
       }},
      {"none in time", [](const std::string&) { return std::string(); }},
      {"`{}`", [](const std::string&) { return kubernetes::Answer(200, "{}"); }},
      {"no JSON", [](const std::string&) { return kubernetes::Answer(200, "{\"kind\""); }},
  };
  return replies;
}

// Returns the cells of each row of the table, without its heading and its separator line.
inline std::vector<std::vector<std::string>> ReadTable() {
  const auto root = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../../..";
  std::ifstream file(root / "docs/kubernetes.md");
  std::vector<std::vector<std::string>> table;
  bool is_below = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) is_below = line == "### What each answer does";
    if (!table.empty() && !line.starts_with('|')) break;
    if (!is_below || !line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    std::string rest = line.substr(2);
    for (size_t end = rest.find(" |"); end != std::string::npos; end = rest.find(" |")) {
      cells.push_back(rest.substr(0, end));
      rest.erase(0, std::min(end + 3, rest.size()));
    }
    table.push_back(std::move(cells));
  }
  return table;
}

}  // namespace inferd::cluster
