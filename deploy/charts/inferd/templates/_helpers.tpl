{{- define "inferd.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "inferd.labels" -}}
app.kubernetes.io/name: inferd-controller
app.kubernetes.io/part-of: inferd
{{ include "inferd.chartLabels" . }}
{{- end }}

{{- define "inferd.chartLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /*
One object of deploy/kustomize, whose files the chart has, as a document of this release: in its namespace, with its labels.
Takes `object` and `root`.
*/ -}}
{{- define "inferd.object" }}
---
{{- $namespace := .root.Release.Namespace }}
{{- $metadata := .object.metadata }}
{{- $_ := set $metadata "labels" (merge (include "inferd.chartLabels" .root | fromYaml) ($metadata.labels | default dict)) }}
{{- if eq ($metadata.namespace | default "") "kserve" }}{{ $_ := set $metadata "namespace" $namespace }}{{ end }}
{{- range .object.subjects }}{{ $_ := set . "namespace" $namespace }}{{ end }}
{{- range .object.webhooks }}{{ $_ := set .clientConfig.service "namespace" $namespace }}{{ end }}
{{ toYaml .object }}
{{- end }}

{{- /*
Likewise a binding to a role in the whole cluster; with `namespaces`, one in each of them in its place.
*/ -}}
{{- define "inferd.binding" }}
{{- $root := .root }}
{{- $object := .object }}
{{- if $root.Values.namespaces }}
{{- range $root.Values.namespaces }}
{{- $binding := deepCopy $object }}
{{- $_ := set $binding "kind" "RoleBinding" }}
{{- $_ := set $binding.metadata "namespace" . }}
{{- include "inferd.object" (dict "root" $root "object" $binding) }}
{{- end }}
{{- else }}
{{- include "inferd.object" (dict "root" $root "object" $object) }}
{{- end }}
{{- end }}
