#include <gmock/gmock.h>

#include "data/manifest/print.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/pods/image_tag.h"
#include "kserve/model/pods/strategic_merge.h"
#include "kserve/model/pods/template_text.h"

namespace inferd::model {
namespace {

manifest::Value Yaml(std::string_view text) {
  auto documents = manifest::ReadYaml(text, "f");
  EXPECT_TRUE(documents.has_value() && documents->size() == 1) << text;
  return documents.has_value() && documents->size() == 1 ? documents->front() : manifest::Value();
}

struct MergeCase {
  const char* base;
  const char* patch;
  const char* merged;  // JSON, or the error
};
class StrategicMergeTest : public testing::TestWithParam<MergeCase> {};

TEST_P(StrategicMergeTest, MergesAsKubernetesDoes) {
  const auto merged = StrategicMerge(Yaml(GetParam().base), Yaml(GetParam().patch));
  EXPECT_EQ(merged.has_value() ? manifest::ToJson(*merged) : merged.error().message(), GetParam().merged);
}

INSTANTIATE_TEST_SUITE_P(
    Merges, StrategicMergeTest,
    testing::Values(
        MergeCase{"{a: 1, b: {c: 1, d: 2}}", "{b: {d: 3, e: 4}, f: 5}", R"({"a":1,"b":{"c":1,"d":3,"e":4},"f":5})"},
        MergeCase{"{a: 1}", "{a: null, b: null}", R"({"a":1})"},
        MergeCase{"{a: null}", "{a: {b: 1}}", R"({"a":{"b":1}})"},
        MergeCase{"{args: [a, b]}", "{args: [c]}", R"({"args":["c"]})"},
        MergeCase{"{command: [a]}", "{args: [c]}", R"({"command":["a"],"args":["c"]})"},
        MergeCase{"{a: [1]}", "{a: {b: 1}}", R"({"a":{"b":1}})"},
        // New items of the patch come first. Common items keep their order.
        MergeCase{"{env: [{name: A, value: '1'}, {name: B, value: '2'}]}", "{env: [{name: C, value: '3'}]}",
                  R"({"env":[{"name":"C","value":"3"},{"name":"A","value":"1"},{"name":"B","value":"2"}]})"},
        MergeCase{"{env: [{name: A, value: '1'}, {name: B, value: '2'}]}", "{env: [{name: B, value: '3'}]}",
                  R"({"env":[{"name":"A","value":"1"},{"name":"B","value":"3"}]})"},
        MergeCase{"{env: [{name: A}, {name: B}, {name: C}]}", "{env: [{name: C}, {name: X}, {name: A}]}",
                  R"({"env":[{"name":"B"},{"name":"C"},{"name":"X"},{"name":"A"}]})"},
        MergeCase{"{ports: [{containerPort: 80, name: a, protocol: TCP}]}",
                  "{ports: [{containerPort: 81, name: b}, {containerPort: 80, name: c}]}",
                  R"({"ports":[{"containerPort":81,"name":"b"},{"containerPort":80,"name":"c","protocol":"TCP"}]})"},
        MergeCase{"{volumeMounts: [{mountPath: /a, name: x}]}", "{volumeMounts: [{mountPath: /a, name: z}]}",
                  R"({"volumeMounts":[{"mountPath":"/a","name":"z"}]})"},
        MergeCase{"{volumes: [{name: a, emptyDir: {}}]}", "{volumes: [{name: b, emptyDir: {}}]}",
                  R"({"volumes":[{"name":"b","emptyDir":{}},{"name":"a","emptyDir":{}}]})"},
        MergeCase{"{tolerations: [{key: a}]}", "{tolerations: [{key: b}]}", R"({"tolerations":[{"key":"b"}]})"},
        MergeCase{"{containers: [{name: a, env: [{name: A}]}]}", "{containers: [{name: a, env: [{name: B}]}]}",
                  R"({"containers":[{"name":"a","env":[{"name":"B"},{"name":"A"}]}]})"},
        MergeCase{"{env: [{name: A}]}", "{env: [{value: x}]}", "env[0]: does not contain declared merge key: name"},
        MergeCase{"{resources: {limits: {cpu: '1', memory: 1Gi}}}", "{resources: {limits: {cpu: '2'}}}",
                  R"({"resources":{"limits":{"cpu":"2","memory":"1Gi"}}})"}));

struct TemplateCase {
  const char* text;
  const char* expanded;  // or the beginning of the error
};
class TemplateTextTest : public testing::TestWithParam<TemplateCase> {
 protected:
  const ObjectMeta metadata_ = {.name = "digits",
                                .namespace_name = "models",
                                .labels = {{"team", "vision"}, {"a.b/c", "d"}, {"odd", "<a & 'b+\">"}},
                                .annotations = {{"note", "{{.Name}}"}},
                                .creation_timestamp = {},
                                .uid = {}};
};

TEST_P(TemplateTextTest, ExpandsAsGoDoes) {
  const auto expanded = ExpandTemplate(GetParam().text, TemplateValues::Of(metadata_), Escaping::kHtml);
  EXPECT_THAT(expanded.has_value() ? *expanded : expanded.error().message(), testing::StartsWith(GetParam().expanded));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, TemplateTextTest,
    testing::Values(
        TemplateCase{"--model_name={{.Name}}", "--model_name=digits"},
        TemplateCase{"{{ .Name }}-{{.Namespace}}", "digits-models"}, TemplateCase{"plain } { }}", "plain } { }}"},
        TemplateCase{"{{.Labels.team}}", "vision"}, TemplateCase{"[{{.Labels.none}}]", "[]"},
        TemplateCase{"{{index .Labels \"a.b/c\"}}", "d"}, TemplateCase{"{{ index  .Labels  `team` }}", "vision"},
        TemplateCase{"{{.Labels.odd}}", "&lt;a &amp; &#39;b&#43;&#34;&gt;"},
        TemplateCase{"{{.Annotations.note}}", "{{.Name}}"},  // replaced only once
        TemplateCase{"a {{- .Name -}} b", "adigitsb"}, TemplateCase{"a{{/* why */}}b", "ab"},
        TemplateCase{"{{.Name", "'{{.Name': a placeholder is not closed by }}"},
        TemplateCase{"{{.Nam}}", "'{{.Nam}}': no placeholder; there are .Name, .Namespace, .Annotations.KEY"},
        TemplateCase{"{{}}", "'{{}}': no placeholder"}, TemplateCase{"{{.Labels}}", "'{{.Labels}}': no"},
        TemplateCase{"{{.Labels.a-b}}", "'{{.Labels.a-b}}': no"}, TemplateCase{"{{.Name.x}}", "'{{.Name.x}}': no"},
        TemplateCase{"{{if .Name}}x{{end}}", "'{{if .Name}}': no"},
        TemplateCase{"{{.Name | printf \"%s\"}}", "'{{.Name | printf"},
        TemplateCase{"{{index .Labels}}", "'{{index .Labels}}': no"},
        TemplateCase{"{{index.Labels \"a\"}}", "'{{index.Labels"}, TemplateCase{"{{$x}}", "'{{$x}}': no"}));

TEST(ReplacePlaceholdersTest, ReplacesEveryString) {
  const ObjectMeta metadata = {.name = "digits",
                               .namespace_name = "models",
                               .labels = {},
                               .annotations = {},
                               .creation_timestamp = {},
                               .uid = {}};
  const auto container = Yaml("{args: ['--name={{.Name}}', b], env: [{name: M, value: '{{.Namespace}}'}], n: 1}");
  EXPECT_EQ(manifest::ToJson(ReplacePlaceholders(container, metadata).value_or(manifest::Value())),
            R"({"args":["--name=digits","b"],"env":[{"name":"M","value":"models"}],"n":1})");
  const auto failed = ReplacePlaceholders(Yaml("{env: [{name: M, value: '{{.Nope}}'}]}"), metadata);
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message(), testing::StartsWith("env[0].value: '{{.Nope}}': no placeholder"));
}

TEST(ImageTagTest, IsReplacedOrAdded) {
  EXPECT_EQ(WithTag("server", "2"), "server:2");
  EXPECT_EQ(WithTag("server:1", "2"), "server:2");
  EXPECT_EQ(WithTag("registry:5000/a/server", "2"), "registry:5000/a/server:2");
  EXPECT_EQ(WithTag("registry:5000/a/server:v1.0-x", "2"), "registry:5000/a/server:2");
  EXPECT_EQ(WithTag("server:1@sha256:abc", "2"), "server:2");
}

TEST(ImageTagTest, GpusHaveImagesOfTheirOwn) {
  const auto image = [](const char* yaml, const std::optional<std::string>& version, const char* runtime) {
    manifest::Value container = Yaml(yaml);
    SetImageVersion(container, version, runtime);
    return manifest::ToJson(*container.Find("image"));
  };
  constexpr const char* kGpu = "{image: 's:1', resources: {limits: {nvidia.com/gpu: 1}}}";
  EXPECT_EQ(image(kGpu, {}, "kserve-tensorflow-serving"), "\"s:1-gpu\"");
  EXPECT_EQ(image(kGpu, {}, "kserve-torchserve"), "\"s:1-gpu\"");
  EXPECT_EQ(image(kGpu, {}, "kserve-tritonserver"), "\"s:1\"");
  EXPECT_EQ(image(kGpu, "2", "kserve-torchserve"), "\"s:2\"");
  EXPECT_EQ(image("{image: 's:1'}", {}, "kserve-torchserve"), "\"s:1\"");
}

}  // namespace
}  // namespace inferd::model
