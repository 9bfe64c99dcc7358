#include "kserve/model/pods/inject/pod_injection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "data/manifest/print.h"
#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using testing::HasSubstr;

constexpr const char* kSourceAnnotation = "internal.serving.kserve.io/storage-initializer-sourceuri: s3://b/m";
constexpr const char* kServingJson = "{name: kserve-container, image: server:1}";

class PodInjectionTest : public testing::Test {
 protected:
  // Returns a Pod. `annotations` are its annotations, and `spec` the members of its spec, both as in YAML braces.
  static manifest::Value PodOf(const std::string& annotations, const std::string& spec) {
    auto documents = manifest::ReadYaml(
        "{apiVersion: v1, kind: Pod, metadata: {labels: {serving.kserve.io/inferenceservice: digits, component: "
        "predictor}, annotations: {" +
            annotations + "}}, spec: {" + spec + "}}",
        "f");
    EXPECT_TRUE(documents.has_value()) << (documents.has_value() ? "" : documents.error().message());
    return documents.has_value() ? documents->front() : manifest::Value::Map();
  }

  void Have(const std::string& kind, const std::string& name, const std::string& yaml) {
    objects_[kind + "/" + name] = "{metadata: {name: " + name + "}, " + yaml + "}";
  }

  base::Result<manifest::Value> Inject(manifest::Value pod) const {
    const auto find = [this](std::string_view kind, std::string_view name) -> std::optional<manifest::Value> {
      const auto found = objects_.find(std::string(kind) + "/" + std::string(name));
      if (found == objects_.end()) return std::nullopt;
      return manifest::ReadYaml(found->second, "f").value().front();
    };
    return InjectPodDocument(std::move(pod), "models", {.config = config_, .find = find, .form = form_});
  }

  // Returns the injected spec, or the error. Also checks that a second injection changes nothing.
  std::string Spec(const std::string& annotations, const std::string& spec) const {
    const auto injected = Inject(PodOf(annotations, spec));
    if (!injected.has_value()) return injected.error().message();
    const auto again = Inject(*injected);
    EXPECT_TRUE(again.has_value() && *again == *injected);
    return manifest::ToYaml(*injected->Find("spec"));
  }

  std::string Annotations(const std::string& annotations, const std::string& spec) const {
    const auto injected = Inject(PodOf(annotations, spec));
    return injected.has_value() ? manifest::ToJson(*injected->Find("metadata")->Find("annotations"))
                                : injected.error().message();
  }

  InferenceServiceConfig config_;
  PodForm form_ = PodForm::kPod;
  std::map<std::string, std::string> objects_;
};

TEST_F(PodInjectionTest, APodOfNoModelStaysAsItIs) {
  const manifest::Value pod = PodOf("a: b", "containers: [" + std::string(kServingJson) + "]");
  EXPECT_EQ(*Inject(pod), pod);
}

TEST_F(PodInjectionTest, TheInitializerBringsTheModel) {
  Have("ServiceAccount", "robot", "secrets: [{name: s}]");
  Have("Secret", "s", "data: {gcloud-application-credentials.json: YQ==}");
  EXPECT_EQ(Spec(kSourceAnnotation,
                 "serviceAccountName: robot, containers: [{name: kserve-container, image: server:1, env: "
                 "[{name: STORAGE_URI, value: 's3://b/m'}], securityContext: {runAsUser: 7}}]"),
            R"(serviceAccountName: robot
containers:
- name: kserve-container
  image: server:1
  env:
  - name: STORAGE_URI
    value: /mnt/models
  securityContext:
    runAsUser: 7
  volumeMounts:
  - name: kserve-provision-location
    mountPath: /mnt/models
    readOnly: true
volumes:
- name: kserve-provision-location
  emptyDir: {}
- name: user-gcp-sa
  secret:
    secretName: s
initContainers:
- name: storage-initializer
  image: inferd:latest
  command:
  - inferd-storage-initializer
  args:
  - s3://b/m
  - /mnt/models
  resources:
    limits:
      cpu: "1"
      memory: 1Gi
    requests:
      cpu: 100m
      memory: 100Mi
  securityContext:
    runAsUser: 7
    allowPrivilegeEscalation: false
    capabilities:
      drop:
      - ALL
    runAsNonRoot: true
    seccompProfile:
      type: RuntimeDefault
  terminationMessagePolicy: FallbackToLogsOnError
  env:
  - name: GOOGLE_APPLICATION_CREDENTIALS
    value: /var/secrets/gcloud-application-credentials.json
  volumeMounts:
  - name: kserve-provision-location
    mountPath: /mnt/models
  - name: user-gcp-sa
    mountPath: /var/secrets
    readOnly: true
)");
}

