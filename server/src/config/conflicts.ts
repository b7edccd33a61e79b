import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isLoopbackName } from '@kinora/settings/own-host';
import { isTemporalEncrypted, type TemporalTlsSettings } from './temporal-encrypted.ts';
import { weaknessOf } from './weak-secret.ts';

export const plainTextParts = ['temporal', 'postgres', 'store'] as const;
export type PlainTextPart = (typeof plainTextParts)[number];

/** The settings that can contradict each other. A command may not have those that can be undefined. */
interface Settings extends TemporalTlsSettings {
  KINORA_PUBLIC_URL: string;
  KINORA_CONSOLE_URL: string;
  KINORA_DATABASE_URL?: string | undefined;
  KINORA_TEMPORAL_ADDRESS: string;
  KINORA_TEMPORAL_TLS_KEY_FILE: Buffer | null;
  KINORA_S3_ENDPOINT?: string | undefined;
  KINORA_S3_PUBLIC_ENDPOINT: string | null;
  KINORA_S3_ACCESS_KEY_ID: string | null;
  KINORA_S3_SECRET_ACCESS_KEY: string | null;
  KINORA_ALLOW_PLAIN_TEXT: readonly PlainTextPart[];
  KINORA_SECRET_KEYS?: readonly string[] | undefined;
  KINORA_PRIVATE_TOKEN: string | null;
  KINORA_ENGINE_TOKENS: Readonly<Record<string, string>>;
  KINORA_FAILPOINTS: readonly string[];
  KINORA_OPENID_ISSUER: string | null;
  KINORA_OPENID_CLIENT_ID: string | null;
  KINORA_OPENID_CLIENT_SECRET: string | null;
  KINORA_OPENID_GROUP_ROLES: readonly unknown[];
  KINORA_FILE_RETENTION_DAYS: number;
  KINORA_RECORD_RETENTION_DAYS: number;
  KINORA_USAGE_RETENTION_DAYS: number;
  KINORA_TASK_WAIT_HOURS: number;
  KINORA_WEBHOOK_SCHEDULE_SECONDS: readonly number[];
  KINORA_WEBHOOK_TRY_SECONDS: number;
}

/** Returns a sentence for each way in which settings contradict each other, or are fit for a trial only. */
export function conflictsOf(settings: Settings, { isDevelopment }: { isDevelopment: boolean }): string[] {
  return [
    ...conflictsOfRetention(settings),
    ...conflictsOfCredentials(settings),
    ...conflictsOfOpenid(settings),
    ...conflictsOfConsole(settings),
    ...(isDevelopment ? [] : [...conflictsOfProduction(settings), ...conflictsOfPlainText(settings)]),
  ];
}

/** Returns a sentence for each retention setting that is too short for another setting. */
function conflictsOfRetention(settings: Settings): string[] {
  // A task that waited for all of its time may then work for most of a day.
  const longestLifeDays = Math.ceil(settings.KINORA_TASK_WAIT_HOURS / 24) + 1;
  const schedule = settings.KINORA_WEBHOOK_SCHEDULE_SECONDS;
  const longestDeliverySeconds = schedule.reduce(
    (sum, seconds) => sum + seconds + settings.KINORA_WEBHOOK_TRY_SECONDS,
    0,
  );
  const needs = [
    {
      name: 'KINORA_RECORD_RETENTION_DAYS',
      days: settings.KINORA_FILE_RETENTION_DAYS,
      because: 'files are kept for KINORA_FILE_RETENTION_DAYS, and a file without a record cannot be found',
    },
    {
      name: 'KINORA_RECORD_RETENTION_DAYS',
      days: longestLifeDays,
      because: 'a task may wait for KINORA_TASK_WAIT_HOURS and work for a day, and its caller must see how it ended',
    },
    {
      name: 'KINORA_RECORD_RETENTION_DAYS',
      days: Math.ceil(longestDeliverySeconds / 86_400),
      because: 'the tries of a webhook last that long, by KINORA_WEBHOOK_SCHEDULE_SECONDS',
    },
    {
      name: 'KINORA_USAGE_RETENTION_DAYS',
      days: longestLifeDays,
      because: 'a task may wait for KINORA_TASK_WAIT_HOURS and work for a day, and its usage counts from its creation',
    },
  ] as const;
  return needs
    .filter(({ name, days }) => settings[name] < days)
    .map(({ name, days, because }) => `${name} must be at least ${days}: ${because}.`);
}

/** Settings that are useless without each other. */
const pairs = [
  ['KINORA_S3_ACCESS_KEY_ID', 'KINORA_S3_SECRET_ACCESS_KEY'],
  ['KINORA_TEMPORAL_TLS_CERT_FILE', 'KINORA_TEMPORAL_TLS_KEY_FILE'],
] as const;

