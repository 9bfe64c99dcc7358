#include "kserve/model/schema/definitions.h"

namespace inferd::model {

namespace {

using enum FieldType;
using enum FieldShape;

const Definition& VariableDefinition() {
  static const Definition definition = {
      .name = "EnvVar",
      .text = "A variable of a container's environment.",
      .fields = {{"name", kText, "How it is called."},
                 {"value", kText, "Its text."},
                 {"valueFrom", kAny, "Where its text comes from, in place of value."}},
  };
  return definition;
}

const Definition& PortDefinition() {
  static const Definition definition = {
      .name = "ContainerPort",
      .text = "A port at which a container listens.",
      .fields = {{"name", kText, "How it is called: h2c or grpc for a port of gRPC."},
                 {"hostPort", kInteger},
                 {"containerPort", kInteger, "Its number."},
                 {"protocol", kText, "TCP, UDP or SCTP."},
                 {"hostIP", kText}},
  };
  return definition;
}

const Definition& MountDefinition() {
  static const Definition definition = {
      .name = "VolumeMount",
      .text = "Where a container has a volume of its pod.",
      .fields = {{"name", kText, "The volume's name."},
                 {"readOnly", kBoolean},
                 {"mountPath", kText, "The path in the container."},
                 {"subPath", kText},
                 {"mountPropagation", kText},
                 {"subPathExpr", kText}},
  };
  return definition;
}

const Definition& ResourcesDefinition() {
  static const Definition definition = {
      .name = "ResourceRequirements",
      .text = "What a container needs and may use of its machine.",
      .fields = {{"limits", kAny, "The most that it may use, by resource: cpu, memory, nvidia.com/gpu."},
                 {"requests", kAny, "What it needs, by resource."},
                 {"claims", kAny, "", kList}},
  };
  return definition;
}

}  // namespace

const std::vector<Field>& ContainerFields() {
  static const std::vector<Field> fields = {
      {"name", kText, "How the container is called."},
      {"image", kText, "The image that it runs."},
      {"command", kText, "The program, in place of the image's, and its first arguments.", kList},
      {"args", kText, "Its arguments.", kList},
      {"workingDir", kText, "The folder that it begins in."},
      {"ports", kObject, "Where it listens.", kList, &PortDefinition()},
      {"envFrom", kAny, "Where variables come from.", kList},
      {"env", kObject, "Its variables.", kList, &VariableDefinition()},
      {"resources", kObject, "What it needs and may use.", kOne, &ResourcesDefinition()},
      {"resizePolicy", kAny, "", kList},
      {"volumeMounts", kObject, "Where it has the pod's volumes.", kList, &MountDefinition()},
      {"volumeDevices", kAny, "", kList},
      {"livenessProbe", kAny, "How it is asked whether it lives."},
      {"readinessProbe", kAny, "How it is asked whether it takes requests."},
      {"startupProbe", kAny, "How it is asked whether it has started."},
      {"lifecycle", kAny},
      {"restartPolicy", kText},
      {"stdin", kBoolean},
      {"terminationMessagePath", kText},
      {"imagePullPolicy", kText, "Always, Never or IfNotPresent."},
      {"securityContext", kAny},
      {"stdinOnce", kBoolean},
      {"tty", kBoolean},
      {"terminationMessagePolicy", kText},
  };
  return fields;
}

const Definition& ContainerDefinition() {
  static const Definition definition = {
      .name = "Container", .text = "A container of a pod.", .fields = ContainerFields()};
  return definition;
}

const std::vector<Field>& PodSpecFields() {
  static const std::vector<Field> fields = {
      {"volumes", kAny, "What containers can mount.", kList},
      {"initContainers", kObject, "Containers that run before the others.", kList, &ContainerDefinition()},
      {"containers", kObject, "The containers; the first is the one that has the requests.", kList,
       &ContainerDefinition()},
      {"ephemeralContainers", kAny, "", kList},
      {"restartPolicy", kText},
      {"terminationGracePeriodSeconds", kInteger, "How long the pod may take to end."},
      {"activeDeadlineSeconds", kInteger},
      {"dnsPolicy", kText},
      {"nodeSelector", kText, "Labels that the machine must have.", kMap},
      {"serviceAccountName", kText, "The account whose secrets the model is brought with."},
      {"serviceAccount", kText},
      {"automountServiceAccountToken", kBoolean},
      {"nodeName", kText},
      {"hostNetwork", kBoolean},
      {"hostPID", kBoolean},
      {"hostIPC", kBoolean},
      {"shareProcessNamespace", kBoolean},
      {"securityContext", kAny},
      {"imagePullSecrets", kAny, "", kList},
      {"hostname", kText},
      {"subdomain", kText},
      {"affinity", kAny},
      {"schedulerName", kText},
      {"tolerations", kAny, "", kList},
      {"hostAliases", kAny, "", kList},
      {"priorityClassName", kText},
      {"priority", kInteger},
      {"dnsConfig", kAny},
      {"readinessGates", kAny, "", kList},
      {"runtimeClassName", kText},
      {"enableServiceLinks", kBoolean},
      {"preemptionPolicy", kText},
      {"overhead", kAny},
      {"topologySpreadConstraints", kAny, "", kList},
      {"setHostnameAsFQDN", kBoolean},
      {"os", kAny},
      {"hostUsers", kBoolean},
      {"schedulingGates", kAny, "", kList},
      {"resourceClaims", kAny, "", kList},
      {"resources", kAny},
  };
  return fields;
}

}  // namespace inferd::model
