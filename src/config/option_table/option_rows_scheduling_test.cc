#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/options_fixture.h"

namespace inferd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SchedulingRowsTest, ResourcesHaveCountsAndPerhapsADevice) {
  const auto parsed =
      Parse({"m", "--rate-limit=off", "--rate-limit-resource=R1:10:2", "--rate-limit-resource", "R1:4"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const ResourceOptions& resources = parsed->options.resources;
  EXPECT_FALSE(resources.rate_limit);
  ASSERT_EQ(resources.limits.size(), 2u);
  EXPECT_EQ(resources.limits[0].name, "R1");
  EXPECT_EQ(resources.limits[0].count, 10u);
  EXPECT_EQ(resources.limits[0].device, 2);
  EXPECT_EQ(resources.limits[1].count, 4u);
  EXPECT_EQ(resources.limits[1].device, -1);
  EXPECT_TRUE(Parse({"m", "--rate-limit=execution_count"})->options.resources.rate_limit);
}

TEST(SchedulingRowsTest, HostPoliciesGatherTheirSettings) {
  const auto parsed = Parse({"m", "--host-policy=left,cpu-cores=0-2", "--host-policy=left,cpu-cores=2-3",
                             "--host-policy=left,cpu-cores=7", "--host-policy=right,numa-node=1"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const auto& policies = parsed->options.resources.host_policies;
  ASSERT_EQ(policies.size(), 2u);
  EXPECT_EQ(policies[0].name, "left");
  EXPECT_THAT(policies[0].cpu_cores, ElementsAre(0, 1, 2, 3, 7));
  EXPECT_EQ(policies[0].numa_node, -1);
  EXPECT_EQ(policies[1].numa_node, 1);
  EXPECT_THAT(policies[1].cpu_cores, IsEmpty());
}

TEST(SchedulingRowsTest, TheEnvironmentSeparatesPoliciesBySemicolons) {
  const auto parsed = Parse({"m"}, {{"INFERD_HOST_POLICY", "a,numa-node=0;b,cpu-cores=1"},
                                    {"INFERD_RATE_LIMIT_RESOURCE", "x:1,y:2"},
                                    {"INFERD_LATENCY_OBJECTIVE_US", "2500"},
                                    {"INFERD_INLINE_EXECUTION_MAX_US", "0"}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.resources.host_policies.size(), 2u);
  EXPECT_EQ(parsed->options.resources.limits.size(), 2u);
  EXPECT_EQ(parsed->options.latency_objective_us, 2'500u);
  EXPECT_EQ(parsed->options.inline_execution_max_us, 0u);
}

TEST(SchedulingRowsTest, ErrorsSayWhatWasExpected) {
  EXPECT_THAT(ErrorOf({"m", "--rate-limit=on"}), HasSubstr("--rate-limit: expected off|execution_count, got 'on'"));
  EXPECT_THAT(ErrorOf({"m", "--rate-limit-resource=R1"}), HasSubstr("expected NAME:COUNT[:DEVICE], got 'R1'"));
  EXPECT_THAT(ErrorOf({"m", "--rate-limit-resource=:1"}), HasSubstr("expected NAME:COUNT[:DEVICE], got ':1'"));
  EXPECT_THAT(ErrorOf({"m", "--rate-limit-resource=R1:x"}), HasSubstr("expected a whole number"));
  EXPECT_THAT(ErrorOf({"m", "--rate-limit-resource=R1:1:-1"}), HasSubstr("expected a whole number"));
  EXPECT_THAT(ErrorOf({"m", "--host-policy=left"}),
              HasSubstr("expected POLICY,numa-node=N or POLICY,cpu-cores=FIRST-LAST"));
  EXPECT_THAT(ErrorOf({"m", "--host-policy=,numa-node=1"}), HasSubstr("expected POLICY,numa-node=N"));
  EXPECT_THAT(ErrorOf({"m", "--host-policy=left,cpu-core=1"}), HasSubstr("(did you mean 'cpu-cores'?)"));
  EXPECT_THAT(ErrorOf({"m", "--host-policy=left,cpu-cores=3-1"}),
              HasSubstr("expected a whole number from 3 to 1023, got '1'"));
  EXPECT_THAT(ErrorOf({"m", "--host-policy=left,cpu-cores=0-4000000000"}), HasSubstr("expected a whole number"));
  EXPECT_THAT(ErrorOf({"m", "--latency-objective-us=0"}), HasSubstr("--latency-objective-us must be at least 1"));
  EXPECT_EQ(Parse({"m", "--rate-limit-resource=R:1", "--rate-limit-resource=R:2"}).error().message(),
            "--rate-limit-resource: resource 'R' is given twice");
}

TEST(CacheRowsTest, SettingsComeOneByOne) {
  EXPECT_EQ(Parse({"m"})->options.cache.store, CacheStore::kNone);
  const auto parsed = Parse({"m", "--cache-config=local,size=64M", "--cache-config=local,ttl=90s"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.cache.store, CacheStore::kLocal);
  EXPECT_EQ(parsed->options.cache.bytes_max, uint64_t{64} << 20);
  EXPECT_EQ(parsed->options.cache.ttl, std::chrono::seconds(90));
}

TEST(CacheRowsTest, ARedisHasSettingsOfItsOwn) {
  const auto parsed =
      Parse({"m", "--cache-config=redis,host=h", "--cache-config=redis,port=7000", "--cache-config=redis,user=u",
             "--cache-config=redis,password=p,=q", "--cache-config=redis,db=2", "--cache-config=redis,timeout=5ms",
             "--cache-config=redis,ttl=1h", "--cache-config=redis,shared=team"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const CacheOptions& cache = parsed->options.cache;
  EXPECT_EQ(cache.store, CacheStore::kRedis);
  EXPECT_EQ(cache.host + cache.user + cache.password + cache.shared_name, "hup,=qteam");
  EXPECT_EQ(cache.port, 7000);
  EXPECT_EQ(cache.database, 2u);
  EXPECT_EQ(cache.lookup_timeout, std::chrono::milliseconds(5));
  EXPECT_EQ(cache.ttl, std::chrono::hours(1));
}

TEST(CacheRowsTest, ARedisHasTheSettingsOfTriton) {
  const auto parsed =
      Parse({"m", "--cache-config=redis,tls_enabled=true", "--cache-config=redis,cert=c", "--cache-config=redis,key=k",
             "--cache-config=redis,cacert=a", "--cache-config=redis,cacert_dir=d", "--cache-config=redis,sni=n",
             "--cache-config=redis,connect_timeout=250", "--cache-config=redis,socket_timeout=40",
             "--cache-config=redis,pool_size=4", "--cache-config=redis,wait_timeout=100"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const CacheOptions& cache = parsed->options.cache;
  EXPECT_TRUE(cache.tls.enabled);
  EXPECT_EQ(cache.tls.certificate_file + cache.tls.key_file + cache.tls.ca_file + cache.tls.ca_folder + cache.tls.name,
            "ckadn");
  EXPECT_EQ(cache.connect_timeout, std::chrono::milliseconds(250));
  EXPECT_EQ(cache.lookup_timeout, std::chrono::milliseconds(40));
  EXPECT_EQ(Parse({"m", "--cache-config=redis,socket_timeout=0"})->options.cache.lookup_timeout,
            std::chrono::milliseconds(10));
}

TEST(CacheRowsTest, ThereIsOneCache) {
  const auto parsed = Parse({"m", "--cache-config=local,size=1M", "--cache-config=redis,host=h"});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().message(),
              ::testing::HasSubstr("multiple cache configurations: 'local' and 'redis' exclude each other"));
}

TEST(CacheRowsTest, WhatIsUnknownIsAnErrorThatRepeatsNoValue) {
  const struct {
    const char* given;
    const char* error;
  } cases[] = {
      {"locale,size=1M", "there is no cache 'locale' (did you mean 'local'?)"},
      {"local,sise=secret", "cache 'local' has no setting 'sise' (did you mean 'size'?)"},
      {"local,host=h", "cache 'local' has no setting 'host'"},
      {"redis,size=1M", "cache 'redis' has no setting 'size'"},
      {"redis,tls_enabled=maybe", "tls_enabled: "},
      {"redis,pool_size=many", "pool_size: "},
      {"redis,connect_timeout=-1", "connect_timeout: "},
      {"redis,cacert=secret", "need tls_enabled=true"},
      {"redis,cert=secret", "'cert' and 'key' go together"},
      {"redis,pasword=secret", "cache 'redis' has no setting 'pasword' (did you mean 'password'?)"},
      {"redis,password:secret=", "cache 'redis' has no setting of that name"},
      {"redis://me:secret@h,db=0", "there is no cache of that name"},
      {"redis,port=0", "port: "},
      {"redis,timeout=0", "timeout: "},
      {"local,ttl=1M", "ttl: "},
      {"local,size=", "size: "},
      {"local", "expected CACHE,SETTING=VALUE"},
      {"secret", "expected CACHE,SETTING=VALUE"},
      {",size=1", "expected CACHE,SETTING=VALUE"},
      {"local,=1", "expected CACHE,SETTING=VALUE"},
      {"local,ttl=1s", "--cache-config=local needs size=BYTES"},
  };
  for (const auto& item : cases) {
    const auto parsed = Parse({"m", std::string("--cache-config=") + item.given});
    ASSERT_FALSE(parsed.has_value()) << item.given;
    EXPECT_THAT(parsed.error().message(), ::testing::HasSubstr(item.error));
    EXPECT_THAT(parsed.error().message(), ::testing::Not(::testing::HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace inferd::config
