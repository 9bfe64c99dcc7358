// docs/models.md, docs/model-configuration.md and docs/options.md must agree with the code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "config/format/format_table.h"
#include "config/model/model_config_completion.h"
#include "config/model/model_config_parser.h"
#include "config/model/unacted_fields.h"
#include "config/option_table/option_table.h"
#include "config/option_table/options_parser.h"
#include "config/own_engines.h"
#include "config/personalities/tritonserver_flags.h"
#include "config/personality.h"

namespace inferd::config {
namespace {

// The tests are in build/<preset>/bin.
std::string ReadDocument(const std::string& name) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream file(program.parent_path() / "../../../docs" / name);
  EXPECT_TRUE(file.good()) << name;
  return (std::ostringstream() << file.rdbuf()).str();
}

// Returns the fenced block of that language.
std::string BlockOf(const std::string& document, const std::string& language) {
  const std::string fence = "```" + language + "\n";
  const size_t begin = document.find(fence);
  EXPECT_NE(begin, std::string::npos) << language;
  if (begin == std::string::npos) return "";
  return document.substr(begin + fence.size(), document.find("```", begin + fence.size()) - begin - fence.size());
}

TEST(DocumentationTest, TheExampleConfigurationsComplete) {
  for (const char* page : {"models.md", "model-configuration.md"}) {
    const auto parsed = ParseModelConfig(BlockOf(ReadDocument(page), "pbtxt"), page);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
    const auto resolved = ResolveModel(*parsed, "digits", {{"model.onnx"}}, {});
    ASSERT_TRUE(resolved.has_value()) << resolved.error().ToString();
    const TensorInfo pixels{.name = "pixels", .datatype = tensor::DataType::kFp32, .shape = {-1, 64}};
    const TensorInfo scores{.name = "scores", .datatype = tensor::DataType::kFp32, .shape = {-1, 10}};
    const auto completed =
        CompleteModel(*resolved, {pixels}, {scores}, {}, DecideBatching(*resolved, {pixels}, {&scores, 1}, {}));
    EXPECT_TRUE(completed.has_value()) << completed.error().ToString();
  }
}

// Returns a row of the table of formats as in docs/models.md.
std::string RowOf(const Format& format) {
  std::string files;
  for (const std::string_view file : format.files) {
    if (!file.empty()) files += (files.empty() ? "`" : ", `") + std::string(file) + "`";
  }
  if (!format.companion.empty()) files += " with `" + std::string(format.companion) + "`";
  const Platform& platform = *PlatformOf(format);
  return "| " + files + " | " + std::string(format.name) + " | " +
         (platform.name.empty() ? "" : "`" + std::string(platform.name) + "`") + " | `" + std::string(platform.engine) +
         "` |\n";
}

TEST(DocumentationTest, TheTableOfFormatsIsTheTable) {
  std::string table = "| file in the version folder | format | platform | engine |\n|---|---|---|---|\n";
  for (const Format& format : Formats()) {
    if (PlatformOf(format) != nullptr) table += RowOf(format);
  }
  EXPECT_NE(ReadDocument("models.md").find("\n" + table + "\n"), std::string::npos) << table;
}

// docs/engines.md must have a row for each format of an installable engine.
TEST(DocumentationTest, FormatsThatAreServedAreListed) {
  const std::string page = ReadDocument("engines.md");
  for (const OwnEngine& engine : kOwnEngines) {
    for (const NamedFormat& format : FormatsOf(engine.name)) {
      std::string files;
      for (const std::string& file : format.files) files += (files.empty() ? "`" : ", `") + file + "`";
      const std::string row =
          "| " + std::string(format.name) + " | " + files + " | `" + std::string(engine.name) + "` | ";
      EXPECT_NE(page.find("\n" + row), std::string::npos) << "engines.md lacks " << row;
    }
  }
}

TEST(DocumentationTest, TheExamplesOfRaggedBatchesAndPaddingHoldUp) {
  const std::string page = ReadDocument("model-configuration.md");
  for (const std::string section : {"### Ragged batches", "### padding"}) {
    const size_t begin = page.find(section);
    ASSERT_NE(begin, std::string::npos) << section;
    const std::string text = "backend: \"onnxruntime\" max_batch_size: 8\n" + BlockOf(page.substr(begin), "");
    const auto parsed = ParseModelConfig(text, section);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
    const auto resolved = ResolveModel(*parsed, "m", {{"model.onnx"}}, {});
    EXPECT_TRUE(resolved.has_value()) << resolved.error().ToString();
  }
}

TEST(DocumentationTest, FieldsThatChangeNothingAreListed) {
  const std::string page = ReadDocument("model-configuration.md");
  for (const UnactedField& field : UnactedFields()) {
    const std::string row = "| `" + std::string(field.path) + "` | " + std::string(field.reason);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(DocumentationTest, TheExampleFileOfOptionsIsRead) {
  const auto path = std::filesystem::temp_directory_path() / ("documentation_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(path) << BlockOf(ReadDocument("options.md"), "yaml");
  const auto parsed = ParseServerOptions({"inferd", {"--config=" + path.string()}, {}});
  std::filesystem::remove(path);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.repositories[0].name, "main");
  EXPECT_EQ(parsed->options.http.tls.key_file, "/etc/inferd/tls.key");
  EXPECT_TRUE(parsed->options.log.access);
}

TEST(DocumentationTest, TheListOfOptionsIsTheHelp) {
  EXPECT_EQ(BlockOf(ReadDocument("options.md"), "text"), ServerOptionsHelp(DefaultPersonality()));
}

// "Coming from Triton" must have each flag once, and mark flags without effect.
TEST(DocumentationTest, EveryFlagOfTritonIsNamed) {
  const std::string page = ReadDocument("coming-from-triton.md");
  const size_t begin = page.find("## Flag by flag");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream table(page.substr(begin, page.find("\n## ", begin + 1) - begin));
  std::map<std::string, bool> idle;  // by name
  for (std::string line; std::getline(table, line);) {
    if (!line.starts_with("| `--")) continue;
    const std::string flags = line.substr(0, line.find(" | ", 2));
    for (size_t at = flags.find("`--"); at != std::string::npos; at = flags.find("`--", at + 1)) {
      const std::string name = flags.substr(at + 3, flags.find('`', at + 3) - at - 3);
      EXPECT_TRUE(idle.emplace(name, line.find("**no effect**") != std::string::npos).second) << name << " twice";
      EXPECT_TRUE(FindOption(name) != nullptr || name == "help" ||
                  std::ranges::find(TritonserverFlags(), name, &PersonalityFlag::name) != TritonserverFlags().end())
          << name << " is none";
    }
  }
  for (const PersonalityFlag& flag : TritonserverFlags()) {
    const auto named = idle.find(std::string(flag.name));
    ASSERT_NE(named, idle.end()) << flag.name << " is not named";
    EXPECT_EQ(named->second, flag.option.empty() && !flag.combined) << flag.name;
  }
}

}  // namespace
}  // namespace inferd::config
