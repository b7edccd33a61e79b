import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FailpointName, failpointNames } from './telemetry/failpoints.ts';

/** One setting: how its text is read, what holds without it, and what it is for. */
interface Field<T> {
  read: (text: string) => T;
  /** Undefined: the setting is required outside development. */
  fallback?: T;
  /** What stands in `.env.example`. */
  example: string;
  doc: string;
}

const text = (value: string): string => value;
const url = (value: string): string => {
  if (!URL.canParse(value)) throw new Error('must be a URL');
  return value.replace(/\/$/, '');
};
const integer =
  (minimum: number, maximum: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  };
const flag = (value: string): boolean => {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
};
const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: string): T => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  };
const list =
  <T>(read: (item: string) => T) =>
  (value: string): readonly T[] =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(read);
const secret = (value: string): string => {
  if (value.length < 32) throw new Error('each key must have at least 32 characters');
  return value;
};
const secretList = (value: string): readonly string[] => {
  const keys = list(secret)(value);
  if (keys.length === 0) throw new Error('must name at least one key');
  return keys;
};

const namedSecrets = (value: string): Readonly<Record<string, string>> => {
  const pairs = list(text)(value).map((pair) => pair.split(/=(.*)/s, 2) as [name: string, secret?: string]);
  // The problem must not repeat the value.
  if (pairs.some(([name, secret = '']) => name === '' || secret === '')) throw new Error('must look like name=secret');
  return Object.fromEntries(pairs.map(([name, secret = '']) => [name, secret]));
};

const field = <T>(definition: Field<T>): Field<T> => definition;

