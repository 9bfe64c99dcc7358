#include "config/personalities/tritonserver_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/option_table/option_table.h"
#include "config/option_table/options_parser.h"

namespace inferd::config {
namespace tritonserver_flags_test {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

base::Result<ParsedOptions> ParseTritonserver(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--model-repository=/models");
  return ParseServerOptions({"tritonserver", std::move(arguments), {}});
}

std::string TritonserverError(std::vector<std::string> arguments) {
  const auto parsed = ParseTritonserver(std::move(arguments));
  return parsed.has_value() ? "" : parsed.error().message();
}

// Every flag of its command line, with a valid value.
constexpr std::pair<std::string_view, std::string_view> kEveryFlag[] = {
    {"id", "triton"},
    {"exit-timeout-secs", "30"},
    {"exit-on-error", "true"},
    {"model-repository", "/more"},
    {"model-store", "/yet/another"},
    {"model-control-mode", "poll"},
    {"repository-poll-secs", "15"},
    {"model-config-name", "large"},
    {"model-load-thread-count", "4"},
    {"model-load-retry-count", "3"},
    {"model-namespacing", "true"},
    {"disable-auto-complete-config", "true"},
    {"strict-readiness", "false"},
    {"enable-peer-access", "true"},
    {"allow-http", "1"},
    {"http-address", "127.0.0.1"},
    {"http-port", "8000"},
    {"reuse-http-port", "1"},
    {"http-header-forward-pattern", "x-.*"},
    {"http-thread-count", "8"},
    {"http-max-input-size", "67108864"},
    {"http-restricted-api", "model-repository,health:key=value"},
    {"allow-grpc", "True"},
    {"grpc-address", "0.0.0.0"},
    {"grpc-port", "8001"},
    {"reuse-grpc-port", "0"},
    {"grpc-header-forward-pattern", "(?-i)x-.*"},
    {"grpc-infer-thread-count", "2"},
    {"grpc-infer-allocation-pool-size", "8"},
    {"grpc-max-response-pool-size", "2147483647"},
    {"grpc-use-ssl", "true"},
    {"grpc-use-ssl-mutual", "true"},
    {"grpc-server-cert", "/tls.crt"},
    {"grpc-server-key", "/tls.key"},
    {"grpc-root-cert", "/ca.crt"},
    {"grpc-infer-response-compression-level", "medium"},
    {"grpc-keepalive-time", "2147483647"},
    {"grpc-keepalive-timeout", "20000"},
    {"grpc-keepalive-permit-without-calls", "0"},
    {"grpc-http2-max-pings-without-data", "2"},
    {"grpc-http2-min-recv-ping-interval-without-data", "300000"},
    {"grpc-http2-max-ping-strikes", "2"},
    {"grpc-max-connection-age", "60000"},
    {"grpc-max-connection-age-grace", "5000"},
    {"grpc-restricted-protocol", "inference:key=value"},
    {"log-verbose", "1"},
    {"log-info", "1"},
    {"log-warning", "true"},
    {"log-error", "TRUE"},
    {"log-format", "ISO8601"},
    {"log-file", "/tmp/log"},
    {"allow-sagemaker", "false"},
    {"sagemaker-port", "8080"},
    {"sagemaker-safe-port-range", "9000-9010"},
    {"sagemaker-thread-count", "8"},
    {"allow-vertex-ai", "false"},
    {"vertex-ai-port", "8080"},
    {"vertex-ai-thread-count", "8"},
    {"vertex-ai-default-model", "m"},
    {"allow-metrics", "true"},
    {"allow-gpu-metrics", "true"},
    {"allow-cpu-metrics", "true"},
    {"metrics-address", "0.0.0.0"},
    {"metrics-port", "8002"},
    {"metrics-interval-ms", "2000"},
    {"metrics-config", "summary_quantiles=0.5:0.05,0.9:0.01"},
    {"trace-config", "opentelemetry,url=http://localhost:4318/v1/traces"},
    {"cache-config", "local,size=1048576"},
    {"cache-directory", "/opt/tritonserver/caches"},
    {"rate-limit", "execution_count"},
    {"rate-limit-resource", "R1:10:0"},
    {"pinned-memory-pool-byte-size", "268435456"},
    {"cuda-memory-pool-byte-size", "0:67108864"},
    {"cuda-virtual-address-size", "0:1073741824"},
    {"min-supported-compute-capability", "7.5"},
    {"buffer-manager-thread-count", "0"},
    {"host-policy", "gpu_0,cpu-cores=0-3"},
    {"model-load-gpu-limit", "0:0.8"},
    {"allow-client-shm", "true"},
    {"backend-directory", "/opt/tritonserver/backends"},
    {"backend-config", "onnxruntime,default-max-batch-size=8"},
    {"repoagent-directory", "/opt/tritonserver/repoagents"},
    {"strict-model-config", "true"},
    {"response-cache-byte-size", "1048576"},
    {"trace-file", "/tmp/trace"},
    {"trace-level", "TIMESTAMPS"},
    {"trace-rate", "1000"},
    {"trace-count", "-1"},
    {"trace-log-frequency", "0"},
};

TEST(TritonserverFlagsTest, EveryFlagIsAcceptedTogether) {
  std::vector<std::string> joined;
  std::vector<std::string> apart;
  for (const auto& [name, value] : kEveryFlag) {
    if (name == "response-cache-byte-size") continue;  // replaces --cache-config
    joined.push_back("--" + std::string(name) + "=" + std::string(value));
    apart.insert(apart.end(), {"--" + std::string(name), std::string(value)});
  }
  EXPECT_EQ(TritonserverError(joined), "");
  EXPECT_EQ(TritonserverError(apart), "");
  EXPECT_EQ(TritonserverError({"--model-control-mode=explicit", "--load-model=*"}), "");
}

TEST(TritonserverFlagsTest, EveryFlagActsOrSaysThatItDoesNot) {
  for (const PersonalityFlag& flag : TritonserverFlags()) {
    if (!flag.option.empty()) {
      EXPECT_NE(FindOption(flag.option), nullptr) << flag.name;
    }
    EXPECT_FALSE(flag.help.empty()) << flag.name;
    if (!flag.option.empty() || flag.combined) continue;
    const auto given = std::ranges::find(kEveryFlag, flag.name, &std::pair<std::string_view, std::string_view>::first);
    ASSERT_NE(given, std::end(kEveryFlag)) << flag.name;
    const auto parsed = ParseTritonserver({"--" + std::string(flag.name) + "=" + std::string(given->second)});
    ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
    EXPECT_EQ(parsed->warnings.size() + parsed->notes.size(), 1u) << flag.name;
  }
}

TEST(TritonserverFlagsTest, WarnsOfWhatIsMissedAndNotesWhatIsNot) {
  const auto parsed = ParseTritonserver(
      {"--repoagent-directory=/a", "--repoagent-directory=/b", "--reuse-http-port=false", "--allow-cpu-metrics=true"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_THAT(
      parsed->warnings,
      ElementsAre("--repoagent-directory has no effect: the agent checksum is part of the server, others are refused"));
  EXPECT_EQ(parsed->notes.size(), 2u);
}

TEST(TritonserverFlagsTest, MetricsOfGpusAreReadAsOftenAsThere) {
  const auto given = ParseTritonserver({"--allow-gpu-metrics=false", "--metrics-interval-ms=100"});
  ASSERT_TRUE(given.has_value()) << given.error().ToString();
  EXPECT_FALSE(given->options.gpus.metrics);
  EXPECT_EQ(given->options.gpus.metrics_interval, std::chrono::milliseconds(100));
  EXPECT_TRUE(ParseTritonserver({})->options.gpus.metrics);
  EXPECT_EQ(ParseTritonserver({})->options.gpus.metrics_interval, std::chrono::seconds(2));
}

TEST(TritonserverFlagsTest, ThePoolOfPinnedMemoryIsAsLargeAsThere) {
  const auto given = ParseTritonserver({"--pinned-memory-pool-byte-size=1048576"});
  ASSERT_TRUE(given.has_value()) << given.error().ToString();
  EXPECT_EQ(given->options.gpus.pinned_pool_bytes, uint64_t{1} << 20);
  EXPECT_THAT(given->warnings, IsEmpty());
  EXPECT_EQ(ParseTritonserver({})->options.gpus.pinned_pool_bytes, uint64_t{256} << 20);
  EXPECT_FALSE(ParseTritonserver({"--pinned-memory-pool-byte-size=many"}).has_value());
}

TEST(TritonserverFlagsTest, ClientsHaveSharedMemoryWhereItIsAllowed) {
  const auto parsed = ParseTritonserver({"--allow-client-shm=true"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_TRUE(parsed->options.client_memory.served);
  EXPECT_EQ(parsed->options.client_memory.owner, ClientMemoryOwner::kAny);
  EXPECT_FALSE(ParseTritonserver({})->options.client_memory.served);
}

TEST(TritonserverFlagsTest, ValuesMustHaveTheirForm) {
  EXPECT_THAT(TritonserverError({"--allow-client-shm=maybe"}), HasSubstr("--allow-client-shm: expected true or false"));
  EXPECT_THAT(TritonserverError({"--strict-readiness=maybe"}), HasSubstr("--strict-readiness: expected true or false"));
  EXPECT_THAT(TritonserverError({"--grpc-keepalive-time=10s"}),
              HasSubstr("--grpc-keepalive-time: expected a whole number"));
  EXPECT_THAT(TritonserverError({"--grpc-infer-thread-count=two"}), HasSubstr("expected a whole number"));
  EXPECT_THAT(TritonserverError({"--sagemaker-port=1.5"}), HasSubstr("expected a whole number"));
  EXPECT_THAT(TritonserverError({"--min-supported-compute-capability=x"}), HasSubstr("expected a number"));
  EXPECT_THAT(TritonserverError({"--trace-config=secret"}),
              AllOf(HasSubstr("expected SETTING=VALUE"), Not(HasSubstr("secret"))));
  EXPECT_THAT(TritonserverError({"--no-such-flag"}), HasSubstr("unknown option --no-such-flag"));
  EXPECT_THAT(TritonserverError({"--strict-readines=1"}), HasSubstr("did you mean '--strict-readiness'?"));
  EXPECT_THAT(TritonserverError({"--http-restricted-api=inference"}), HasSubstr("expected GROUP,...:HEADER=VALUE"));
}

TEST(TritonserverFlagsTest, TraceSettingsAreReadTogether) {
  const auto parsed = ParseTritonserver({"--trace-config=level=TIMESTAMPS", "--trace-config=level=TENSORS",
                                         "--trace-config=rate=7", "--trace-count=9", "--trace-config=triton,file=/t",
                                         "--trace-config=opentelemetry,bsp_schedule_delay=250",
                                         "--trace-config=opentelemetry,resource=service.name=s"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const TraceOptions& trace = parsed->options.trace;
  EXPECT_EQ(trace.level, TraceLevel::kAll);
  EXPECT_EQ(trace.rate, 7u);
  EXPECT_EQ(trace.count, 9);
  EXPECT_EQ(trace.file, "/t");
  EXPECT_EQ(trace.otlp_delay, std::chrono::milliseconds(250));
  EXPECT_THAT(trace.otlp_resource, ElementsAre("service.name=s"));
  EXPECT_EQ(ParseTritonserver({"--trace-config=mode=opentelemetry"})->options.trace.mode, TraceMode::kOtlp);
  EXPECT_THAT(TritonserverError({"--trace-config=level=SOME"}),
              HasSubstr("expected OFF, TIMESTAMPS or TENSORS, got 'SOME'"));
  EXPECT_THAT(TritonserverError({"--trace-config=rates=1"}), HasSubstr("--trace-config: unknown setting 'rates'"));
  EXPECT_THAT(TritonserverError({"--trace-config=level=TIMESTAMPS"}), HasSubstr("--trace-level needs --trace-file"));
}

TEST(TritonserverFlagsTest, LevelsAndModesOfTracesAreTakenInAnyCase) {
  const auto level = [](const std::string& flag) {
    const auto parsed = ParseTritonserver({"--trace-config=triton,file=/t", flag});
    return parsed.has_value() ? parsed->options.trace.level : TraceLevel::kTensors;
  };
  for (const char* flag : {"--trace-config=level=timestamps", "--trace-level=Timestamps", "--trace-config=level=MAX",
                           "--trace-level=min", "--trace-config=level=true", "--trace-config=level=On"}) {
    EXPECT_EQ(level(flag), TraceLevel::kTimestamps) << flag;
  }
  for (const char* flag : {"--trace-config=level=off", "--trace-level=FALSE"}) {
    EXPECT_EQ(level(flag), TraceLevel::kOff) << flag;
  }
  EXPECT_EQ(ParseTritonserver({"--trace-config=mode=OpenTelemetry"})->options.trace.mode, TraceMode::kOtlp);
  EXPECT_EQ(ParseTritonserver({"--trace-config=mode=TRITON"})->options.trace.mode, TraceMode::kFile);
}

TEST(TritonserverFlagsTest, TheOlderFlagOfTheCacheIsTheLocalOne) {
  const auto parsed = ParseTritonserver({"--response-cache-byte-size=1048576"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.cache.store, CacheStore::kLocal);
  EXPECT_EQ(parsed->options.cache.bytes_max, 1048576u);
  EXPECT_EQ(ParseTritonserver({"--response-cache-byte-size=0"})->options.cache.store, CacheStore::kNone);
  EXPECT_THAT(TritonserverError({"--response-cache-byte-size=12345", "--cache-config=local,size=67890"}),
              HasSubstr("Incompatible flags --response-cache-byte-size and --cache-config"));
}

TEST(TritonserverFlagsTest, WordsAreTakenInAnyCase) {
  EXPECT_EQ(ParseTritonserver({"--model-control-mode=EXPLICIT"})->options.control_mode, ControlMode::kExplicit);
  EXPECT_EQ(ParseTritonserver({"--model-control-mode=Poll", "--repository-poll-secs=0"})->options.control_mode,
            ControlMode::kNone);
  EXPECT_TRUE(ParseTritonserver({"--rate-limit=Execution_Count"})->options.resources.rate_limit);
  EXPECT_TRUE(ParseTritonserver({"--exit-on-error=On"})->options.exit_on_error);
  EXPECT_FALSE(ParseTritonserver({"--exit-on-error=oFF"})->options.exit_on_error);
}

TEST(TritonserverFlagsTest, TheOlderFlagOfStrictConfigurationsIsAWarning) {
  const auto warnings = [](std::vector<std::string> flags) { return ParseTritonserver(std::move(flags))->warnings; };
  for (const char* value : {"true", "false"}) {
    EXPECT_THAT(warnings({"--strict-model-config=" + std::string(value)}),
                ElementsAre(HasSubstr("'--strict-model-config' has been deprecated! Please use "
                                      "'--disable-auto-complete-config'")));
  }
  EXPECT_THAT(warnings({"--strict-model-config=false", "--disable-auto-complete-config"}),
              ElementsAre(HasSubstr("Overriding deprecated '--strict-model-config'")));
  EXPECT_THAT(warnings({"--disable-auto-complete-config"}), IsEmpty());
}

TEST(TritonserverFlagsTest, KeepaliveCountsMilliseconds) {
  const auto parsed =
      ParseTritonserver({"--grpc-keepalive-time", "1500", "--grpc-keepalive-permit-without-calls", "1",
                         "--grpc-max-connection-age=60000", "--grpc-infer-response-compression-level=low"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const GrpcOptions& grpc = parsed->options.grpc_calls;
  EXPECT_EQ(grpc.keepalive.ping_every, milliseconds(1'500));
  EXPECT_EQ(grpc.keepalive.connection_age_max, milliseconds(60'000));
  EXPECT_TRUE(grpc.keepalive.ping_without_calls);
  EXPECT_EQ(grpc.response_compression, GrpcCompressionLevel::kLow);
}

TEST(TritonserverFlagsTest, TheInputSizeIsThatOfTheJson) {
  const auto limits = [](std::vector<std::string> arguments) {
    return ParseTritonserver(std::move(arguments))->options.limits;
  };
  EXPECT_EQ(limits({}).json_bytes_max, uint64_t{64} << 20);
  EXPECT_EQ(limits({"--http-max-input-size=1000"}).json_bytes_max, 1000u);
  EXPECT_EQ(limits({"--http-max-input-size=1000"}).body_bytes_max, LimitOptions().body_bytes_max);
}

TEST(TritonserverFlagsTest, ModelsAreLoadedAsItsFlagsSay) {
  const auto options = [](std::vector<std::string> arguments) {
    return ParseTritonserver(std::move(arguments))->options;
  };
  EXPECT_TRUE(options({}).complete_configurations);
  EXPECT_FALSE(options({"--disable-auto-complete-config"}).complete_configurations);
  EXPECT_FALSE(options({"--strict-model-config", "true"}).complete_configurations);
  EXPECT_TRUE(options({"--strict-model-config=true", "--disable-auto-complete-config=false"}).complete_configurations);
  EXPECT_FALSE(options({"--disable-auto-complete-config", "--strict-model-config=false"}).complete_configurations);
  EXPECT_EQ(options({"--model-config-name=large"}).model_config_name, "large");
  EXPECT_EQ(options({"--model-load-retry-count=3"}).load_retries, 3u);
  EXPECT_EQ(options({"--model-load-retry-count=3"}).load_retry_interval, milliseconds(0));
  EXPECT_EQ(options({"--repository-poll-secs=7", "--model-control-mode=poll"}).poll_interval, milliseconds(7'000));
  EXPECT_EQ(options({"--repository-poll-secs=0", "--model-control-mode=poll"}).control_mode, ControlMode::kNone);
  EXPECT_EQ(options({"--repository-poll-secs=0", "--model-control-mode=explicit"}).control_mode,
            ControlMode::kExplicit);
  EXPECT_EQ(options({}).accept, AcceptWhen::kTried);
}

TEST(TritonserverFlagsTest, MetricsAreAsItsSettingsSay) {
  EXPECT_TRUE(ParseTritonserver({})->options.latency_counters);
  EXPECT_THAT(ParseTritonserver({"--metrics-config=summary_quantiles=0.5:0.1"})->options.summary_quantiles, IsEmpty());
  const auto all =
      ParseTritonserver({"--metrics-config=summary_latencies=true", "--metrics-config", "counter_latencies=false"});
  ASSERT_TRUE(all.has_value()) << all.error().ToString();
  EXPECT_FALSE(all->options.latency_counters);
  EXPECT_THAT(all->options.summary_quantiles, ElementsAre(0.5, 0.9, 0.95, 0.99, 0.999));
  EXPECT_THAT(ParseTritonserver(
                  {"--metrics-config=summary_latencies=true", "--metrics-config=summary_quantiles=0.4:0.01,0.8:0.1"})
                  ->options.summary_quantiles,
              ElementsAre(0.4, 0.8));
  EXPECT_THAT(TritonserverError({"--metrics-config=no_such=true"}), HasSubstr("unknown setting 'no_such'"));
  EXPECT_THAT(TritonserverError({"--metrics-config=summary_latencies=maybe"}), HasSubstr("expected true or false"));
  EXPECT_THAT(
      TritonserverError({"--metrics-config=summary_latencies=true", "--metrics-config=summary_quantiles=2:0.1"}),
      HasSubstr("expected a number between 0 and 1"));
}

TEST(TritonserverFlagsTest, WhatCannotBeMeantIsRefused) {
  EXPECT_EQ(TritonserverError({"--model-control-mode=explicit", "--load-model=*", "--load-model=m"}),
            "Wildcard model name '*' must be the ONLY startup model if specified at all.");
  EXPECT_EQ(TritonserverError({"--model-load-gpu-limit=0:0.8"}), "");
  for (const char* limit : {"0:1.5", "0:-0.1", "0:nan"}) {
    EXPECT_THAT(TritonserverError({std::string("--model-load-gpu-limit=") + limit}),
                HasSubstr("--model-load-gpu-limit expects limit fraction to be in range [0.0, 1.0], got "))
        << limit;
  }
  for (const char* limit : {"0:", "0", "0.5", "x:0.5", "-:0.5", "0:0.5x"}) {
    EXPECT_THAT(TritonserverError({std::string("--model-load-gpu-limit=") + limit}),
                HasSubstr("--model-load-gpu-limit: expected DEVICE:FRACTION, got "))
        << limit;
  }
  EXPECT_EQ(TritonserverError({"--model-load-gpu-limit=-1:0.6"}),
            "--model-load-gpu-limit expects device ID >= 0, got -1");
  for (const char* count : {"1", "129"}) {
    EXPECT_THAT(TritonserverError({std::string("--grpc-infer-thread-count=") + count}),
                HasSubstr("--grpc-infer-thread-count: "));
  }
  EXPECT_THAT(TritonserverError({"--model-config-name=../x"}), HasSubstr("expected the name of a file"));
}

TEST(TritonserverFlagsTest, TlsOfGrpcIsSwitchedOn) {
  const std::vector<std::string> files = {"--grpc-server-cert=c", "--grpc-server-key=k", "--grpc-root-cert=r"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), files.begin(), files.end());
    return ParseTritonserver(std::move(more));
  };
  auto parsed = with({});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->options.grpc.tls.certificate_file, "");
  EXPECT_EQ(parsed->warnings.size(), 3u);
  parsed = with({"--grpc-use-ssl", "true"});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->options.grpc.tls.certificate_file, "c");
  EXPECT_EQ(parsed->options.grpc.tls.key_file, "k");
  EXPECT_EQ(parsed->options.grpc.tls.client_ca_file, "");
  EXPECT_THAT(parsed->warnings, ElementsAre("--grpc-root-cert has no effect: it needs --grpc-use-ssl-mutual"));
  parsed = with({"--grpc-use-ssl-mutual=1"});
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->options.grpc.tls.client_ca_file, "r");
  EXPECT_THAT(parsed->warnings, IsEmpty());
  EXPECT_EQ(TritonserverError({"--grpc-use-ssl", "--grpc-server-cert=c"}), "--grpc-use-ssl needs --grpc-server-key");
  EXPECT_EQ(TritonserverError({"--grpc-use-ssl-mutual", "--grpc-server-cert=c", "--grpc-server-key=k"}),
            "--grpc-use-ssl-mutual needs --grpc-root-cert");
}

TEST(TritonserverFlagsTest, BackendsMaySetTheBatchSizeOfCompletedModels) {
  const auto parsed =
      ParseTritonserver({"--backend-config=default-max-batch-size=16", "--backend-config=tensorflow,version=2",
                         "--backend-config=python,default-max-batch-size=2"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.default_max_batch_size, 16);
  EXPECT_EQ(parsed->warnings.size(), 2u);
  EXPECT_EQ(
      ParseTritonserver({"--backend-config=onnxruntime,default-max-batch-size=8"})->options.default_max_batch_size, 8);
  EXPECT_THAT(TritonserverError({"--backend-config=default-max-batch-size=x"}),
              HasSubstr("--backend-config=default-max-batch-size: expected a whole number"));
}

TEST(TritonserverFlagsTest, MemoryOfThePythonBackendIsCheckedAndHasNoEffect) {
  const auto parsed = ParseTritonserver(
      {"--backend-config=python,shm-default-byte-size=1048576", "--backend-config=python,shm-growth-byte-size=1",
       "--backend-config=python,shm-region-prefix-name=mine", "--backend-config=other,shm-x=y"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_THAT(parsed->warnings,
              ElementsAre("--backend-config=python,shm-default-byte-size has no effect: memory for tensors grows as "
                          "they need it",
                          "--backend-config=python,shm-growth-byte-size has no effect: memory for tensors grows as "
                          "they need it",
                          "--backend-config=python,shm-region-prefix-name has no effect: memory for tensors grows as "
                          "they need it",
                          "--backend-config=other,shm-x has no effect: engines are set by their models' "
                          "configurations"));
  const auto error = [](const std::string& setting) {
    return TritonserverError({"--backend-config=python," + setting});
  };
  for (const std::string size : {"1048575", "0", "-1"}) {
    EXPECT_THAT(error("shm-default-byte-size=" + size),
                HasSubstr("shm-default-byte-size can't be smaller than 4 MiBs"));
  }
  for (const std::string setting : {"shm-default-byte-size", "shm-growth-byte-size"}) {
    for (const std::string size : {"", "x", "1.5", "4M", "9223372036854775808"}) {
      EXPECT_THAT(error(setting + "=" + size), HasSubstr("--backend-config=python," + setting + ": expected")) << size;
    }
  }
  EXPECT_EQ(error("shm-growth-byte-size=0"),
            "--backend-config=python,shm-growth-byte-size: expected more than 0 bytes, got 0");
  EXPECT_EQ(error("shm-region-prefix-name=a/b"),
            "--backend-config=python,shm-region-prefix-name: expected a name without '/', got 'a/b'");
  EXPECT_EQ(error("shm-region-prefix-name="),
            "--backend-config=python,shm-region-prefix-name: expected a name without '/', got ''");
}

TEST(TritonserverFlagsTest, ResourcesCountWhenAskedFor) {
  EXPECT_FALSE(ParseTritonserver({})->options.resources.rate_limit);
  const auto parsed = ParseTritonserver({"--rate-limit=execution_count", "--rate-limit-resource=R1:10:0",
                                         "--rate-limit-resource", "R2:1", "--host-policy=gpu_0,cpu-cores=0-3"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_TRUE(parsed->options.resources.rate_limit);
  EXPECT_EQ(parsed->options.resources.limits.size(), 2u);
  EXPECT_EQ(parsed->options.resources.host_policies[0].cpu_cores.size(), 4u);
  EXPECT_THAT(parsed->warnings, IsEmpty());
}

TEST(TritonserverFlagsTest, ItsTestsDelayTheSchedulerByTheEnvironment) {
  const auto parse = [](std::string as, std::string value) {
    return ParseServerOptions({"inferd", {"--as=" + as, "m.onnx"}, {{"TRITONSERVER_DELAY_SCHEDULER", value}}});
  };
  EXPECT_EQ(parse("tritonserver", "6")->options.delay_until_queued, 6u);
  EXPECT_EQ(parse("inferd", "6")->options.delay_until_queued, 0u);
  EXPECT_THAT(parse("tritonserver", "six").error().message(),
              HasSubstr("TRITONSERVER_DELAY_SCHEDULER: expected a whole number"));
}

TEST(TritonserverFlagsTest, ItsTestsHaveSequencesWaitForABacklog) {
  const auto parsed =
      ParseServerOptions({"inferd", {"--as=tritonserver", "m.onnx"}, {{"TRITONSERVER_BACKLOG_DELAY_SCHEDULER", "3"}}});
  EXPECT_EQ(parsed->options.delay_until_backlog, 3u);
}

// Returns the delays of a call, an answer, a notice, a response, a last response and a control call, in ms.
std::string DelaysBy(const std::string& variable, const std::string& value) {
  const auto parsed = ParseServerOptions({"tritonserver", {"m.onnx"}, {{variable, value}}});
  if (!parsed.has_value()) return parsed.error().message();
  const GrpcDelays& delays = parsed->options.grpc_calls.delays;
  std::string text;
  for (const milliseconds delay :
       {delays.call, delays.answer, delays.notice, delays.response, delays.last_response, delays.control}) {
    text += (text.empty() ? "" : " ") + std::to_string(delay.count());
  }
  return text;
}

TEST(TritonserverFlagsTest, ItsTestsDelayStepsOfInferencesOverGrpc) {
  EXPECT_EQ(DelaysBy("TRITONSERVER_SERVER_DELAY_GRPC_RESPONSE_SEC", "2"), "0 0 0 0 0 2000");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_GRPC_RESPONSE", "30"), "0 30 0 30 0 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_GRPC_COMPLETE", "30"), "0 0 0 0 30 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_GRPC_PROCESS", "30"), "30 0 0 0 0 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_GRPC_PROCESS_ENTRY", "30"), "30 0 0 0 0 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_GRPC_NOTIFICATION", "30"), "0 0 30 0 0 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_GRPC_ENQUEUE", "30"), "0 0 30 0 0 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_RESPONSE_COMPLETION", "30"), "0 30 0 0 0 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_RESPONSE_COMPLETE_EXEC", "30"), "0 30 0 0 0 0");
  EXPECT_EQ(DelaysBy("TRITONSERVER_DELAY_OTHER", "30"), "0 0 0 0 0 0");
  EXPECT_THAT(DelaysBy("TRITONSERVER_DELAY_GRPC_PROCESS", "-1"), HasSubstr("TRITONSERVER_DELAY_GRPC_PROCESS: "));
}

TEST(TritonserverFlagsTest, TheAccountOfItsRedisMayComeFromTheEnvironment) {
  const auto account = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"m.onnx"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const CacheOptions cache =
        ParseServerOptions(
            {"tritonserver", arguments, {{"TRITONCACHE_REDIS_USERNAME", "u"}, {"TRITONCACHE_REDIS_PASSWORD", "p"}}})
            ->options.cache;
    return cache.user + ":" + cache.password;
  };
  EXPECT_EQ(account({"--cache-config=redis,host=h"}), "u:p");
  EXPECT_EQ(account({"--cache-config=redis,password=mine"}), "u:mine");
}

TEST(TritonserverFlagsTest, MetricsListenWhereHttpDoes) {
  EXPECT_EQ(ParseTritonserver({"--http-address=127.0.0.1"})->options.metrics.address, "127.0.0.1");
  EXPECT_EQ(ParseTritonserver({"--http-address=127.0.0.1", "--metrics-address=::1"})->options.metrics.address, "::1");
  EXPECT_EQ(ParseTritonserver({})->options.metrics.address, "0.0.0.0");
}

TEST(TritonserverFlagsTest, ABooleanMayStandBehindItsFlagInEverySpelling) {
  const auto parsed = ParseTritonserver({"--allow-grpc", "0", "--log-info", "False", "--exit-on-error", "no"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_FALSE(parsed->options.grpc.enabled);
  EXPECT_FALSE(parsed->options.log.info);
  EXPECT_FALSE(parsed->options.exit_on_error);
  EXPECT_THAT(parsed->options.model_files, IsEmpty());
}

}  // namespace tritonserver_flags_test
}  // namespace inferd::config
