#include "kserve/gateway/service_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::gateway {
namespace {

using model::ComponentKind;

ComponentShares Shares(ComponentKind kind, const std::string& backend) {
  ComponentShares shares{.kind = kind};
  shares.destinations.push_back(
      {.backend = std::make_shared<gateway::Backend>(backend, gateway::BackendOptions{}), .percent = 100});
  return shares;
}

class ServiceRoutesTest : public ::testing::Test {
 protected:
  gateway::RouteTable Table(const std::vector<ComponentShares>& components, bool short_names = false) {
    gateway::RouteList routes;
    const base::Status added = AddServiceRoutes(service_, components, {config_, short_names}, routes);
    EXPECT_TRUE(added.ok()) << added.message();
    gateway::RouteTable table;
    table.Replace("models/digits", std::move(routes));
    return table;
  }
  static std::string Whose(const gateway::RouteTable& table, std::string_view host, std::string_view path = "/") {
    const gateway::Route* const route = table.Find(host, path);
    return route == nullptr ? "" : route->destinations.front().backend->name();
  }

  const model::InferenceService service_ = model::ParseAs<model::InferenceService>(
      model::ServiceYaml("  predictor:\n    containers: [{name: kserve-container, image: a}]\n"));
  model::InferenceServiceConfig config_;
};

TEST_F(ServiceRoutesTest, EachComponentHasItsRequests) {
  config_.ingress.path_template = "/serving/{{ .Namespace }}/{{ .Name }}";
  const auto table = Table({Shares(ComponentKind::kPredictor, "p"), Shares(ComponentKind::kTransformer, "t"),
                            Shares(ComponentKind::kExplainer, "e")});
  for (const auto& [host, path, whose] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"digits-models.example.com", "/v1/models/digits:predict", "t"},
           {"digits-models.example.com", "/v1/models/digits:explain", "e"},
           {"digits.models.svc.cluster.local", "/v2/models/digits/explain", "e"},
           {"digits-predictor-default-models.example.com", "/v1/models/digits:explain", "p"},
           {"digits-predictor-default.models.svc.cluster.local:80", "/", "p"},
           {"digits-transformer-default.models.svc.cluster.local", "/", "t"},
           {"digits-explainer-default.models.svc.cluster.local", "/", "e"},
           {"any.host", "/serving/models/digits/v1/models/digits:predict", "t"},
           {"any.host", "/serving/models/digits/v1/models/digits:explain", "e"},
           {"any.host", "/serving/models/other/", ""},
           {"digits.models", "/", ""}}) {
    EXPECT_EQ(Whose(table, host, path), whose) << host << path;
  }
  EXPECT_EQ(table.Find("any.host", "/serving/models/digits/x")->strip_prefix, "/serving/models/digits");
}

TEST_F(ServiceRoutesTest, ProgramsOfAClusterMaySayLess) {
  const auto table = Table({Shares(ComponentKind::kPredictor, "p")}, true);
  for (const std::string name : {"digits.models", "digits.models.svc", "digits-predictor-default.models.svc:8080"}) {
    EXPECT_EQ(Whose(table, name), "p") << name;
  }
}

TEST_F(ServiceRoutesTest, TagsHaveHosts) {
  ComponentShares shares = Shares(ComponentKind::kPredictor, "new");
  shares.destinations.front().percent = 10;
  shares.timeout = std::chrono::seconds(7);
  shares.destinations.push_back(
      {.backend = std::make_shared<gateway::Backend>("old", gateway::BackendOptions{}), .percent = 90, .tag = "prev"});
  const auto table = Table({shares});
  EXPECT_EQ(table.Find("digits-models.example.com", "/")->destinations.size(), 2U);
  EXPECT_EQ(table.Find("digits-models.example.com", "/")->timeout, std::chrono::seconds(7));
  EXPECT_EQ(Whose(table, "prev-digits-predictor-default.models.svc.cluster.local"), "old");
  EXPECT_EQ(Whose(table, "prev-digits-models.example.com"), "old");
}

TEST_F(ServiceRoutesTest, ATransformerThatIsNotReadyIsNotPassedBy) {
  const auto table = Table({Shares(ComponentKind::kPredictor, "p"), {.kind = ComponentKind::kTransformer}});
  EXPECT_EQ(Whose(table, "digits-models.example.com"), "");
  EXPECT_EQ(Whose(table, "digits-predictor-default-models.example.com"), "p");
}

TEST_F(ServiceRoutesTest, ATemplateThatMakesNoHostIsSaid) {
  config_.ingress.domain_template = "{{ .Nothing }}";
  gateway::RouteList routes;
  EXPECT_EQ(AddServiceRoutes(service_, std::vector{Shares(ComponentKind::kPredictor, "p")}, {config_}, routes).code(),
            base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::gateway
