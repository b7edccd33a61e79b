{{- /*
An upgrade to another database or bucket would leave tasks and videos behind. The ConfigMap <name>-data records which ones
this installation uses; it survives `helm uninstall`, so that the next install under the same name is checked too.
*/ -}}

{{- /* The database URL, if the chart can know it: its value, or what the existing Secret has in the cluster. */ -}}
{{- define "kinora.databaseUrl" -}}
{{- $secret := .Values.secrets.databaseUrl -}}
{{- if $secret.existingSecret -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace $secret.existingSecret -}}
{{- get (default dict (default dict $found).data) $secret.key | b64dec -}}
{{- else -}}
{{- $secret.value -}}
{{- end -}}
{{- end -}}

{{- /* Where the data is, without any secret. A part that is not known, as under `helm template`, is empty. */ -}}
{{- define "kinora.wantedData" -}}
{{- $url := include "kinora.databaseUrl" . | trim -}}
{{- if $url -}}
{{- $parsed := urlParse $url }}
database: {{ printf "%s%s" $parsed.host $parsed.path | quote }}
{{- else }}
database: ""
{{- end }}
bucket: {{ printf "%s/%s" (trimSuffix "/" .Values.s3.endpoint) .Values.s3.bucket | quote }}
{{- end -}}

{{- define "kinora.recordedData" -}}
{{- $found := lookup "v1" "ConfigMap" .Release.Namespace (printf "%s-data" (include "kinora.fullname" .)) -}}
{{- toYaml (default dict (default dict $found).data) -}}
{{- end -}}

{{- /* The rule. Takes a dict: wanted and recorded (both with database and bucket) and confirmed. */ -}}
{{- define "kinora.refuseOtherData" -}}
{{- $changes := list -}}
{{- range $part := list "database" "bucket" -}}
{{- $old := get $.recorded $part -}}
{{- $new := get $.wanted $part -}}
{{- if and $old $new (ne $old $new) -}}
{{- $changes = append $changes (printf "the %s changes from %s to %s" $part $old $new) -}}
{{- end -}}
{{- end -}}
{{- if $changes -}}
{{- $confirmation := join "; " $changes | sha256sum | trunc 12 -}}
{{- if ne .confirmed $confirmation -}}
{{- fail (printf "\n\nThis would leave the data of the installation behind: %s.\nIf the data is there already, or may be left behind, add --set-string confirmOtherData=%s\n" (join "; " $changes) $confirmation) -}}
{{- end -}}
{{- end -}}
{{- end -}}
