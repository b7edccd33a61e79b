import { createPrivateKey, X509Certificate } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Isolation, isolations } from '@kinora/boxes/isolation';
import {
  readSettings,
  renderExample,
  renderSettingsTable,
  type Settings,
  SettingsError,
} from '@kinora/settings/read-settings';
import { file, flag, integer, list, logLevel, oneOf, type Setting, setting, text, url } from '@kinora/settings/setting';
import { type GroupRole, parseGroupRole } from '../domain/group-roles.ts';
import { parseNetwork } from '../domain/ip-address.ts';
import { allShards, parseShards, type Shard, type Shards } from '../domain/shard.ts';
import { type FailpointName, failpointNames } from '../telemetry/failpoints.ts';
import { conflictsOf, type PlainTextPart, plainTextParts } from './conflicts.ts';

const secret = (value: string): string => {
  if (value.length < 32) throw new Error('each key must have at least 32 characters');
  return value;
};
const token = (value: string): string => {
  if (value.length < 32) throw new Error('must have at least 32 characters');
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

const shardRange = (value: string): Shard[] => {
  const shards = parseShards(value);
  if (shards === null) throw new Error('must list shards, or ranges such as 00-fz');
  return shards;
};

const network = (value: string): string => {
  try {
    parseNetwork(value);
  } catch {
    throw new Error('must list networks in CIDR form, such as 10.0.0.0/8');
  }
  return value;
};

/** Keeps a slash at the end: providers compare issuers character by character. */
const issuer = (value: string): string => {
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw new Error('must be a URL');
  return value;
};

const groupRole = (value: string): GroupRole => {
  const parsed = parseGroupRole(value);
  if (parsed === null) throw new Error('must list group=operator or group=proj_…:role with admin, developer or viewer');
  return parsed;
};

const pemFile =
  (parse: (content: Buffer) => unknown, what: string) =>
  (path: string): Buffer => {
    const content = file(path);
    try {
      parse(content);
    } catch {
      throw new Error(`must name a file with ${what} in PEM form`);
    }
    return content;
  };
const certificateFile = pemFile((content) => new X509Certificate(content), 'a certificate');
const privateKeyFile = pemFile(createPrivateKey, 'a private key without a passphrase');

/** Every setting of the server. `.env.example` and docs/operations/configuration.md are generated from this table. */
const settings = {
  KINORA_ENV: setting({
    read: oneOf('development', 'production'),
    fallback: 'production' as const,
    example: 'production',
    doc: 'development or production. Only development may leave out KINORA_SECRET_KEYS, use weak secrets and failpoints, have a public URL or a console URL that is http and not loopback, sign people in to a console on loopback without a password, and, if that URL and KINORA_HOST are loopback, send webhooks to loopback.',
  }),
  KINORA_PUBLIC_URL: setting({
    read: url,
    fallback: 'http://127.0.0.1:8080',
    example: 'https://video.example.com',
    doc: 'URL at which callers reach the API. Links in responses start with it, never with the Host header. The default is http://127.0.0.1:8080.',
  }),
  KINORA_SHARDS: setting<Shards>({
    read: (value) => new Set(list(shardRange)(value).flat()),
    fallback: allShards,
    example: '',
    doc: 'Shards of this installation if several share one address: new projects get one of them, and requests for others get the error `moving`. A list of ranges such as 00-fz,k0-k7; all by default.',
  }),
  KINORA_HOST: setting({ read: text, fallback: '127.0.0.1', example: '127.0.0.1', doc: 'Address the API listens on.' }),
  KINORA_PORT: setting({ read: integer(0, 65535), fallback: 8080, example: '8080', doc: 'Port the API listens on.' }),
  KINORA_CONSOLE_URL: setting({
    read: url,
    fallback: 'http://127.0.0.1:8081',
    example: 'https://console.example.com',
    doc: 'URL at which browsers reach the console. It needs an origin of its own, other than that of the API. The default is http://127.0.0.1:8081.',
  }),
  KINORA_CONSOLE_HOST: setting({
    read: text,
    fallback: '127.0.0.1',
    example: '127.0.0.1',
    doc: 'Address the console listens on.',
  }),
  KINORA_CONSOLE_PORT: setting({
    read: integer(0, 65535),
    fallback: 8081,
    example: '8081',
    doc: 'Port the console listens on.',
  }),
  KINORA_CONSOLE_SESSION_HOURS: setting({
    read: integer(1, 8760),
    fallback: 168,
    example: '168',
    doc: 'How long a person stays signed in to the console. A session that is not used for 24 hours ends earlier.',
  }),
  KINORA_DOCS: setting({
    read: flag,
    fallback: true,
    example: 'true',
    doc: 'Whether the API serves its reference at /docs and /openapi.json, which need no key.',
  }),
  KINORA_TRUSTED_PROXIES: setting<readonly string[]>({
    read: list(network),
    fallback: [],
    example: '',
    doc: "Networks (CIDR) of the proxies in front of the API, comma-separated. Only their X-Forwarded-For headers are believed. By default there are none, and the client's address is the one that connects.",
  }),
  KINORA_KEYLESS_REQUESTS_PER_MINUTE: setting({
    read: integer(1, 1_000_000),
    fallback: 600,
    example: '600',
    doc: 'How many requests per minute one client address may send to each API process without a valid key. Signed URLs have a separate limit, ten times as high; health checks have none.',
  }),
  KINORA_CONNECTION_LIMIT: setting({
    read: integer(10, 1_000_000),
    fallback: 20_000,
    example: '20000',
    doc: 'How many connections of callers one API process keeps open. Beyond this, a new one takes the place of one that is idle.',
  }),
  KINORA_DOWNLOAD_LIMIT: setting({
    read: integer(16, 100_000),
    fallback: 1024,
    example: '1024',
    doc: 'How many downloads one API process serves at once, each with a connection to the store. A project may have an eighth of them with its keys and an eighth by signed URLs; one task, half of each.',
  }),
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
  KINORA_PRIVATE_NAMES: setting<readonly string[]>({
    read: list(text),
    fallback: [],
    example: '',
    doc: 'Host names under which the private port is reached, comma-separated. Addresses, localhost and the host of KINORA_ENGINE_CALLBACK_URL always work; other Host headers are refused.',
  }),
  KINORA_PRIVATE_TOKEN: setting<string | null>({
    read: token,
    fallback: null,
    isSecret: true,
    example: '',
    doc: 'Bearer token that /metrics and the details of /readyz require on the private port. `kinora-server secrets new` prints one. By default they require none.',
  }),
  KINORA_ALLOW_PLAIN_TEXT: setting<readonly PlainTextPart[]>({
    read: list(oneOf(...plainTextParts)),
    fallback: [],
    example: '',
    doc: 'Parts that production may reach without encryption beyond loopback, comma-separated: temporal, postgres, store. Only for networks that encrypt or isolate the traffic themselves.',
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
    isSecret: true,
    example: '',
    doc: 'Secret keys, comma-separated. The first signs and encrypts, all verify and decrypt. `kinora-server secrets new` prints one; docs/operations/rotate-secret-keys.md says how to replace one.',
  }),
  KINORA_DATABASE_URL: setting({
    read: text,
    isSecret: true,
    example: 'postgres://kinora@127.0.0.1:5432/kinora',
    doc: 'Postgres 15 to 18, the system of record. Connect directly, not through a transaction pooler: Kinora holds session locks.',
  }),
  KINORA_DATABASE_POOL_SIZE: setting({
    read: integer(2, 500),
    fallback: 20,
    example: '20',
    doc: 'Database connections per process, besides the 5 for lists, searches and usage.',
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
  KINORA_TEMPORAL_TLS: setting({
    read: flag,
    fallback: false,
    example: 'false',
    doc: 'Whether connections to Temporal are encrypted. Each of the next five settings implies it.',
  }),
  KINORA_TEMPORAL_TLS_CA_FILE: setting<Buffer | null>({
    read: certificateFile,
    fallback: null,
    example: '',
    doc: "PEM file with the certificate authorities that Temporal's certificate must come from; those of the system by default.",
  }),
  KINORA_TEMPORAL_TLS_CERT_FILE: setting<Buffer | null>({
    read: certificateFile,
    fallback: null,
    example: '',
    doc: 'PEM file with the client certificate for Temporal (mTLS). By default there is none.',
  }),
  KINORA_TEMPORAL_TLS_KEY_FILE: setting<Buffer | null>({
    read: privateKeyFile,
    fallback: null,
    example: '',
    doc: 'PEM file with the private key of the client certificate, without a passphrase.',
  }),
  KINORA_TEMPORAL_TLS_SERVER_NAME: setting<string | null>({
    read: text,
    fallback: null,
    example: '',
    doc: "Name that Temporal's certificate must have; by default the host of the address.",
  }),
  KINORA_TEMPORAL_API_KEY: setting<string | null>({
    read: text,
    fallback: null,
    isSecret: true,
    example: '',
    doc: 'API key of Temporal Cloud, or token for the JWT authorizer of your own server. By default there is none.',
  }),
  KINORA_S3_ENDPOINT: setting({ read: url, example: 'http://127.0.0.1:7070', doc: 'URL of the S3-compatible store.' }),
  KINORA_S3_REGION: setting({ read: text, fallback: 'us-east-1', example: 'us-east-1', doc: 'Region of the store.' }),
  KINORA_S3_BUCKET: setting({
    read: text,
    fallback: 'kinora',
    example: 'kinora',
    doc: 'Bucket in the store; it must exist.',
  }),
  KINORA_S3_ACCESS_KEY_ID: setting<string | null>({
    read: text,
    fallback: null,
    isSecret: true,
    example: 'kinora',
    doc: "Access key of the store. Without it and the secret key, the AWS SDK's default credential chain applies: the role of the machine or pod, or AWS_… variables.",
  }),
  KINORA_S3_SECRET_ACCESS_KEY: setting<string | null>({
    read: text,
    fallback: null,
    isSecret: true,
    example: '',
    doc: 'Secret key of the store.',
  }),
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
    doc: 'URL at which callers reach the store. If set, they download videos directly from it, by links that a suspension does not end; if empty, through the API.',
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
  KINORA_OUTBOUND_DENIED_NETWORKS: setting<readonly string[]>({
    read: list(text),
    fallback: [],
    example: '',
    doc: 'Networks (CIDR) that the URLs of callers may never point to, comma-separated. List the public and IPv6 networks of your own machines; private networks and the addresses of this machine are refused anyway.',
  }),
  KINORA_OUTBOUND_NAME_SERVERS: setting<readonly string[]>({
    read: list(text),
    fallback: [],
    example: '',
    doc: 'Name servers (addresses, comma-separated) for the hosts in URLs of callers; empty means those of the system. Name public ones if yours also know internal names: the error codes tell a caller whether a name exists.',
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
    isSecret: true,
    example: 'gpu=change-me',
    doc: 'Secrets of engines as name=secret, comma-separated. Endpoints in the models file refer to them by name. By default there are none.',
  }),
  KINORA_MEDIA_CONCURRENCY: setting({
    read: integer(1, 64),
    fallback: Math.max(1, Math.floor(availableParallelism() / 2)),
    defaultWords: 'one per two cores',
    example: '2',
    doc: 'How many videos one worker finishes at once from the media queue. For tasks that it has rendered itself, it runs up to twice as many media programs. By default one per two cores.',
  }),
  KINORA_SCRATCH_FOLDER: setting({
    read: text,
    fallback: join(tmpdir(), `kinora-${process.getuid?.()}`),
    defaultWords: 'one per user, below the temporary folder of the system',
    example: '/var/tmp/kinora',
    doc: 'Folder for temporary files. It needs a few GB and is emptied automatically. By default it is below the folder of the system, one per user.',
  }),
  KINORA_MINIMUM_ISOLATION: setting<Isolation>({
    read: oneOf(...isolations),
    fallback: 'confined',
    example: 'confined',
    doc: 'The least isolation of child processes: limits, confined (Landlock and seccomp) or namespaces. On a machine that allows less, the process does not start.',
  }),
  KINORA_TASK_WAIT_HOURS: setting({
    read: integer(1, 720),
    fallback: 24,
    example: '24',
    doc: 'A task that has not started within this time fails as deadline_exceeded.',
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
  KINORA_AUDIT_RETENTION_DAYS: setting({
    read: integer(30, 3650),
    fallback: 400,
    example: '400',
    doc: 'How long audit events are kept, at least 30 days. They contain addresses of clients, but no prompts and no secrets.',
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
  KINORA_OPENID_ISSUER: setting<string | null>({
    read: issuer,
    fallback: null,
    example: 'https://login.example.com',
    doc: 'Issuer of the OpenID Connect provider that people sign in to the console with; the redirect URI to register is KINORA_CONSOLE_URL/console-api/openid/callback. By default there is none, and people have passwords.',
  }),
  KINORA_OPENID_CLIENT_ID: setting<string | null>({
    read: text,
    fallback: null,
    example: 'kinora',
    doc: 'The id of Kinora at the provider.',
  }),
  KINORA_OPENID_CLIENT_SECRET: setting<string | null>({
    read: text,
    fallback: null,
    isSecret: true,
    example: '',
    doc: 'The secret of Kinora at the provider. Without one, Kinora is a public client.',
  }),
  KINORA_OPENID_NAME: setting({
    read: text,
    fallback: 'OpenID Connect',
    example: 'Example login',
    doc: 'Name of the provider on the button in the console. The default is OpenID Connect.',
  }),
  KINORA_OPENID_GROUPS_CLAIM: setting({
    read: text,
    fallback: 'groups',
    example: 'groups',
    doc: 'Claim that lists the groups of a person. A scope of this name is requested if the provider has one.',
  }),
  KINORA_OPENID_GROUP_ROLES: setting<readonly GroupRole[]>({
    read: list(groupRole),
    fallback: [],
    example: 'video-admins=operator',
    doc: 'What the groups of the provider are in Kinora, comma-separated: group=operator, or group=proj_…:role with admin, developer or viewer. Members of these groups need no invitation. If a group makes operators, groups alone decide which of those who sign in with the provider are operators.',
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
const settingsOfTheAnimatic = new Set([
  'KINORA_ANIMATIC_HOST',
  'KINORA_ANIMATIC_PORT',
  'KINORA_ANIMATIC_NAMES',
  'KINORA_ANIMATIC_SLOTS',
]);

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from the environment. Throws one error that lists every problem. */
export function readConfig(environment: Environment = process.env): Config {
  return readChecked(environment, { defersMissing: false });
}

/** Reads an operator's settings: a required one may be missing until it is used, and only errors are logged. */
export function readCommandConfig(environment: Environment = process.env): Config {
  return readChecked({ ...environment, KINORA_LOG_LEVEL: 'error' }, { defersMissing: true });
}

/** Returns the environment of this process, for commands that read the settings in more than one way. */
export function ownEnvironment(): Environment {
  return process.env;
}

function readChecked(environment: Environment, { defersMissing }: { defersMissing: boolean }): Config {
  const isDevelopment = environment['KINORA_ENV'] === 'development';
  const config = readSettings(settings, {
    environment,
    substitutes: isDevelopment ? developmentSubstitutes : {},
    isOurs: (name) =>
      name.startsWith('KINORA_') && !name.startsWith('KINORA_STACK_') && !settingsOfTheAnimatic.has(name),
    defersMissing,
  });
  const conflicts = conflictsOf({ ...config }, { isDevelopment });
  if (conflicts.length > 0) throw new SettingsError(conflicts);
  return config;
}

/** The names of the settings whose values nobody else may see. */
export const secretNames: readonly string[] = Object.entries<Setting<unknown>>(settings)
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => name);

/** Renders the server's part of `.env.example`. */
export function renderServerExample(): string {
  return renderExample(settings);
}

/** Renders the server's part of docs/operations/configuration.md. */
export function renderServerSettings(): string {
  return renderSettingsTable(settings);
}
