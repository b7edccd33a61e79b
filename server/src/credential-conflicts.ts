import { createPrivateKey, X509Certificate } from 'node:crypto';

interface Credentials {
  KINORA_S3_ACCESS_KEY_ID: string | null;
  KINORA_S3_SECRET_ACCESS_KEY: string | null;
  KINORA_TEMPORAL_TLS_CERT_FILE: Buffer | null;
  KINORA_TEMPORAL_TLS_KEY_FILE: Buffer | null;
}

/** Settings that are useless without each other. */
const pairs = [
  ['KINORA_S3_ACCESS_KEY_ID', 'KINORA_S3_SECRET_ACCESS_KEY'],
  ['KINORA_TEMPORAL_TLS_CERT_FILE', 'KINORA_TEMPORAL_TLS_KEY_FILE'],
] as const;

/** Returns a sentence for each credential whose halves are not both set, or do not fit. */
export function conflictsOfCredentials(settings: Credentials): string[] {
  const problems = pairs
    .filter(([one, other]) => (settings[one] === null) !== (settings[other] === null))
    .map(([one, other]) => `${one} and ${other} must be set both or not at all.`);
  const { KINORA_TEMPORAL_TLS_CERT_FILE: certificate, KINORA_TEMPORAL_TLS_KEY_FILE: key } = settings;
  if (certificate && key && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    problems.push('KINORA_TEMPORAL_TLS_KEY_FILE must be the key of the certificate in KINORA_TEMPORAL_TLS_CERT_FILE.');
  return problems;
}