/** Every setting there is. `.env.example` is this table in another form, and a test proves it. */
const fields = {
  KINORA_ENV: field({
    read: oneOf('development', 'production'),
    fallback: 'production' as const,
    example: 'production',
    doc: 'development allows missing secrets; production does not.',
  }),
  KINORA_PUBLIC_URL: field({
    read: url,
    fallback: 'http://127.0.0.1:8080',
    example: 'https://video.example.com',
    doc: 'Where callers reach the API. Links in answers start with it, never with the Host header.',
  }),
  KINORA_HOST: field({ read: text, fallback: '127.0.0.1', example: '127.0.0.1', doc: 'Address the API listens on.' }),
  KINORA_PORT: field({ read: integer(0, 65535), fallback: 8080, example: '8080', doc: 'Port the API listens on.' }),
  KINORA_PRIVATE_HOST: field({
    read: text,
    fallback: '127.0.0.1',
    example: '127.0.0.1',
    doc: 'Address of the private port (metrics, callbacks of engines). Never expose it.',
  }),
  KINORA_PRIVATE_PORT: field({
    read: integer(0, 65535),
    fallback: 9090,
    example: '9090',
    doc: 'The private port; 0 picks a free one.',
  }),
  KINORA_ENGINE_CALLBACK_URL: field({
    read: url,
    fallback: 'http://127.0.0.1:9090',
    example: 'http://127.0.0.1:9090',
    doc: 'Where engines that call back reach the private port of any process with the role api, relay or worker.',
  }),
  KINORA_LOG_LEVEL: field({
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    fallback: 'info' as const,
    example: 'info',
    doc: 'The least severe level that is logged.',
  }),
  KINORA_SECRET_KEYS: field({
    read: secretList,
    example: 'change-me-to-32-random-characters-or-more',
    doc: 'Comma-separated. The first signs, all verify: put a new one in front to rotate. `openssl rand -base64 32` makes one.',
  }),
  KINORA_DATABASE_URL: field({
    read: text,
    example: 'postgres://kinora@127.0.0.1:5432/kinora',
    doc: 'Postgres 15 to 18, the system of record. A direct connection: session locks do not survive a transaction pooler.',
  }),
  KINORA_DATABASE_POOL_SIZE: field({
    read: integer(2, 500),
    fallback: 20,
    example: '20',
    doc: 'Connections of one process.',
  }),
  KINORA_TEMPORAL_ADDRESS: field({
    read: text,
    fallback: '127.0.0.1:7233',
    example: '127.0.0.1:7233',
    doc: "Temporal's frontend.",
  }),
  KINORA_TEMPORAL_NAMESPACE: field({
    read: text,
    fallback: 'kinora',
    example: 'kinora',
    doc: "Temporal's namespace; it must exist.",
  }),
  KINORA_S3_ENDPOINT: field({ read: url, example: 'http://127.0.0.1:7070', doc: 'The S3-compatible store.' }),
  KINORA_S3_REGION: field({ read: text, fallback: 'us-east-1', example: 'us-east-1', doc: 'Its region.' }),
  KINORA_S3_BUCKET: field({ read: text, fallback: 'kinora', example: 'kinora', doc: 'The bucket; it must exist.' }),
  KINORA_S3_ACCESS_KEY_ID: field({ read: text, example: 'kinora', doc: "The store's access key." }),
  KINORA_S3_SECRET_ACCESS_KEY: field({ read: text, example: 'change-me', doc: "The store's secret key." }),
  KINORA_S3_FORCE_PATH_STYLE: field({
    read: flag,
    fallback: true,
    example: 'true',
    doc: 'Bucket in the path instead of the host name; most stores but AWS need it.',
  }),
  KINORA_S3_PUBLIC_ENDPOINT: field<string | null>({
    read: url,
    fallback: null,
    example: '',
    doc: 'Where callers reach the store. Set: videos are delivered straight from there. Empty: through the API.',
  }),
  KINORA_OUTBOUND_ALLOW_HTTP: field({
    read: flag,
    fallback: false,
    example: 'false',
    doc: 'Whether addresses that callers name may be http. Leave false unless callers are yours.',
  }),
  KINORA_OUTBOUND_ALLOWED_PORTS: field<readonly number[]>({
    read: list(integer(1, 65535)),
    fallback: [],
    example: '',
    doc: 'Ports beside 443 and 80 that callers may name, comma-separated.',
  }),
  KINORA_OUTBOUND_ALLOWED_NETWORKS: field<readonly string[]>({
    read: list(text),
    fallback: [],
    example: '',
    doc: 'Networks (CIDR) that callers may name although they are not public, comma-separated. Each one is a hole.',
  }),
  KINORA_ANIMATIC_URL: field({
    read: url,
    fallback: 'http://127.0.0.1:8090',
    example: 'http://127.0.0.1:8090',
    doc: 'Where workers reach the built-in engine.',
  }),
  KINORA_ANIMATIC_HOST: field({
    read: text,
    fallback: '127.0.0.1',
    example: '127.0.0.1',
    doc: 'Address the built-in engine listens on.',
  }),
  KINORA_ANIMATIC_PORT: field({
    read: integer(0, 65535),
    fallback: 8090,
    example: '8090',
    doc: 'Port the built-in engine listens on.',
  }),
  KINORA_ANIMATIC_SLOTS: field({
    read: integer(1, 64),
    fallback: Math.max(1, Math.floor(availableParallelism() / 2)),
    example: '2',
    doc: 'How many videos the built-in engine renders at once; by default one for two cores.',
  }),
  KINORA_MODELS_FILE: field<string | null>({
    read: text,
    fallback: null,
    example: '/etc/kinora/models.yaml',
    doc: 'The YAML file of models, pools and endpoints (docs/models.md); changes in it need no restart. Empty: animatic serves all.',
  }),
  KINORA_ENGINE_TOKENS: field<Readonly<Record<string, string>>>({
    read: namedSecrets,
    fallback: {},
    example: 'gpu=change-me',
    doc: 'Secrets of engines, as name=secret, comma-separated. Endpoints in the models file name them.',
  }),
  KINORA_MEDIA_CONCURRENCY: field({
    read: integer(1, 64),
    fallback: Math.max(1, Math.floor(availableParallelism() / 2)),
    example: '2',
    doc: 'How many videos one worker finishes at once; by default one for two cores.',
  }),
  KINORA_SCRATCH_FOLDER: field({
    read: text,
    fallback: join(tmpdir(), 'kinora'),
    example: '/var/tmp/kinora',
    doc: 'Where files are worked on; a few GB, emptied by itself.',
  }),
  KINORA_TASK_WAIT_HOURS: field({
    read: integer(1, 720),
    fallback: 24,
    example: '24',
    doc: 'A task that waited this long fails.',
  }),
  KINORA_ATTEMPT_LIMIT_SECONDS: field({
    read: integer(10, 7200),
    fallback: 1800,
    example: '1800',
    doc: 'How long one attempt at rendering may last. A model that was measured slower has five times that, two hours at most.',
  }),
  KINORA_STALL_SECONDS: field({
    read: integer(1, 3600),
    fallback: 60,
    example: '60',
    doc: 'How long a job may stand still before it counts as stalled. Jobs with slow steps have ten times their usual step.',
  }),
  KINORA_RECONCILE_SECONDS: field({
    read: integer(1, 3600),
    fallback: 60,
    example: '60',
    doc: 'How often the relay compares rows with each other and with Temporal, and how long a task may be silent.',
  }),
  KINORA_FILE_RETENTION_DAYS: field({
    read: integer(1, 3650),
    fallback: 7,
    example: '7',
    doc: 'How long files are promised to live.',
  }),
  KINORA_RECORD_RETENTION_DAYS: field({
    read: integer(1, 3650),
    fallback: 30,
    example: '30',
    doc: 'How long tasks, their events and webhook deliveries are kept; whole days are dropped. Not below the days of files.',
  }),
  KINORA_USAGE_RETENTION_DAYS: field({
    read: integer(1, 3650),
    fallback: 400,
    example: '400',
    doc: 'How long usage rows, which hold no prompts, are kept.',
  }),
  KINORA_WAITING_LIMIT: field({
    read: integer(1, 1_000_000_000),
    fallback: 1_000_000,
    example: '1000000',
    doc: 'How many tasks of all projects may wait; beyond it creates are answered with 503.',
  }),
  KINORA_CORS_ORIGINS: field<readonly string[]>({
    read: list(url),
    fallback: [],
    example: '',
    doc: 'Origins whose pages may call the API, comma-separated. Signed URLs work from any page without this.',
  }),
  KINORA_WEBHOOK_SCHEDULE_SECONDS: field<readonly number[]>({
    read: list(integer(0, 86_400)),
    fallback: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    example: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    doc: 'How long each try at delivering a webhook comes after the one before. The last one that fails makes it dead.',
  }),
  KINORA_WEBHOOK_TRY_SECONDS: field({
    read: integer(1, 20),
    fallback: 20,
    example: '20',
    doc: 'How long one try at delivering a webhook may last.',
  }),
  KINORA_FAILPOINTS: field<readonly FailpointName[]>({
    read: list(oneOf(...failpointNames)),
    fallback: [],
    example: '',
    doc: 'For the crash proof only: places where the process ends itself with SIGKILL.',
  }),
} as const;

