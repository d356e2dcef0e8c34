{{- define "quire-host.name" -}}
{{- printf "%s-quire-host" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "quire-host.selector" -}}
app.kubernetes.io/name: quire-host
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "quire-host.labels" -}}
{{ include "quire-host.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{/* The features that are set, as --features takes them. */}}
{{- define "quire-host.features" -}}
{{- $set := list -}}
{{- range $name := list "search" "assistant" "analytics" "playground" -}}
{{- $value := get $.Values.features $name -}}
{{- /* Helm 3.8 takes null as no value. */ -}}
{{- if kindIs "bool" $value -}}
{{- $set = append $set (printf "%s=%s" $name (ternary "on" "off" $value)) -}}
{{- end -}}
{{- end -}}
{{- join "," $set -}}
{{- end -}}

{{/* The hosts of features, as --feature-host takes them. */}}
{{- define "quire-host.featureHosts" -}}
{{- $hosts := list -}}
{{- range .Values.featureHosts -}}
{{- $hosts = append $hosts (printf "%s=%s" .feature .origin) -}}
{{- end -}}
{{- join "," $hosts -}}
{{- end -}}

{{/* The port of the bundle's link. */}}
{{- define "quire-host.bundlePort" -}}
{{- $link := urlParse .Values.staticExport.bundleUrl -}}
{{- $port := regexFind ":[0-9]+$" $link.host | trimPrefix ":" -}}
{{- .Values.networkPolicy.bundlePort | default $port | default (ternary "80" "443" (eq $link.scheme "http")) -}}
{{- end -}}
