import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, renderExample, type Settings, SettingsError } from '@kinora/settings/read-settings';
import { flag, integer, list, logLevel, oneOf, setting, text, url } from '@kinora/settings/setting';
import { conflictsOfRetention } from './retention-conflicts.ts';
import { type FailpointName, failpointNames } from './telemetry/failpoints.ts';

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
  // The message must not repeat the value, which is secret.
  if (pairs.some(([name, secret = '']) => name === '' || secret === '')) throw new Error('must look like name=secret');
  return Object.fromEntries(pairs.map(([name, secret = '']) => [name, secret]));
};

/** Every setting of the server. A test checks that `.env.example` matches this table. */
const settings = {
  KINORA_ENV: setting({
    read: oneOf('development', 'production'),
    fallback: 'production' as const,
    example: 'production',
    doc: 'development or production. Only development may leave out KINORA_SECRET_KEYS.',
  }),
  KINORA_PUBLIC_URL: setting({
    read: url,
    fallback: 'http://127.0.0.1:8080',
    example: 'https://video.example.com',
    doc: 'URL at which callers reach the API. Links in responses start with it, never with the Host header. The default is http://127.0.0.1:8080.',
  }),
  KINORA_HOST: setting({ read: text, fallback: '127.0.0.1', example: '127.0.0.1', doc: 'Address the API listens on.' }),
  KINORA_PORT: setting({ read: integer(0, 65535), fallback: 8080, example: '8080', doc: 'Port the API listens on.' }),
  KINORA_DRAIN_SECONDS: setting({
    read: integer(0, 30),
    fallback: 5,
    example: '5',
    doc: 'How long a stopping API keeps serving while /readyz already fails, so that load balancers send requests elsewhere.',
  }),
  KINORA_PRIVATE_HOST: setting({
    read: text,
    fallback: '127.0.0.1',
    example: '127.0.0.1',
    doc: 'Address of the private port (metrics, health checks, callbacks from engines). Never make it public.',
  }),
  KINORA_PRIVATE_PORT: setting({
    read: integer(0, 65535),
    fallback: 9090,
    example: '9090',
    doc: 'The private port; 0 picks a free one.',
  }),
  KINORA_ENGINE_CALLBACK_URL: setting({
    read: url,
    fallback: 'http://127.0.0.1:9090',
    example: 'http://127.0.0.1:9090',
    doc: 'URL to which engines send callbacks. It must lead to the private port of a kinora-server process; any role will do.',
  }),
  KINORA_LOG_LEVEL: setting({
    read: logLevel,
    fallback: 'info' as const,
    example: 'info',
    doc: 'Lowest level that is logged: trace, debug, info, warn, error or silent.',
  }),
  KINORA_SECRET_KEYS: setting({
    read: secretList,
    example: 'change-me-to-32-random-characters-or-more',
    doc: 'Secret keys, comma-separated. The first signs and encrypts, all verify and decrypt; SECURITY.md says how to rotate. `openssl rand -base64 32` creates one.',
  }),
  KINORA_DATABASE_URL: setting({
    read: text,
    example: 'postgres://kinora@127.0.0.1:5432/kinora',
    doc: 'Postgres 15 to 18, the system of record. Connect directly, not through a transaction pooler: Kinora holds session locks.',
  }),
  KINORA_DATABASE_POOL_SIZE: setting({
    read: integer(2, 500),
    fallback: 20,
    example: '20',
    doc: 'Database connections per process.',
  }),
  KINORA_TEMPORAL_ADDRESS: setting({
    read: text,
    fallback: '127.0.0.1:7233',
    example: '127.0.0.1:7233',
    doc: "Address of Temporal's frontend.",
  }),
  KINORA_TEMPORAL_NAMESPACE: setting({
    read: text,
    fallback: 'kinora',
    example: 'kinora',
    doc: 'Temporal namespace; it must exist.',
  }),
  KINORA_S3_ENDPOINT: setting({ read: url, example: 'http://127.0.0.1:7070', doc: 'URL of the S3-compatible store.' }),
  KINORA_S3_REGION: setting({ read: text, fallback: 'us-east-1', example: 'us-east-1', doc: 'Region of the store.' }),
  KINORA_S3_BUCKET: setting({
    read: text,
    fallback: 'kinora',
    example: 'kinora',
    doc: 'Bucket in the store; it must exist.',
  }),
  KINORA_S3_ACCESS_KEY_ID: setting({ read: text, example: 'kinora', doc: 'Access key of the store.' }),
  KINORA_S3_SECRET_ACCESS_KEY: setting({ read: text, example: 'change-me', doc: 'Secret key of the store.' }),
  KINORA_S3_FORCE_PATH_STYLE: setting({
    read: flag,
    fallback: true,
    example: 'true',
    doc: 'Whether the bucket is in the path instead of the host name. Most stores other than AWS need true.',
  }),
  KINORA_S3_PUBLIC_ENDPOINT: setting<string | null>({
    read: url,
    fallback: null,
    example: '',
    doc: 'URL at which callers reach the store. If set, they download videos directly from it; if empty, through the API.',
  }),
  KINORA_OUTBOUND_ALLOW_HTTP: setting({
    read: flag,
    fallback: false,
    example: 'false',
    doc: 'Whether the URLs that callers send may be http. Leave this off unless you control every caller.',
  }),
  KINORA_OUTBOUND_ALLOWED_PORTS: setting<readonly number[]>({
    read: list(integer(1, 65535)),
    fallback: [],
    example: '',
    doc: 'Ports besides 443 and 80 that the URLs of callers may use, comma-separated.',
  }),
  KINORA_OUTBOUND_ALLOWED_NETWORKS: setting<readonly string[]>({
    read: list(text),
    fallback: [],
    example: '',
    doc: 'Networks (CIDR) that the URLs of callers may point to even if they are private, comma-separated. Each one lets callers reach that network.',
  }),
  KINORA_ANIMATIC_URL: setting({
    read: url,
    fallback: 'http://127.0.0.1:8090',
    example: 'http://127.0.0.1:8090',
    doc: 'URL at which workers reach the built-in engine.',
  }),
  KINORA_MODELS_FILE: setting<string | null>({
    read: text,
    fallback: null,
    example: '/etc/kinora/models.yaml',
    doc: 'YAML file of models, pools and endpoints (docs/models.md), reloaded without a restart. By default there is none, and the animatic serves all tasks.',
  }),
  KINORA_ENGINE_TOKENS: setting<Readonly<Record<string, string>>>({
    read: namedSecrets,
    fallback: {},
    example: 'gpu=change-me',
    doc: 'Secrets of engines as name=secret, comma-separated. Endpoints in the models file refer to them by name. By default there are none.',
  }),
  KINORA_MEDIA_CONCURRENCY: setting({
    read: integer(1, 64),
    fallback: Math.max(1, Math.floor(availableParallelism() / 2)),
    example: '2',
    doc: 'How many videos one worker finishes at once; by default one per two cores.',
  }),
  KINORA_SCRATCH_FOLDER: setting({
    read: text,
    fallback: join(tmpdir(), 'kinora'),
    example: '/var/tmp/kinora',
    doc: 'Folder for temporary files. It needs a few GB and is emptied automatically. By default it is below the folder of the system.',
  }),
  KINORA_TASK_WAIT_HOURS: setting({
    read: integer(1, 720),
    fallback: 24,
    example: '24',
    doc: 'A task fails if it has not started within this time.',
  }),
  KINORA_ATTEMPT_LIMIT_SECONDS: setting({
    read: integer(10, 7200),
    fallback: 1800,
    example: '1800',
    doc: 'How long one rendering attempt may last. A slow model gets five times its measured p90 instead, up to two hours.',
  }),
  KINORA_STALL_SECONDS: setting({
    read: integer(1, 3600),
    fallback: 60,
    example: '60',
    doc: 'How long a job may make no progress before it counts as stalled. A job with slow steps gets ten times its median step.',
  }),
  KINORA_RECONCILE_SECONDS: setting({
    read: integer(1, 3600),
    fallback: 60,
    example: '60',
    doc: 'How often the relay compares rows with each other and with Temporal, and how long the row of a task may stay unchanged before its workflow is checked.',
  }),
  KINORA_FILE_RETENTION_DAYS: setting({
    read: integer(1, 3650),
    fallback: 7,
    example: '7',
    doc: 'Days after completion until the files of a task are deleted.',
  }),
  KINORA_RECORD_RETENTION_DAYS: setting({
    read: integer(1, 3650),
    fallback: 30,
    example: '30',
    doc: 'How long tasks, their events and webhook deliveries are kept; whole days are dropped at once. It must cover the days of files, the hours that a task may wait and all tries of a webhook.',
  }),
  KINORA_USAGE_RETENTION_DAYS: setting({
    read: integer(1, 3650),
    fallback: 400,
    example: '400',
    doc: 'How long usage rows are kept, counted from the creation of the task. They contain no prompts.',
  }),
  KINORA_WAITING_LIMIT: setting({
    read: integer(1, 1_000_000_000),
    fallback: 1_000_000,
    example: '1000000',
    doc: 'How many tasks of all projects may wait. Above this limit, the API responds to new requests with 503.',
  }),
  KINORA_CORS_ORIGINS: setting<readonly string[]>({
    read: list(url),
    fallback: [],
    example: '',
    doc: 'Origins whose pages may call the API, comma-separated. Signed URLs work from any page without this setting.',
  }),
  KINORA_WEBHOOK_SCHEDULE_SECONDS: setting<readonly number[]>({
    read: list(integer(0, 86_400)),
    fallback: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    example: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    doc: 'Delay before each try at delivering a webhook, counted from the previous try. If the last try fails, the delivery is dead.',
  }),
  KINORA_WEBHOOK_TRY_SECONDS: setting({
    read: integer(1, 20),
    fallback: 20,
    example: '20',
    doc: 'How long one try at delivering a webhook may take.',
  }),
  KINORA_FAILPOINTS: setting<readonly FailpointName[]>({
    read: list(oneOf(...failpointNames)),
    fallback: [],
    example: '',
    doc: 'For the crash proof only: places in the code where the process kills itself with SIGKILL.',
  }),
} as const;

export type Config = Settings<typeof settings>;

/** Values of settings that development may leave out: the local stack has no real secrets. */
const developmentSubstitutes = {
  KINORA_SECRET_KEYS: ['development-only-key-that-signs-nothing-real'],
};

/** Settings of the animatic, which is a program of its own. One environment may serve both. */
const settingsOfTheAnimatic = new Set(['KINORA_ANIMATIC_HOST', 'KINORA_ANIMATIC_PORT', 'KINORA_ANIMATIC_SLOTS']);

/** Reads the settings from the environment. Throws one error that lists every problem. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const isDevelopment = environment['KINORA_ENV'] === 'development';
  const config = readSettings(settings, {
    environment,
    substitutes: isDevelopment ? developmentSubstitutes : {},
    isOurs: (name) =>
      name.startsWith('KINORA_') && !name.startsWith('KINORA_STACK_') && !settingsOfTheAnimatic.has(name),
  });
  const conflicts = conflictsOfRetention(config);
  if (conflicts.length > 0) throw new SettingsError(conflicts);
  return config;
}

/** Renders the server's part of `.env.example`. */
export function renderServerExample(): string {
  return renderExample(settings);
}