type Fields = typeof fields;
export type Config = { readonly [Name in keyof Fields]: Fields[Name] extends Field<infer T> ? T : never };

/** What development may leave out: the local stack has no secrets worth the name. */
const developmentFallbacks: Record<string, unknown> = {
  KINORA_SECRET_KEYS: ['development-only-key-that-signs-nothing-real'],
};

/** Reads the environment, once. Throws one error that names every problem there is. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const isDevelopment = environment['KINORA_ENV'] === 'development';
  const entries = Object.entries<Field<unknown>>(fields).map(([name, definition]) => {
    const value = environment[name];
    if (value === undefined || value === '') {
      if (definition.fallback !== undefined) return [name, definition.fallback];
      if (isDevelopment && name in developmentFallbacks) return [name, developmentFallbacks[name]];
      problems.push(`${name} is missing. ${definition.doc}`);
      return [name, undefined];
    }
    try {
      return [name, definition.read(value)];
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : 'is not valid'}. ${definition.doc}`);
      return [name, undefined];
    }
  });
  for (const name of Object.keys(environment)) {
    if (name.startsWith('KINORA_') && !(name in fields) && !name.startsWith('KINORA_STACK_')) {
      problems.push(`${name} is not a setting. Check its spelling against .env.example.`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Every entry was read by the field of its name, which is what the mapped type says.
  return Object.fromEntries(entries) as Config;
}

export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} problem${problems.length === 1 ? '' : 's'}:\n- ${problems.join('\n- ')}`,
    );
    this.name = 'ConfigError';
  }
}

/** The text of `.env.example`. */
export function renderEnvironmentExample(): string {
  const blocks = Object.entries<Field<unknown>>(fields).map(
    ([name, { doc, example, fallback }]) => `# ${doc}\n${fallback === undefined ? '' : '#'}${name}=${example}\n`,
  );
  return `# Settings of Kinora. What is commented out shows its default or an example.\n\n${blocks.join('\n')}`;
}
