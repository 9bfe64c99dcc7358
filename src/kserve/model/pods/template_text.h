#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// What the placeholders of a text stand for.
struct TemplateValues {
  StringMap fields;                       // {{.Name}}
  std::map<std::string, StringMap> maps;  // {{.Labels.team}}, {{index .Labels "example.com/team"}}

  // Name, Namespace, Labels and Annotations.
  static TemplateValues Of(const ObjectMeta& metadata);
};

enum class Escaping { kNone, kHtml };

// The text with its placeholders replaced (Go: text/template or, with kHtml, html/template, whose values have
// & < > " ' + escaped, as KServe 0.10 has it). A key that a map lacks is an empty text. Spaces in the braces make no
// difference; {{- and -}} take the white space beside them along.
//
// INVALID_ARGUMENT: braces that are not closed, fields that there are not, and all else of Go's language (functions,
// pipelines, conditions, variables).
base::Result<std::string> ExpandTemplate(std::string_view text, const TemplateValues& values, Escaping escaping);

// Every string of a document so, with HTML's escaping: KServe 0.10 has the placeholders of a runtime's container
// replaced by the InferenceService's metadata. Errors name the field: "args[0]: ...".
base::Result<manifest::Value> ReplacePlaceholders(const manifest::Value& document, const ObjectMeta& metadata);

}  // namespace inferd::model