TEST_F(PodInjectionTest, ItsOwnContainersRunAsRestrictedDemands) {
  const std::string restricted =
      "  securityContext:\n    allowPrivilegeEscalation: false\n    capabilities:\n      drop:\n      - ALL\n"
      "    runAsNonRoot: true\n    seccompProfile:\n      type: RuntimeDefault\n";
  const std::string with_agent = std::string(kSourceAnnotation) + ", internal.serving.kserve.io/logger: 'true'";
  const std::string plain = Spec(with_agent, "containers: [" + std::string(kServingJson) + "]");
  EXPECT_THAT(plain, HasSubstr("- name: agent\n"));
  EXPECT_EQ(plain.find(restricted) != plain.rfind(restricted), true) << plain << "both of them";
  // The server's own settings win. Root is not forbidden if the pod runs as root.
  const std::string as_root =
      Spec(kSourceAnnotation, "securityContext: {runAsUser: 0}, containers: [" + std::string(kServingJson) + "]");
  EXPECT_THAT(as_root, HasSubstr("allowPrivilegeEscalation: false"));
  EXPECT_THAT(as_root, testing::Not(HasSubstr("runAsNonRoot")));
  const std::string privileged =
      Spec(kSourceAnnotation, "containers: [{name: kserve-container, image: x, securityContext: {privileged: true}}]");
  EXPECT_THAT(privileged, testing::Not(HasSubstr("allowPrivilegeEscalation")));
}

TEST_F(PodInjectionTest, AnotherImageStartsItsOwnProgram) {
  config_.storage_initializer = {.image = "kserve/storage-initializer:v0.10.1",
                                 .memory_request = "",
                                 .memory_limit = "2Gi",
                                 .cpu_request = "",
                                 .cpu_limit = ""};
  const std::string spec = Spec(kSourceAnnotation, "containers: [" + std::string(kServingJson) + "]");
  EXPECT_THAT(spec, HasSubstr("image: kserve/storage-initializer:v0.10.1\n  args:\n  - s3://b/m\n  - /mnt/models\n"
                              "  resources:\n    limits:\n      memory: 2Gi\n  terminationMessagePolicy:"));
  config_.storage_initializer.image = "registry.example:5000/team/inferd:2@sha256:0";
  EXPECT_THAT(Spec(kSourceAnnotation, "containers: [" + std::string(kServingJson) + "]"),
              HasSubstr("command:\n  - inferd-storage-initializer\n"));
}

TEST_F(PodInjectionTest, AClaimIsMountedAtItsPlace) {
  const std::string claim = "internal.serving.kserve.io/storage-initializer-sourceuri: pvc://claim";
  EXPECT_EQ(Spec(claim + "/a/b, storage.kserve.io/readonly: 'false'",
                 "containers: [" + std::string(kServingJson) +
                     "], volumes: [{name: kserve-pvc-source, persistentVolumeClaim: "
                     "{claimName: claim}}]"),
            R"(containers:
- name: kserve-container
  image: server:1
  volumeMounts:
  - name: kserve-pvc-source
    mountPath: /mnt/pvc
    readOnly: true
  - name: kserve-provision-location
    mountPath: /mnt/models
volumes:
- name: kserve-pvc-source
  persistentVolumeClaim:
    claimName: claim
- name: kserve-provision-location
  emptyDir: {}
initContainers:
- name: storage-initializer
  image: inferd:latest
  command:
  - inferd-storage-initializer
  args:
  - /mnt/pvc/a/b
  - /mnt/models
  resources:
    limits:
      cpu: "1"
      memory: 1Gi
    requests:
      cpu: 100m
      memory: 100Mi
  securityContext:
    allowPrivilegeEscalation: false
    capabilities:
      drop:
      - ALL
    runAsNonRoot: true
    seccompProfile:
      type: RuntimeDefault
  terminationMessagePolicy: FallbackToLogsOnError
  volumeMounts:
  - name: kserve-pvc-source
    mountPath: /mnt/pvc
    readOnly: true
  - name: kserve-provision-location
    mountPath: /mnt/models
)");
  EXPECT_THAT(Spec(claim, "containers: [" + std::string(kServingJson) + "]"), HasSubstr("  - /mnt/pvc/\n"));
}

