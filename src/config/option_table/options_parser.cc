#include "config/option_table/options_parser.h"

#include <filesystem>

#include "base/text/masking.h"
#include "base/text/nearest_name.h"
#include "config/option_table/option_assignments.h"

namespace inferd::config {
namespace {

using Chosen = std::map<const Option*, std::vector<Assignment>>;

// Values from a source of higher precedence replace those of lower ones; lists are replaced as a whole.
void Override(Chosen& chosen, std::vector<Assignment> values) {
  Chosen layer;
  for (Assignment& value : values) layer[value.option].push_back(std::move(value));
  for (auto& [option, assignments] : layer) chosen[option] = std::move(assignments);
}

// Uses the environment for meta options without a flag.
MetaOptions MetaOptionsOf(const OptionSources& sources) {
  MetaOptions meta = FindMetaOptions(sources.arguments);
  const auto from_environment = [&](const char* name, std::string& value) {
    const auto it = sources.environment.find(name);
    if (value.empty() && it != sources.environment.end()) value = it->second;
  };
  from_environment("INFERD_AS", meta.as);
  from_environment("INFERD_CONFIG", meta.config_file);
  return meta;
}

base::Result<const Personality*> ChoosePersonality(const OptionSources& sources, const std::string& as) {
  if (as.empty()) {
    const Personality* by_name = FindPersonality(std::filesystem::path(sources.program_name).filename().string());
    return by_name == nullptr ? &DefaultPersonality() : by_name;
  }
  const Personality* personality = FindPersonality(as);
  if (personality != nullptr) return personality;
  base::NearestName nearest(as);
  for (const auto* known : Personalities()) nearest.Offer(known->name);
  return std::unexpected(base::InvalidArgument("--as: there is no personality '" + as + "'" + nearest.Suggestion()));
}

base::Status Apply(const Chosen& chosen, bool last_wins, ServerOptions& options) {
  for (const auto& [option, assignments] : chosen) {
    if (!option->repeated && !last_wins && assignments.size() > 1 &&
        assignments.front().value != assignments.back().value) {
      return base::InvalidArgument(assignments.back().origin + " is given twice: '" +
                                   base::ShownUri(assignments.front().value) + "' and '" +
                                   base::ShownUri(assignments.back().value) + "'");
    }
    for (const Assignment& assignment : assignments) {
      INFERD_RETURN_IF_ERROR(option->set(options, assignment.value).WithContext(assignment.origin));
    }
  }
  return base::OkStatus();
}

// Refuses given options that cannot have an effect.
base::Status CheckEffect(const Chosen& chosen, const ServerOptions& options) {
  const auto poll = chosen.find(FindOption("poll-interval"));
  if (poll != chosen.end() && options.control_mode != ControlMode::kPoll) {
    return base::InvalidArgument(poll->second.back().origin + " needs --model-control-mode=poll");
  }
  return base::OkStatus();
}

}  // namespace

OptionSources CommandLineSources(int argc, char** argv, char** environment) {
  OptionSources sources;
  if (argc > 0) sources.program_name = argv[0];
  if (argc > 1) sources.arguments.assign(argv + 1, argv + argc);
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos)
      sources.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return sources;
}

int UsageExitStatus(const OptionSources& sources) {
  return ChoosePersonality(sources, MetaOptionsOf(sources).as).value_or(&DefaultPersonality())->usage_exit_status;
}

base::Result<ParsedOptions> ParseServerOptions(const OptionSources& sources) {
  const MetaOptions meta = MetaOptionsOf(sources);
  INFERD_ASSIGN_OR_RETURN(const Personality* personality, ChoosePersonality(sources, meta.as));

  ParsedOptions parsed;
  parsed.options.personality = personality;
  if (meta.help || meta.version) {
    parsed.action = meta.help ? OptionAction::kHelp : OptionAction::kVersion;
    return parsed;
  }
  Chosen chosen;
  const auto take = [&](base::Result<Assignments> read) -> base::Status {
    if (!read.has_value()) return read.error();
    Override(chosen, std::move(read->values));
    std::ranges::move(read->warnings, std::back_inserter(parsed.warnings));
    std::ranges::move(read->notes, std::back_inserter(parsed.notes));
    parsed.show_usage |= read->show_usage;
    return base::OkStatus();
  };
  INFERD_RETURN_IF_ERROR(take(ReadDefaults(*personality)));
  if (!meta.config_file.empty()) INFERD_RETURN_IF_ERROR(take(ReadOptionsFile(meta.config_file)));
  INFERD_RETURN_IF_ERROR(take(ReadEnvironment(sources.environment)));
  INFERD_RETURN_IF_ERROR(take(ReadArguments(sources, *personality)));
  const bool ours = personality == &DefaultPersonality();
  INFERD_RETURN_IF_ERROR(Apply(chosen, !ours, parsed.options));
  for (const PersonalityVariable& variable : personality->variables) {
    const auto given = sources.environment.find(std::string(variable.name));
    if (given == sources.environment.end()) continue;
    INFERD_RETURN_IF_ERROR(variable.set(parsed.options, given->second).WithContext(std::string(variable.name)));
  }
  INFERD_RETURN_IF_ERROR(CheckServerOptions(parsed.options));
  if (ours) INFERD_RETURN_IF_ERROR(CheckEffect(chosen, parsed.options));
  return parsed;
}

}  // namespace inferd::config
