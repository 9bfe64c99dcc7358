// Tests each cell of the table "What each answer does" in docs/kubernetes.md: what the controller does with each answer
// of the API server. The first word of a cell applies if nothing was known before, the second if something was.

#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "kserve/cluster/answers_fixture.h"
#include "kserve/cluster/becomes_fixture.h"
#include "kserve/cluster/objects/cluster_features.h"
#include "kserve/cluster/objects/configuration.h"
#include "kserve/cluster/objects/followed_resource.h"
#include "kserve/cluster/objects/pod_objects.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/coordination/leader_election.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using kubernetes::Resource;
using testing::ElementsAreArray;

const kubernetes::SenderOptions kOnce = {.retry = {.attempts = 1}};

// The answers of a cluster with all features, in the order of the lookups.
struct FeatureAnswers {
  static std::string Kinds(const std::string& plural) {
    return Answer(200, R"({"kind":"APIResourceList","resources":[{"name":")" + plural + R"("}]})");
  }
  std::vector<std::string> answers = {
      Kinds("services"), Kinds("virtualservices"), Kinds("httproutes"),
      Answer(200, R"({"metadata":{"name":"inferd-gateway"}})"),
      Answer(200,
             R"({"metadata":{"name":"config-features"},"data":{"kubernetes.podspec-init-containers":"enabled"}})")};
};

