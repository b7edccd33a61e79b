{{- define "kinora.fullname" -}}
{{- if contains "kinora" .Release.Name -}}
{{- .Release.Name | trunc 35 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-kinora" .Release.Name | trunc 35 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "kinora.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "kinora.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* Labels by which Services and policies find pods. Takes a list: the context and the role. */ -}}
{{- define "kinora.selector" -}}
app.kubernetes.io/name: kinora
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- /* Metadata of an object. Takes a list: the context, the name and the role. */ -}}
{{- define "kinora.metadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "kinora.selector" (list $root (index . 2)) | nindent 2 }}
  app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ $root.Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name ($root.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- /* The reference of an image. Takes a list: the context, the name and the digest. */ -}}
{{- define "kinora.image" -}}
{{- $root := index . 0 -}}
{{- $digest := index . 2 -}}
{{- if $digest -}}
{{- printf "%s/%s@%s" $root.Values.image.registry (index . 1) $digest -}}
{{- else -}}
{{- printf "%s/%s:%s" $root.Values.image.registry (index . 1) (default $root.Chart.AppVersion $root.Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* Each secret by its name in the values, with its setting. */ -}}
{{- define "kinora.secretSettings" -}}
secretKeys: KINORA_SECRET_KEYS
databaseUrl: KINORA_DATABASE_URL
s3AccessKeyId: KINORA_S3_ACCESS_KEY_ID
s3SecretAccessKey: KINORA_S3_SECRET_ACCESS_KEY
temporalApiKey: KINORA_TEMPORAL_API_KEY
privateToken: KINORA_PRIVATE_TOKEN
engineTokens: KINORA_ENGINE_TOKENS
openidClientSecret: KINORA_OPENID_CLIENT_SECRET
{{- end -}}

{{- /* The settings that name the files of secrets. Takes a list: the context, and the secrets that the pod may read. */ -}}
{{- define "kinora.secretEnvironment" -}}
{{- $root := index . 0 -}}
{{- $settings := include "kinora.secretSettings" $root | fromYaml -}}
{{- range index . 1 }}
{{- $secret := index $root.Values.secrets . }}
{{- if or $secret.value $secret.existingSecret }}
- name: {{ index $settings . }}_FILE
  value: /etc/kinora/secrets/{{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Their volume. Takes a list: the context, the secrets, and the name of the chart's own Secret. */ -}}
{{- define "kinora.secretVolume" -}}
{{- $root := index . 0 -}}
{{- $own := index . 2 -}}
- name: secrets
  projected:
    # Readable for the group of the process, fsGroup.
    defaultMode: 288 # 0440, which not every YAML parser reads as octal
    sources:
      {{- range index . 1 }}
      {{- $secret := index $root.Values.secrets . }}
      {{- if $secret.existingSecret }}
      - secret:
          name: {{ $secret.existingSecret }}
          items: [{ key: {{ $secret.key | quote }}, path: {{ . }} }]
      {{- else if $secret.value }}
      - secret:
          name: {{ $own }}
          items: [{ key: {{ . }}, path: {{ . }} }]
      {{- end }}
      {{- end }}
{{- end -}}

{{- define "kinora.hasModels" -}}
{{- if or .Values.models.files .Values.models.existingConfigMap -}}true{{- end -}}
{{- end -}}

{{- define "kinora.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* Settings that all pods of the server have, and where their files are. */ -}}
{{- define "kinora.serverEnvironment" -}}
{{- $fullname := include "kinora.fullname" . -}}
{{- $tls := .Values.temporal.tls -}}
KINORA_ENV: production
KINORA_PUBLIC_URL: {{ .Values.publicUrl | quote }}
KINORA_HOST: "0.0.0.0"
KINORA_PORT: "8080"
KINORA_CONSOLE_HOST: "0.0.0.0"
KINORA_CONSOLE_PORT: "8081"
{{- with .Values.console.url }}
KINORA_CONSOLE_URL: {{ . | quote }}
{{- end }}
KINORA_PRIVATE_HOST: "0.0.0.0"
KINORA_PRIVATE_PORT: "9090"
KINORA_ENGINE_CALLBACK_URL: http://{{ $fullname }}-private.{{ .Release.Namespace }}.svc:9090
KINORA_TEMPORAL_ADDRESS: {{ .Values.temporal.address | quote }}
KINORA_TEMPORAL_NAMESPACE: {{ .Values.temporal.namespace | quote }}
KINORA_TEMPORAL_TLS: {{ $tls.enabled | quote }}
{{- if $tls.serverName }}
KINORA_TEMPORAL_TLS_SERVER_NAME: {{ $tls.serverName | quote }}
{{- end }}
{{- if $tls.existingSecret }}
{{- with $tls.caKey }}
KINORA_TEMPORAL_TLS_CA_FILE: /etc/kinora/temporal/{{ . }}
{{- end }}
{{- with $tls.certificateKey }}
KINORA_TEMPORAL_TLS_CERT_FILE: /etc/kinora/temporal/{{ . }}
{{- end }}
{{- with $tls.privateKeyKey }}
KINORA_TEMPORAL_TLS_KEY_FILE: /etc/kinora/temporal/{{ . }}
{{- end }}
{{- end }}
KINORA_S3_ENDPOINT: {{ .Values.s3.endpoint | quote }}
KINORA_S3_REGION: {{ .Values.s3.region | quote }}
KINORA_S3_BUCKET: {{ .Values.s3.bucket | quote }}
KINORA_S3_FORCE_PATH_STYLE: {{ .Values.s3.forcePathStyle | quote }}
{{- if .Values.s3.publicEndpoint }}
KINORA_S3_PUBLIC_ENDPOINT: {{ .Values.s3.publicEndpoint | quote }}
{{- end }}
{{- if .Values.animatic.enabled }}
KINORA_ANIMATIC_URL: http://{{ $fullname }}-animatic.{{ .Release.Namespace }}.svc:8090
{{- end }}
{{- if include "kinora.hasModels" . }}
KINORA_MODELS_FILE: /etc/kinora/models/models.yaml
{{- end }}
{{- end -}}

{{- /* Settings by which any command of the server may reach Postgres and the others. */ -}}
{{- define "kinora.connectionEnvironment" -}}
{{- if .Values.allowPlainText }}
KINORA_ALLOW_PLAIN_TEXT: {{ join "," .Values.allowPlainText | quote }}
{{- end }}
{{- if .Values.certificateAuthorities.existingConfigMap }}
NODE_EXTRA_CA_CERTS: /etc/kinora/certificate-authorities/{{ .Values.certificateAuthorities.key }}
{{- end }}
{{- end -}}

{{- define "kinora.environmentList" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "kinora.authoritiesVolume" -}}
{{- if .Values.certificateAuthorities.existingConfigMap }}
- name: certificate-authorities
  configMap:
    name: {{ .Values.certificateAuthorities.existingConfigMap }}
{{- end }}
{{- end -}}

{{- define "kinora.authoritiesMount" -}}
{{- if .Values.certificateAuthorities.existingConfigMap }}
- name: certificate-authorities
  mountPath: /etc/kinora/certificate-authorities
  readOnly: true
{{- end }}
{{- end -}}

{{- /* What the pods of all roles and of the animatic have. Takes a list: the context and the values of the role. */ -}}
{{- define "kinora.podPlace" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- toYaml $root.Values.podSecurityContext | nindent 2 }}
{{- with $role.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $role.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $role.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /*
A Deployment of one role of the server. Takes a dict: root, role (api, console, relay or worker), name (of the object), values (of
the role), environment (besides those of all roles), and ports.
*/ -}}
{{- define "kinora.serverDeployment" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $secrets := keys (include "kinora.secretSettings" $root | fromYaml) | sortAlpha -}}
{{- $labels := dict "kinora/group" .name -}}
{{- $environment := include "kinora.serverEnvironment" $root | fromYaml -}}
{{- $environment = merge (include "kinora.connectionEnvironment" $root | fromYaml) $environment -}}
{{- $environment = merge (dict "KINORA_SCRATCH_FOLDER" "/scratch/kinora") $environment -}}
{{- $environment = merge (default dict .environment) $environment -}}
{{- $environment = merge (deepCopy (default dict $values.settings)) $root.Values.settings $environment -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "kinora.metadata" (list $root .name .role) | nindent 2 }}
spec:
  replicas: {{ $values.replicas }}
  revisionHistoryLimit: 3
  selector:
    matchLabels:
      {{- include "kinora.selector" (list $root .role) | nindent 6 }}
      {{- toYaml $labels | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels:
        {{- include "kinora.selector" (list $root .role) | nindent 8 }}
        {{- toYaml $labels | nindent 8 }}
        kinora/server: "true"
        {{- with $root.Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        # Secrets are read once, at start. Those in existing Secrets are not known here: restart the pods yourself.
        checksum/secrets: {{ include "kinora.ownSecrets" $root | sha256sum }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "kinora.serviceAccountName" $root }}
      # A process ends itself after 60 s, drain included; the rest is for the runtime.
      terminationGracePeriodSeconds: 70
      {{- include "kinora.podPlace" (list $root $values) | nindent 6 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "kinora.selector" (list $root .role) | nindent 14 }}
      containers:
        - name: {{ .role }}
          image: {{ include "kinora.image" (list $root "kinora-server" $root.Values.image.serverDigest) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [start, --roles, {{ .role }}]
          env:
            {{- include "kinora.environmentList" $environment | nindent 12 }}
            {{- include "kinora.secretEnvironment" (list $root $secrets) | nindent 12 }}
          ports:
            {{- with .ports }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
            - { name: private, containerPort: 9090, protocol: TCP }
          startupProbe:
            httpGet: { path: /healthz, port: private }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 60
          # A frozen process is restarted after 30 s. What else is wrong, a restart does not repair.
          livenessProbe:
            httpGet: { path: /healthz, port: private }
            periodSeconds: 10
            timeoutSeconds: 3
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /readyz, port: {{ eq .role "api" | ternary "http" "private" }} }
            periodSeconds: 5
            timeoutSeconds: 3
            # A pod that stops leaves the Service without this probe, and serves for another 5 s.
            failureThreshold: 2
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- include "kinora.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            - { name: secrets, mountPath: /etc/kinora/secrets, readOnly: true }
            - { name: scratch, mountPath: /scratch }
            - { name: temporary, mountPath: /tmp }
            {{- if include "kinora.hasModels" $root }}
            - { name: models, mountPath: /etc/kinora/models, readOnly: true }
            {{- end }}
            {{- if $root.Values.temporal.tls.existingSecret }}
            - { name: temporal, mountPath: /etc/kinora/temporal, readOnly: true }
            {{- end }}
            {{- include "kinora.authoritiesMount" $root | nindent 12 }}
      volumes:
        {{- include "kinora.secretVolume" (list $root $secrets (include "kinora.fullname" $root)) | nindent 8 }}
        # The process makes a folder of its own in it, which nobody else may write to.
        - name: scratch
          emptyDir: { sizeLimit: {{ default "256Mi" $values.scratchSize }} }
        - name: temporary
          emptyDir: { sizeLimit: 64Mi }
        {{- if include "kinora.hasModels" $root }}
        - name: models
          configMap:
            name: {{ default (printf "%s-models" (include "kinora.fullname" $root)) $root.Values.models.existingConfigMap }}
        {{- end }}
        {{- with $root.Values.temporal.tls.existingSecret }}
        - name: temporal
          secret: { secretName: {{ . }}, defaultMode: 288 }
        {{- end }}
        {{- include "kinora.authoritiesVolume" $root | nindent 8 }}
{{- end -}}

{{- /* The Service of a role that serves HTTP. Takes a dict: root, role and values (of the role). */ -}}
{{- define "kinora.service" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "kinora.metadata" (list .root (printf "%s-%s" (include "kinora.fullname" .root) .role) .role) | nindent 2 }}
  {{- with .values.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ .values.service.type }}
  selector:
    {{- include "kinora.selector" (list .root .role) | nindent 4 }}
  ports:
    - { name: http, port: {{ .values.service.port }}, targetPort: http, protocol: TCP }
{{- end -}}

{{- /* Its ingress. Takes the same, and url: the public one, whose host it has. */ -}}
{{- define "kinora.ingress" -}}
{{- $name := printf "%s-%s" (include "kinora.fullname" .root) .role -}}
{{- if .values.ingress.enabled }}
{{- $host := (urlParse .url).hostname }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "kinora.metadata" (list .root $name .role) | nindent 2 }}
  {{- with .values.ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .values.ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with .values.ingress.tlsSecret }}
  tls:
    - hosts: [{{ $host | quote }}]
      secretName: {{ . }}
  {{- end }}
  rules:
    - host: {{ $host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ $name }}
                port: { name: http }
{{- end }}
{{- end -}}

{{- define "kinora.budget" -}}
{{- $root := .root -}}
{{- if $root.Values.podDisruptionBudgets.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "kinora.metadata" (list $root .name .role) | nindent 2 }}
spec:
  maxUnavailable: 1
  # A pod that is not ready does no work that a drain could interrupt.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "kinora.selector" (list $root .role) | nindent 6 }}
      {{- with .labels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}
{{- end -}}

{{- /* The data of the Secret that holds the values under `secrets`. */ -}}
{{- define "kinora.ownSecrets" -}}
{{- range $name, $secret := .Values.secrets }}
{{- if and $secret.value (not $secret.existingSecret) }}
{{ $name }}: {{ $secret.value | b64enc | quote }}
{{- end }}
{{- end }}
{{- end -}}
