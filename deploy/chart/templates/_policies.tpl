{{- define "kinora.egressDns" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}

{{- /* A rule to some peers, or to any address, on one port. Takes a list: the peers and the port. */ -}}
{{- define "kinora.egressTo" -}}
- {{ with index . 0 }}to:
    {{- toYaml . | nindent 4 }}
  {{ end }}ports:
    - { port: {{ index . 1 }}, protocol: TCP }
{{- end -}}

{{- /* The port of a URL. */ -}}
{{- define "kinora.portOfUrl" -}}
{{- $host := (urlParse .).host -}}
{{- $port := regexFind ":[0-9]+$" $host | trimPrefix ":" -}}
{{- default (hasPrefix "http://" . | ternary "80" "443") $port -}}
{{- end -}}

{{- define "kinora.egressDatabase" -}}
{{- include "kinora.egressTo" (list .Values.networkPolicies.databaseTo .Values.networkPolicies.databasePort) -}}
{{- end -}}

{{- define "kinora.egressServer" -}}
{{- $policies := .Values.networkPolicies -}}
{{ include "kinora.egressDns" . }}
{{ include "kinora.egressDatabase" . }}
{{ include "kinora.egressTo" (list $policies.temporalTo (regexFind "[0-9]+$" .Values.temporal.address)) }}
{{ include "kinora.egressTo" (list $policies.storeTo (include "kinora.portOfUrl" .Values.s3.endpoint)) }}
{{- end -}}

{{- /* Images and webhooks: the URLs of callers. Kinora checks each address too. */ -}}
{{- define "kinora.egressCallers" -}}
{{- $ports := list "443" "80" -}}
{{- with get .Values.settings "KINORA_OUTBOUND_ALLOWED_PORTS" -}}
{{- $ports = concat $ports (splitList "," .) -}}
{{- end -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: {{ toJson .Values.networkPolicies.callersExcept }}
    - ipBlock:
        cidr: ::/0
        except: {{ toJson .Values.networkPolicies.callersExceptIPv6 }}
  ports:
    {{- range $ports }}
    - { port: {{ trim . }}, protocol: TCP }
    {{- end }}
{{- end -}}

{{- /* The animatic, and the engines of the models file. */ -}}
{{- define "kinora.egressEngines" -}}
{{- if .Values.animatic.enabled }}
- to:
    - podSelector:
        matchLabels:
          {{- include "kinora.selector" (list . "animatic") | nindent 10 }}
  ports:
    - { port: 8090, protocol: TCP }
{{- end }}
{{- with .Values.networkPolicies.enginesEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}