// Returns the state after lookups that find everything except one thing, which is answered with `reply` three times.
std::string LookAt(size_t place, const std::string& reply, bool was_known) {
  constexpr const char* kPaths[] = {"/apis/serving.knative.dev/v1", "/apis/networking.istio.io/v1alpha3",
                                    "/apis/gateway.networking.k8s.io/v1", "/services/inferd-gateway",
                                    "/configmaps/config-features"};
  std::atomic<bool> fails = !was_known;
  const FeatureAnswers all;
  net::ScriptedServer server([&](const std::string& request) {
    const std::string line = request.substr(0, request.find(" HTTP/"));
    size_t asked = 0;
    while (line.find(kPaths[asked]) == std::string::npos) ++asked;
    return asked == place && fails ? reply : all.answers[asked];
  });
  const base::SystemClock system_clock;
  kubernetes::Client client({.server = server.url()}, {.requests_per_second = 10'000, .retry = {.attempts = 1}},
                            system_clock);
  base::FakeClock clock;
  const auto logger = base::Logger::Silent();
  ClusterFeatures features(client, clock, "kserve", [](const Resource*) { return Evidence::kNone; }, *logger);
  if (was_known) features.Look({});
  fails = true;
  for (int look = 0; look < 3; ++look) {
    clock.AdvanceMs(60'000);
    features.Look({});
  }
  if (!features.known()) {
    EXPECT_FALSE(features.doubts().empty());
    return kWaits;
  }
  const bool has[] = {features.Has(KnativeServices()), features.Has(VirtualServices()), features.Has(HttpRoutes()),
                      !features.gateway_host().empty(), features.revisions_take_init_containers()};
  if (!has[place]) return kNone;
  EXPECT_FALSE(features.doubts().empty());
  return kKept;
}

using Cells = std::vector<std::string>;

Cells FeatureCells(std::initializer_list<size_t> places, const std::string& name) {
  std::optional<Cells> cells;
  for (const size_t place : places) {
    Cells of_this;
    for (const Reply& reply : Replies()) {
      of_this.push_back(LookAt(place, reply.of(name), false) + " / " + LookAt(place, reply.of(name), true));
    }
    if (cells.has_value()) {
      EXPECT_EQ(of_this, *cells) << place;
    }
    cells = std::move(of_this);
  }
  return *cells;
}

// The saved configuration is only read at the start.
Cells KeptConfigurationCells() {
  Cells cells;
  for (const Reply& reply : Replies()) {
    kubernetes::ScriptedApi api({reply.of(ConfigurationKeeper::kKeptName)});
    kubernetes::ScriptedClient client(api, kOnce);
    base::FakeClock clock;
    const auto logger = base::Logger::Silent();
    ConfigurationKeeper keeper(*client, clock, "kserve", *logger);
    const bool settled = keeper.Settle(true, {});
    EXPECT_FALSE(keeper.doubts().empty());
    EXPECT_FALSE(keeper.current()->problems.empty()) << "nothing is decided by a guess";
    cells.push_back((settled ? kNone : kWaits) + " / -");
  }
  return cells;
}

// For a Lease, `none` means that it is created.
Cells LeaseCells() {
  Cells cells;
  const auto lease = [](const std::string& holder) {
    return R"({"metadata":{"name":"l","namespace":"n","resourceVersion":"1"},"spec":{"holderIdentity":")" + holder +
           R"(","leaseDurationSeconds":15}})";
  };
  for (const Reply& reply : Replies()) {
    std::string cell;
    for (const bool was_known : {false, true}) {
      std::vector<std::string> script;
      if (was_known) script = {Answer(404, kubernetes::AbsentJson("l")), Answer(201, lease("me"))};
      script.push_back(reply.of("l"));
      script.push_back(Answer(201, lease("me")));
      kubernetes::ScriptedApi api(std::move(script));
      kubernetes::ScriptedClient client(api, kOnce);
      base::FakeClock clock;
      kubernetes::ClusterLease store(*client, {"n", "l"});
      kubernetes::LeaderElection election(store, {.identity = "me"}, clock);
      if (was_known) {
        EXPECT_TRUE(election.Try().value_or(false));
      }
      const bool is_told = election.Try().has_value();
      EXPECT_EQ(election.trouble().empty(), is_told);
      // Without an answer, leadership lasts until the renew deadline.
      EXPECT_EQ(election.leads(), is_told || was_known);
      clock.AdvanceMs(10'000);
      EXPECT_FALSE(election.leads());
      cell += (was_known ? " / " : "") + (is_told ? kNone : was_known ? kKept : kWaits);
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

// A server of lists by label. The label selects the kind of answer; "later" means that the answer becomes valid when
// the test says so.
class ListApi final {
 public:
  std::string AnswerTo(const std::string& request) {
    const std::string line = request.substr(0, request.find(" HTTP/"));
    const size_t at = line.find("labelSelector=");
    const std::string label = line.substr(at + 14, line.find_first_of("&", at) - at - 14);
    const bool later = label.starts_with("later");
    const auto place = static_cast<size_t>(std::stoi(label.substr(5)));
    const bool is_watch = line.find("watch=") != std::string::npos;
    const std::lock_guard lock(mutex_);
    if (later && !has_failed_) {
      return is_watch ? kubernetes::WatchAnswer("") : Answer(200, kubernetes::ListJson(1, {kItem}));
    }
    ++requests_[line.substr(0, line.find('?')) + label];
    return Replies()[place].of("");
  }
  void Fail() {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
  }
  // Returns the least number of requests among the cases with an invalid answer.
  int least() {
    const std::lock_guard lock(mutex_);
    int least = requests_.empty() ? 0 : 1'000;
    for (const auto& [key, count] : requests_) least = std::min(least, count);
    return least;
  }

 private:
  static constexpr const char* kItem = R"({"metadata":{"name":"x","namespace":"m","uid":"u","resourceVersion":"1"}})";

  std::mutex mutex_;
  bool has_failed_ = false;
  std::map<std::string, int> requests_;
};

struct ListRow {
  const char* name;
  std::vector<Resource> resources;
  Evidence evidence = Evidence::kNone;
};

const std::vector<ListRow>& ListRows() {
  static const Resource secrets = {"", "v1", "Secret", "secrets"};
  static const Resource mutating = {"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
                                    "mutatingwebhookconfigurations", false};
  static const Resource validating = {"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
                                      "validatingwebhookconfigurations", false};
  static const std::vector<ListRow> rows = [] {
    std::vector<Resource> own = {Pods()};
    std::vector<Resource> optional;
    for (const WrittenResource& written : WrittenResources()) {
      (written.optional ? optional : own).push_back(written.resource);
    }
    const std::vector<Resource> kserve = {InferenceServices(), InferenceGraphs(), ServingRuntimes(),
                                          ClusterServingRuntimes(), TrainedModels()};
    return std::vector<ListRow>{{"lists of KServe's kinds", kserve},
                                {"the same, where objects were made by them", kserve, Evidence::kContradicting},
                                {"lists of Kubernetes' own kinds, `inferenceservice-config` among them", own},
                                {"lists of Knative Services, VirtualServices, HTTPRoutes", optional},
                                {"webhooks' configurations and certificates", {secrets, mutating, validating}}};
  }();
  return rows;
}

// Watches objects while their lists are answered in each way. All rows run in parallel, since each needs several
// attempts.
class FollowedLists final {
 public:
  FollowedLists() {
    for (const bool later : {false, true}) {
      for (const ListRow& row : ListRows()) {
        for (const Resource& resource : row.resources) {
          // All resources of a row are treated the same, except for a 404 about the kind.
          const size_t replies = resource == row.resources.front() ? Replies().size() : 1;
          for (size_t i = 0; i < replies; ++i) Follow(row, resource, i, later);
        }
      }
    }
    const bool listed = Becomes([&] {
      return std::ranges::all_of(cases_, [](const Case& one) { return !one.later || one.followed->synced(); });
    });
    EXPECT_TRUE(listed);
    api_.Fail();
    // After so many attempts, the second 404 has come long enough after the first.
    EXPECT_TRUE(Becomes([&] { return api_.least() >= 5; }));
  }

  // Returns the result that all resources of a row have in common. Waits for `expected` if that needs a second lookup.
  Cells CellsOf(const std::string& row, const Cells& expected) {
    Cells cells;
    for (size_t i = 0; i < Replies().size(); ++i) {
      std::string cell;
      for (const bool later : {false, true}) {
        std::string word;
        for (const Case& one : cases_) {
          if (one.row != row || one.reply != i || one.later != later) continue;
          if (!later && expected.at(i).starts_with(kNone)) Becomes([&] { return WordOf(one) == kNone; });
          const std::string found = WordOf(one);
          EXPECT_TRUE(word.empty() || word == found) << one.followed->resource().kind;
          word = found;
        }
        cell += (later ? " / " : "") + word;
      }
      cells.push_back(std::move(cell));
    }
    return cells;
  }

 private:
  struct Case {
    std::string row;
    size_t reply;
    bool later;
    std::unique_ptr<FollowedResource> followed;
  };

  void Follow(const ListRow& row, const Resource& resource, size_t reply, bool later) {
    const Evidence evidence = row.evidence;
    cases_.push_back({row.name, reply, later,
                      std::make_unique<FollowedResource>(
                          client_,
                          Following{.resource = resource,
                                    .label_selector = (later ? "later" : "start") + std::to_string(reply),
                                    .evidence = [evidence] { return evidence; }},
                          [](const auto&) {}, *logger_)});
  }

  static std::string WordOf(const Case& one) {
    SyncReport report;
    one.followed->Report(report);
    std::vector<Doubt> doubts;
    one.followed->AddDoubts(doubts);
    if (one.later) {
      EXPECT_EQ(doubts.size(), 1U) << one.row << one.reply;
      return one.followed->Find({"m", "x"}) == nullptr ? kNone : kKept;
    }
    if (!report.waits) return kNone;
    return kWaits;
  }

  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  ListApi api_;
  net::ScriptedServer server_{[this](const std::string& request) { return api_.AnswerTo(request); }};
  const base::SystemClock clock_;
  kubernetes::Client client_{
      {.server = server_.url()}, {.requests_per_second = 100'000, .burst = 100'000, .retry = {.attempts = 1}}, clock_};
  std::vector<Case> cases_;
};

// The table must have exactly the inputs of this test.
TEST(InputsTest, EachCellOfTheTableHolds) {
  const auto table = ReadTable();
  ASSERT_FALSE(table.empty());
  std::vector<std::string> columns = {"what is read"};
  for (const Reply& reply : Replies()) columns.emplace_back(reply.column);
  EXPECT_THAT(table.front(), ElementsAreArray(columns));
  FollowedLists lists;
  std::vector<std::string> names;
  for (size_t i = 1; i < table.size(); ++i) {
    const std::string& name = table[i].front();
    names.push_back(name);
    const Cells expected(table[i].begin() + 1, table[i].end());
    ASSERT_EQ(expected.size(), Replies().size()) << name;
    Cells cells;
    if (name == "the APIs of Knative, Istio and the Gateway API") {
      cells = FeatureCells({0, 1, 2}, "");
    } else if (name == "the Service `inferd-gateway`") {
      cells = FeatureCells({3}, "inferd-gateway");
    } else if (name == "Knative's ConfigMap `config-features`") {
      cells = FeatureCells({4}, "config-features");
    } else if (name == "`inferenceservice-config-kept`") {
      cells = KeptConfigurationCells();
    } else if (name == "the controller's Lease") {
      cells = LeaseCells();
    } else if (name == "Secrets and ServiceAccounts of models") {
      continue;  // services/service_reconciler_answers_test.cc
    } else {
      cells = lists.CellsOf(name, expected);
    }
    EXPECT_THAT(cells, ElementsAreArray(expected)) << name;
  }
  for (const ListRow& row : ListRows()) EXPECT_THAT(names, testing::Contains(row.name));
  EXPECT_EQ(names.size(), ListRows().size() + 6);
}

}  // namespace
}  // namespace inferd::cluster
