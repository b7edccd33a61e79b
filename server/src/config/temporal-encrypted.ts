/** The settings that decide how Temporal is reached. */
export interface TemporalTlsSettings {
  KINORA_TEMPORAL_TLS: boolean;
  KINORA_TEMPORAL_TLS_CA_FILE: Buffer | null;
  KINORA_TEMPORAL_TLS_CERT_FILE: Buffer | null;
  KINORA_TEMPORAL_TLS_SERVER_NAME: string | null;
  KINORA_TEMPORAL_API_KEY: string | null;
}

/** Returns whether connections to Temporal are encrypted. An API key is never sent in plain text. */
export function isTemporalEncrypted(settings: TemporalTlsSettings): boolean {
  return (
    settings.KINORA_TEMPORAL_TLS ||
    settings.KINORA_TEMPORAL_TLS_CA_FILE !== null ||
    settings.KINORA_TEMPORAL_TLS_CERT_FILE !== null ||
    settings.KINORA_TEMPORAL_TLS_SERVER_NAME !== null ||
    settings.KINORA_TEMPORAL_API_KEY !== null
  );
}
