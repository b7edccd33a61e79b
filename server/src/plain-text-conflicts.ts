import { isLoopbackName } from '@kinora/settings/own-host';
import { isTemporalEncrypted, type TemporalTlsSettings } from './temporal-encrypted.ts';

export const plainTextParts = ['temporal', 'postgres', 'store'] as const;
export type PlainTextPart = (typeof plainTextParts)[number];

interface Connections extends TemporalTlsSettings {
  KINORA_ALLOW_PLAIN_TEXT: readonly PlainTextPart[];
  KINORA_TEMPORAL_ADDRESS: string;
  /** Undefined if a command does not have it. */
  KINORA_DATABASE_URL?: string | undefined;
  KINORA_S3_ENDPOINT?: string | undefined;
  KINORA_S3_PUBLIC_ENDPOINT: string | null;
}

/** Returns a sentence for each part that would be reached in plain text beyond loopback without permission. */
export function conflictsOfPlainText(settings: Connections): string[] {
  const temporal = settings.KINORA_TEMPORAL_ADDRESS;
  const problems: { part: PlainTextPart; problem: string }[] = [];
  if (!isTemporalEncrypted(settings) && !isLoopback(`tcp://${temporal}`))
    problems.push({ part: 'temporal', problem: 'KINORA_TEMPORAL_ADDRESS is not loopback: set KINORA_TEMPORAL_TLS' });
  if (settings.KINORA_DATABASE_URL !== undefined && !isSafeDatabase(settings.KINORA_DATABASE_URL))
    problems.push({ part: 'postgres', problem: 'KINORA_DATABASE_URL is not loopback: add sslmode=verify-full' });
  for (const name of ['KINORA_S3_ENDPOINT', 'KINORA_S3_PUBLIC_ENDPOINT'] as const) {
    const url = settings[name] ?? null;
    if (url !== null && !url.startsWith('https:') && !isLoopback(url))
      problems.push({ part: 'store', problem: `${name} is not loopback: use https` });
  }
  return problems
    .filter(({ part }) => !settings.KINORA_ALLOW_PLAIN_TEXT.includes(part))
    .map(({ part, problem }) => `${problem}, or list ${part} in KINORA_ALLOW_PLAIN_TEXT.`);
}

/** Modes in which our Postgres client never falls back to plain text. */
const encryptedModes = ['require', 'verify-ca', 'verify-full', 'no-verify'];

function isSafeDatabase(text: string): boolean {
  // A path is a Unix socket, as are a host that is a path and no host at all.
  if (/^(\/|socket:)/.test(text)) return true;
  if (!URL.canParse(text)) return false;
  const { hostname, searchParams } = new URL(text);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (host === '' || host.startsWith('/') || isLoopbackName(host)) return true;
  return encryptedModes.includes(searchParams.get('sslmode') ?? '') || searchParams.get('ssl') === 'true';
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopbackName(new URL(url).hostname);
}