TEST_F(PodInjectionTest, TheAgentLogsAndPutsTogether) {
  const std::string annotations =
      "internal.serving.kserve.io/logger: 'true', internal.serving.kserve.io/logger-mode: request, "
      "internal.serving.kserve.io/logger-sink-url: 'http://sink', internal.serving.kserve.io/batcher: 'true', "
      "internal.serving.kserve.io/batcher-max-batchsize: '8', internal.serving.kserve.io/batcher-max-latency: '20'";
  EXPECT_EQ(Spec(annotations,
                 "containers: [{name: kserve-container, image: server:1, ports: [{containerPort: 9000, name: web}], "
                 "readinessProbe: {httpGet: {path: /ready, port: web}}}]"),
            R"(containers:
- name: kserve-container
  image: server:1
  ports:
  - containerPort: 9000
    name: web
  readinessProbe:
    httpGet:
      path: /ready
      port: web
- name: agent
  image: inferd:latest
  command:
  - inferd-agent
  args:
  - "--enable-batcher"
  - "--max-batchsize"
  - "8"
  - "--max-latency"
  - "20"
  - "--log-url"
  - http://sink
  - "--log-mode"
  - request
  - "--inference-service"
  - digits
  - "--namespace"
  - models
  - "--component"
  - predictor
  - "--component-port"
  - "9000"
  resources:
    limits:
      cpu: "1"
      memory: 1Gi
    requests:
      cpu: 100m
      memory: 100Mi
  securityContext:
    allowPrivilegeEscalation: false
    capabilities:
      drop:
      - ALL
    runAsNonRoot: true
    seccompProfile:
      type: RuntimeDefault
  env:
  - name: SERVING_READINESS_PROBE
    value: "{\"httpGet\":{\"path\":\"/ready\",\"port\":9000}}"
  ports:
  - name: agent-port
    containerPort: 9081
    protocol: TCP
  readinessProbe:
    httpGet:
      path: /
      port: 9081
      scheme: HTTP
      httpHeaders:
      - name: K-Network-Probe
        value: queue
)");
}