/** Returns a sentence for each credential whose halves are not both set, or do not fit. */
function conflictsOfCredentials(settings: Settings): string[] {
  const problems = pairs
    .filter(([one, other]) => (settings[one] === null) !== (settings[other] === null))
    .map(([one, other]) => `${one} and ${other} must be set both or not at all.`);
  const { KINORA_TEMPORAL_TLS_CERT_FILE: certificate, KINORA_TEMPORAL_TLS_KEY_FILE: key } = settings;
  if (certificate && key && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    problems.push('KINORA_TEMPORAL_TLS_KEY_FILE must be the key of the certificate in KINORA_TEMPORAL_TLS_CERT_FILE.');
  return problems;
}

/** Returns a sentence for each setting of OpenID Connect that lacks another one. */
function conflictsOfOpenid(settings: Settings): string[] {
  const { KINORA_OPENID_ISSUER: issuer, KINORA_OPENID_CLIENT_ID: clientId } = settings;
  const problems = [];
  if ((issuer === null) !== (clientId === null))
    problems.push('KINORA_OPENID_ISSUER and KINORA_OPENID_CLIENT_ID must be set both or not at all.');
  if (issuer === null && settings.KINORA_OPENID_CLIENT_SECRET !== null)
    problems.push('KINORA_OPENID_CLIENT_SECRET requires KINORA_OPENID_ISSUER.');
  if (issuer === null && settings.KINORA_OPENID_GROUP_ROLES.length > 0)
    problems.push('KINORA_OPENID_GROUP_ROLES requires KINORA_OPENID_ISSUER.');
  if (issuer?.startsWith('http:') && !isLoopbackName(new URL(issuer).hostname))
    problems.push('KINORA_OPENID_ISSUER must be https, except on loopback: people would sign in in clear.');
  return problems;
}

/** Returns a sentence for each reason why browsers could not use the console safely at its URL. */
function conflictsOfConsole(settings: Pick<Settings, 'KINORA_CONSOLE_URL' | 'KINORA_PUBLIC_URL'>): string[] {
  const [own, api] = [new URL(settings.KINORA_CONSOLE_URL), new URL(settings.KINORA_PUBLIC_URL)];
  const problems = [];
  if (own.origin === api.origin)
    problems.push(
      'KINORA_CONSOLE_URL must have another host or port than KINORA_PUBLIC_URL: browsers keep origins apart.',
    );
  if (own.pathname !== '/' || own.search !== '')
    problems.push('KINORA_CONSOLE_URL must have no path: the console needs a whole origin.');
  return problems;
}

/** A sentence for each setting that is fit for a trial only. None repeats a value, because most of them are secret. */
export function conflictsOfProduction(settings: Settings): string[] {
  const ours = {
    KINORA_SECRET_KEYS: settings.KINORA_SECRET_KEYS ?? [],
    KINORA_PRIVATE_TOKEN: settings.KINORA_PRIVATE_TOKEN === null ? [] : [settings.KINORA_PRIVATE_TOKEN],
  };
  const problems = Object.entries(ours).flatMap(([name, secrets]) =>
    Array.from(
      new Set(secrets.map(weaknessOf).filter((weakness) => weakness !== null)),
      (weakness) => `${name} is not safe: each key must ${weakness}. \`kinora-server secrets new\` prints one.`,
    ),
  );
  const fromOutside = {
    KINORA_S3_SECRET_ACCESS_KEY: [settings.KINORA_S3_SECRET_ACCESS_KEY ?? ''],
    KINORA_ENGINE_TOKENS: Object.values(settings.KINORA_ENGINE_TOKENS),
    KINORA_OPENID_CLIENT_SECRET: [settings.KINORA_OPENID_CLIENT_SECRET ?? ''],
  };
  for (const [name, secrets] of Object.entries(fromOutside))
    if (secrets.some((secret) => /change.?me/i.test(secret))) problems.push(`${name} is the value of an example.`);
  if (settings.KINORA_FAILPOINTS.length > 0)
    problems.push(
      'KINORA_FAILPOINTS must be empty: failpoints kill the process. Set KINORA_ENV=development to use them.',
    );
  if (!isSafeForLinks(new URL(settings.KINORA_PUBLIC_URL)))
    problems.push(
      'KINORA_PUBLIC_URL must be https, except on loopback: links and keys would cross the network in clear.',
    );
  if (!isSafeForLinks(new URL(settings.KINORA_CONSOLE_URL)))
    problems.push('KINORA_CONSOLE_URL must be https, except on loopback: passwords would cross the network in clear.');
  return problems;
}

function isSafeForLinks({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}

/** Returns a sentence for each part that would be reached in plain text beyond loopback without permission. */
export function conflictsOfPlainText(settings: Settings): string[] {
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
