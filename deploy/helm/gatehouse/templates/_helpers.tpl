{{- define "gatehouse.name" -}}
{{- printf "%s" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gatehouse.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf "v%s" .Chart.AppVersion) }}
{{- end -}}
{{- end -}}

{{- /* gatehouse.yaml: the operator's settings, and those that the chart knows. */ -}}
{{- define "gatehouse.config" -}}
{{- $server := dict "issuer" .Values.issuer "host" "0.0.0.0" "port" 3000 "stopDelay" .Values.stopDelay "management" (dict "host" "0.0.0.0" "port" .Values.management.port) -}}
{{- mergeOverwrite (deepCopy .Values.config) (dict "server" $server) | toYaml -}}
{{- end -}}

{{- /* What a container of the portal and one of a command have in common. */ -}}
{{- define "gatehouse.container" -}}
image: {{ include "gatehouse.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  capabilities:
    drop: [ALL]
env:
  - name: GATEHOUSE_SERVER__ISSUER
    value: {{ .Values.issuer | quote }}
  {{- range $variable, $key := .Values.secret.files }}
  - name: {{ $variable }}_FILE
    value: /run/secrets/gatehouse/{{ $key }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- end -}}

{{- /* What the job before an upgrade needs exists before it, and is removed after it. */ -}}
{{- define "gatehouse.beforeJob" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: "-5"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- define "gatehouse.migrateSelector" -}}
app.kubernetes.io/name: gatehouse-migrate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gatehouse.egress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- with .Values.networkPolicy.egress }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Two resources write the Secret in the mode `job`, so neither owns it. */ -}}
{{- define "gatehouse.externalSecretSpec" -}}
refreshInterval: {{ .Values.externalSecret.refreshInterval }}
secretStoreRef:
  kind: {{ .Values.externalSecret.store.kind }}
  name: {{ .Values.externalSecret.store.name | required "externalSecret.store.name is required" }}
target:
  name: {{ .Values.secret.name }}
  {{- if eq .Values.migrations.mode "job" }}
  creationPolicy: Orphan
  {{- end }}
data:
  {{- range $key, $address := .Values.externalSecret.values }}
  - secretKey: {{ $key }}
    remoteRef:
      key: {{ $address | quote }}
  {{- end }}
{{- end -}}

{{- define "gatehouse.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "gatehouse.secretVolume" -}}
name: secrets
secret:
  secretName: {{ .Values.secret.name }}
  # The group may read: the process is no owner of the files.
  defaultMode: 0440
{{- end -}}