TEST_F(PodInjectionTest, TheAgentAsksWhatItCanAsk) {
  const auto probe = [&](const std::string& given) {
    const std::string spec = Spec("internal.serving.kserve.io/batcher: 'true'",
                                  "containers: [{name: kserve-container, readinessProbe: {" + given + "}}]");
    const size_t at = spec.find("SERVING_READINESS_PROBE\n    value: ");
    return at == std::string::npos ? "" : spec.substr(at + 35, spec.find('\n', at + 35) - at - 35);
  };
  EXPECT_EQ(probe("tcpSocket: {port: 0}, periodSeconds: 5"),
            R"("{\"tcpSocket\":{\"port\":8080},\"periodSeconds\":5}")");
  EXPECT_EQ(probe("httpGet: {path: /}"), R"("{\"httpGet\":{\"path\":\"/\",\"port\":8080}}")");
  EXPECT_EQ(probe("httpGet: {path: /, port: none}"), R"("{\"httpGet\":{\"path\":\"/\",\"port\":8080}}")");
  EXPECT_EQ(probe("httpGet: {path: /, port: 1, scheme: HTTPS}"), "");
  EXPECT_EQ(probe("exec: {command: ['true']}"), "");
  EXPECT_EQ(probe("httpGet: text"), "");
}

TEST_F(PodInjectionTest, TheAgentBringsTheModelsThatComeAndGo) {
  Have("ServiceAccount", "default", "secrets: [{name: s}]");
  Have("Secret", "s", "data: {AZURE_STORAGE_ACCESS_KEY: YQ==}");
  EXPECT_EQ(Spec(std::string(kSourceAnnotation) +
                     ", internal.serving.kserve.io/agent: 'true', internal.serving.kserve.io/configMountPath: "
                     "/mnt/configs, internal.serving.kserve.io/modelDir: /mnt/models, "
                     "internal.serving.kserve.io/configVolumeName: modelconfig-digits-0",
                 "containers: [" + std::string(kServingJson) + "]"),
            R"(containers:
- name: kserve-container
  image: server:1
  volumeMounts:
  - name: model-dir
    mountPath: /mnt/models
- name: agent
  image: inferd:latest
  command:
  - inferd-agent
  args:
  - "--enable-puller"
  - "--config-dir"
  - /mnt/configs
  - "--model-dir"
  - /mnt/models
  - "--component-port"
  - "8080"
  resources:
    limits:
      cpu: "1"
      memory: 1Gi
    requests:
      cpu: 100m
      memory: 100Mi
  securityContext:
    allowPrivilegeEscalation: false
    capabilities:
      drop:
      - ALL
    runAsNonRoot: true
    seccompProfile:
      type: RuntimeDefault
  ports:
  - name: agent-port
    containerPort: 9081
    protocol: TCP
  readinessProbe:
    httpGet:
      path: /
      port: 9081
      scheme: HTTP
      httpHeaders:
      - name: K-Network-Probe
        value: queue
  env:
  - name: AZURE_STORAGE_ACCESS_KEY
    valueFrom:
      secretKeyRef:
        name: s
        key: AZURE_STORAGE_ACCESS_KEY
  volumeMounts:
  - name: model-dir
    mountPath: /mnt/models
  - name: model-config
    mountPath: /mnt/configs
volumes:
- name: model-dir
  emptyDir: {}
- name: model-config
  configMap:
    name: modelconfig-digits-0
)");
}

TEST_F(PodInjectionTest, KnativesProxyGoesOnToTheAgent) {
  const std::string spec = Spec(
      "internal.serving.kserve.io/batcher: 'true', "
      "serving.kserve.io/enable-metric-aggregation: 'true'",
      "containers: [" + std::string(kServingJson) +
          ", {name: queue-proxy, image: q, env: [{name: USER_PORT, value: '8080'}]}]");
  EXPECT_THAT(spec, HasSubstr(R"(- name: queue-proxy
  image: q
  env:
  - name: USER_PORT
    value: "9081"
  - name: KSERVE_CONTAINER_PROMETHEUS_METRICS_PORT
    value: "8080"
  - name: KSERVE_CONTAINER_PROMETHEUS_METRICS_PATH
    value: /metrics
  - name: AGGREGATE_PROMETHEUS_METRICS_PORT
    value: "9088"
  ports:
  - name: aggr-metric
    containerPort: 9088
    protocol: TCP
- name: agent
)"));
  EXPECT_THAT(spec, HasSubstr("  env:\n  - name: USER_PORT\n    value: \"8080\"\n  ports:\n  - name: agent-port\n"));
}

TEST_F(PodInjectionTest, TheAgentControlsInferdByASocketOfBoth) {
  const std::string pulls = "internal.serving.kserve.io/agent: 'true'";
  const std::string inferd = "containers: [{name: kserve-container, image: 'inferd:1', command: [inferd]";
  EXPECT_THAT(Spec(pulls, inferd + "}]"), testing::StartsWith(R"(containers:
- name: kserve-container
  image: inferd:1
  command:
  - inferd
  env:
  - name: INFERD_HTTP_UNIX_SOCKET
    value: /run/inferd/http.sock
  - name: INFERD_CONTROL_FROM
    value: socket
  volumeMounts:
  - name: inferd-control
    mountPath: /run/inferd
- name: agent
  image: inferd:latest
  command:
  - inferd-agent
  args:
  - "--enable-puller"
  - "--component-port"
  - "8080"
  - "--control-socket"
  - /run/inferd/http.sock
)"));
  EXPECT_THAT(Spec(pulls, inferd + "}]"), HasSubstr("volumes:\n- name: inferd-control\n  emptyDir: {}\n"));
  // The pod's own setting wins.
  EXPECT_THAT(Spec(pulls, inferd + ", env: [{name: INFERD_CONTROL_FROM, value: machine}]}]"),
              HasSubstr("value: machine\n  - name: INFERD_HTTP_UNIX_SOCKET\n"));
  const auto has_socket = [](const std::string& spec) { return spec.contains("inferd-control"); };
  EXPECT_FALSE(has_socket(Spec(pulls, inferd + ", env: [{name: INFERD_HTTP_UNIX_SOCKET, value: /s}]}]")));
  EXPECT_FALSE(has_socket(Spec("internal.serving.kserve.io/batcher: 'true'", inferd + "}]")));
  EXPECT_FALSE(has_socket(Spec(pulls, "containers: [{name: kserve-container, image: 'server:1'}]")));
  config_.agent.image = "kserve/agent:v0.10.0";
  EXPECT_FALSE(has_socket(Spec(pulls, inferd + "}]")));
}

TEST_F(PodInjectionTest, InARevisionTheAgentIsTheContainerThatKnativeAsks) {
  form_ = PodForm::kRevision;
  const std::string spec = Spec("internal.serving.kserve.io/batcher: 'true'",
                                "containers: [{name: kserve-container, ports: [{containerPort: 9000, name: h2c}], "
                                "readinessProbe: {tcpSocket: {port: 0}}}]");
  EXPECT_THAT(spec, testing::StartsWith("containers:\n- name: kserve-container\n- name: agent\n"));
  EXPECT_THAT(spec, HasSubstr("  - \"--component-port\"\n  - \"9000\"\n"));
  EXPECT_THAT(spec, HasSubstr("    value: \"{\\\"tcpSocket\\\":{\\\"port\\\":9000}}\"\n"));
  EXPECT_THAT(spec,
              HasSubstr("  ports:\n  - containerPort: 9081\n    protocol: TCP\n    name: h2c\n  readinessProbe:"));
}

TEST_F(PodInjectionTest, AcceleratorsAreSelectedForGpus) {
  const std::string annotation = "serving.kserve.io/gke-accelerator: nvidia-tesla-t4";
  const std::string gpu =
      "containers: [{name: kserve-container, resources: {limits: {nvidia.com/gpu: 1}}}], nodeSelector: {a: b}";
  EXPECT_THAT(Spec(annotation, gpu),
              HasSubstr("nodeSelector:\n  a: b\n  cloud.google.com/gke-accelerator: nvidia-tesla-t4\n"));
  EXPECT_EQ(Spec(annotation, "containers: [{name: kserve-container}]"), "containers:\n- name: kserve-container\n");
}

TEST_F(PodInjectionTest, PrometheusIsLedToWhatThereIs) {
  const std::string containers = "containers: [" + std::string(kServingJson) + "]";
  EXPECT_EQ(Annotations("serving.kserve.io/enable-prometheus-scraping: 'true'", containers),
            R"({"prometheus.io/path":"/metrics","prometheus.io/port":"8080","prometheus.io/scrape":"true",)"
            R"("serving.kserve.io/enable-prometheus-scraping":"true"})");
  config_.metrics = {.aggregation = "true", .scraping = "true"};
  const std::string own = "prometheus.kserve.io/port: '8002', prometheus.kserve.io/path: /m";
  EXPECT_THAT(Annotations(own, containers), HasSubstr(R"("prometheus.io/path":"/m","prometheus.io/port":"8002")"));
  form_ = PodForm::kRevision;
  EXPECT_THAT(Annotations(own, containers),
              HasSubstr(R"("prometheus.io/path":"/metrics","prometheus.io/port":"9088")"));
  config_.metrics.aggregation = "false";
  EXPECT_THAT(Annotations(own, containers), HasSubstr(R"("prometheus.io/port":"9091")"));
  EXPECT_EQ(Annotations("serving.kserve.io/enable-prometheus-scraping: 'false'", containers),
            R"({"serving.kserve.io/enable-metric-aggregation":"false",)"
            R"("serving.kserve.io/enable-prometheus-scraping":"false"})");
}

TEST_F(PodInjectionTest, WhatCannotBeDoneSaysWhy) {
  const std::string containers = "containers: [" + std::string(kServingJson) + "]";
  EXPECT_EQ(Spec(kSourceAnnotation, "containers: [{name: other}]"),
            "Invalid configuration: cannot find container: kserve-container");
  EXPECT_EQ(Spec("internal.serving.kserve.io/logger: 'true'", "containers: []"),
            "Invalid configuration: cannot find container: kserve-container");
  EXPECT_EQ(Spec("internal.serving.kserve.io/storage-initializer-sourceuri: pvc:///a", containers),
            "Invalid URI must be pvc://<pvcname>/[path]: pvc:///a");
  EXPECT_EQ(Spec(kSourceAnnotation,
                 "containers: [{name: kserve-container, volumeMounts: [{name: v, mountPath: /mnt/models}]}]"),
            "Invalid configuration: container kserve-container has the volume v at /mnt/models, where its model is to "
            "come");
  EXPECT_EQ(Spec("internal.serving.kserve.io/storage-initializer-sourceuri: '<scheme-placeholder>://a', "
                 "internal.serving.kserve.io/storage-spec: 'true', internal.serving.kserve.io/storage-spec-key: k",
                 containers),
            "can't read storage secret storage-config: secrets \"storage-config\" not found");
  EXPECT_EQ(
      Spec("internal.serving.kserve.io/batcher: 'true', internal.serving.kserve.io/batcher-max-latency: 1.5s",
           containers),
      "metadata.annotations.internal.serving.kserve.io/batcher-max-latency: must be a whole number, not \"1.5s\"");
  config_.storage_initializer.cpu_limit = "much";
  EXPECT_THAT(Spec(kSourceAnnotation, containers),
              testing::StartsWith("Failed to parse resource configuration for \"storageInitializer\": \"quantities"));
}

// Documents of the API are not trusted. Each is either accepted or refused with the name of its field.
TEST_F(PodInjectionTest, WrongTypesAreNamed) {
  const auto inject = [&](const std::string& yaml) {
    const auto injected = Inject(manifest::ReadYaml(yaml, "f").value().front());
    return injected.has_value() ? "" : injected.error().message();
  };
  const std::string agent = "{metadata: {annotations: {internal.serving.kserve.io/agent: 'true'}}, spec: ";
  EXPECT_THAT(inject("[]"), HasSubstr("must be a map"));
  EXPECT_THAT(inject("{}"), HasSubstr("spec: is required"));
  EXPECT_THAT(inject("{metadata: [], spec: {}}"), HasSubstr("metadata: must be a map"));
  EXPECT_THAT(inject("{metadata: {annotations: {a: 1}}, spec: {}}"), HasSubstr("metadata.annotations"));
  EXPECT_THAT(inject(agent + "text}"), HasSubstr("spec: must be a map"));
  EXPECT_THAT(inject(agent + "{containers: {}}}"), HasSubstr("spec.containers: must be a list"));
  EXPECT_THAT(inject(agent + "{containers: [text]}}"), HasSubstr("spec.containers[0]"));
  EXPECT_THAT(inject(agent + "{containers: [{name: kserve-container, volumeMounts: [1]}]}}"),
              HasSubstr("spec.containers[0].volumeMounts[0]"));
  EXPECT_THAT(inject(agent + "{containers: [{name: kserve-container, ports: [{containerPort: x}]}]}}"),
              HasSubstr("spec.containers[0].ports[0].containerPort: must be an integer"));
  EXPECT_THAT(inject(agent + "{containers: [{name: kserve-container, env: 1}]}}"), HasSubstr("spec.containers[0].env"));
  EXPECT_THAT(inject(agent + "{containers: [{name: kserve-container}], volumes: {}}}"),
              HasSubstr("spec.volumes: must be a list"));
  EXPECT_EQ(inject(agent + "{containers: [{name: kserve-container, env: null, ports: null}], volumes: null}}"), "");
  EXPECT_EQ(inject("{metadata: null, spec: {containers: null}}"), "");
}

}  // namespace
}  // namespace inferd::model
