#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// The values of a text's placeholders.
struct TemplateValues {
  StringMap fields;                       // {{.Name}}
  std::map<std::string, StringMap> maps;  // {{.Labels.team}}, {{index .Labels "example.com/team"}}

  // Returns the values of Name, Namespace, Labels and Annotations.
  static TemplateValues Of(const ObjectMeta& metadata);
};

enum class Escaping { kNone, kHtml };

// Returns the text with its placeholders replaced. Follows Go's text/template or, with kHtml, html/template as KServe
// 0.10 does: values have & < > " ' + escaped. A missing key of a map gives an empty text. Spaces in the braces are
// ignored. {{- and -}} also remove the adjacent white space.
//
// INVALID_ARGUMENT: unclosed braces, unknown fields, and the rest of Go's template language (functions, pipelines,
// conditions, variables).
base::Result<std::string> ExpandTemplate(std::string_view text, const TemplateValues& values, Escaping escaping);

// Replaces the placeholders in every string of a document, with HTML escaping, by the InferenceService's metadata.
// KServe 0.10 does so for a runtime's container. Errors name the field: "args[0]: ...".
base::Result<manifest::Value> ReplacePlaceholders(const manifest::Value& document, const ObjectMeta& metadata);

}  // namespace inferd::model
