{{- define "quire.name" -}}
{{- printf "%s-quire" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Called with a dict of root and role. */}}
{{- define "quire.selector" -}}
app.kubernetes.io/name: quire
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "quire.labels" -}}
{{ include "quire.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | quote }}
{{- end -}}

{{- define "quire.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* What all pods have in common, without containers and volumes. Called with a dict of root and seccompProfile. */}}
{{- define "quire.pod" -}}
automountServiceAccountToken: {{ ne .root.Values.serviceAccountName "" }}
enableServiceLinks: false
{{- with .root.Values.serviceAccountName }}
serviceAccountName: {{ . | quote }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- if not .root.Values.openshift }}
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  {{- end }}
  seccompProfile:
    {{- toYaml .seccompProfile | nindent 4 }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "quire.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The settings of every server and of the migration. */}}
{{- define "quire.env" -}}
- name: QUIRE_DATABASE
  valueFrom:
    secretKeyRef:
      name: {{ required "database.existingSecret is needed: a Secret with the address of the PostgreSQL." .Values.database.existingSecret | quote }}
      key: {{ .Values.database.key | quote }}
- name: QUIRE_BUNDLES
  value: {{ required "bundles.url is needed: the address of the S3-compatible storage." .Values.bundles.url | quote }}
{{- with .Values.bundles.existingSecret }}
{{- range $name := list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.bundles.existingSecret | quote }}
      key: {{ $name }}
{{- end }}
{{- end }}
- name: QUIRE_DATA
  value: /data/quire
- name: HOME
  value: /data
{{- end -}}

{{/* The settings of a server. Called with a dict of root and role. */}}
{{- define "quire.serverEnv" -}}
{{ include "quire.env" .root }}
- name: QUIRE_ROLE
  value: {{ .role }}
- name: QUIRE_HOST
  value: 0.0.0.0
- name: QUIRE_PORT
  value: "8080"
# Longer than the time in which a service or an ingress notices that a pod is not ready.
- name: QUIRE_DRAIN_SECONDS
  value: "5"
{{- if .root.Values.metrics.enabled }}
- name: QUIRE_METRICS_ADDRESS
  value: {{ printf "0.0.0.0:%v" .root.Values.metrics.port | quote }}
{{- end }}
{{- range $name, $value := .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "quire.ports" -}}
- name: http
  containerPort: 8080
{{- if .Values.metrics.enabled }}
- name: metrics
  containerPort: {{ .Values.metrics.port }}
{{- end }}
{{- end -}}

{{/* Pods of a role are on different machines, if there are enough. Called with a dict of root and role. */}}
{{- define "quire.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "quire.selector" . | nindent 8 }}
{{- end -}}

{{- define "quire.probes" -}}
startupProbe:
  httpGet:
    path: /healthz
    port: http
  periodSeconds: 1
  failureThreshold: 120
readinessProbe:
  httpGet:
    path: /readyz
    port: http
  periodSeconds: 2
  timeoutSeconds: 5
livenessProbe:
  httpGet:
    path: /healthz
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}

{{- define "quire.webhookKeyEnv" -}}
- name: QUIRE_WEBHOOK_KEY_FILE
  value: /etc/quire/webhook/{{ .Values.webhookKey.key }}
{{- end -}}

{{- define "quire.webhookKeyMount" -}}
- name: webhook-key
  mountPath: /etc/quire/webhook
  readOnly: true
{{- end -}}

{{- define "quire.webhookKeyVolume" -}}
- name: webhook-key
  secret:
    secretName: {{ .Values.webhookKey.existingSecret | quote }}
    # 0440
    defaultMode: 288
{{- end -}}
