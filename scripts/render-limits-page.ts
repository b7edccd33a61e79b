import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestTimeoutMilliseconds } from '../server/src/api/app.ts';
import { projectReadsPerKey, sendingRoutes } from '../server/src/api/hooks/count-requests.ts';
import { totalWaitingFactor } from '../server/src/domain/caller.ts';
import { requestLimits } from '../server/src/domain/generation-request.ts';
import { downloadLimits, type Limit, limits, mediaLimits } from '../server/src/domain/limits.ts';
import { createBurst } from '../server/src/domain/rate-limit.ts';
import { readerLimits, senderLimits } from '../server/src/http/close-slow-connections.ts';
import { headersTimeoutMilliseconds, keepAliveTimeoutMilliseconds } from '../server/src/http/create-http-app.ts';
import { signedPerKeyless } from '../server/src/http/limit-addresses.ts';
import type { PaceLimits } from '../server/src/http/pace.ts';
import { defaultRequestMilliseconds } from '../server/src/media/image-pool.ts';
import { imageRules } from '../server/src/media/image-rules.ts';
import { fetchPace, fetchTimeoutMilliseconds } from '../server/src/operations/files/store-input-image.ts';
import { lookups } from '../server/src/operations/keys/authenticator.ts';
import { validKeysAtMost } from '../server/src/operations/keys/create-api-key.ts';
import { endpointsAtMost } from '../server/src/operations/webhooks/create-webhook-endpoint.ts';
import { maximumPending } from '../server/src/operations/webhooks/refuse-many-pending.ts';

const example = { KINORA_DOWNLOAD_LIMIT: 1024, KINORA_MEDIA_CONCURRENCY: 2 };

/** Renders docs/operations/limits.md from the constants that set the limits, and from the defaults of the migrations. */
export function renderLimitsPage(root: string): string {
  const defaultOf = readDefaults(join(root, 'server/src/db/migrations'));
  return `<!-- Generated from the limits in server/src and the defaults in its migrations by npm run fix; do not edit. -->

# Limits

A caller beyond its own limit gets 429, and 503 only if the whole process or installation is full; both come with
\`Retry-After\`. Limits per minute, of connections and of images count in the memory of each process.

## A project

\`kinora-server projects set <project-id>\` changes those that have an option; \`GET /v1/limits\` shows callers what is left. Live and
test mode count apart, except for webhook tests and redeliveries.

| What | Option | Default | Beyond it |
|---|---|---|---|
| tasks that run at once | \`--running\` | ${defaultOf('running_limit')} | tasks wait |
| tasks that wait, per pool | \`--waiting\` | ${defaultOf('waiting_limit')} | creates get 429 \`too_many_waiting_tasks\` |
| tasks that wait, in all pools | ${totalWaitingFactor} times \`--waiting\` | ${number(totalWaitingFactor * Number(defaultOf('waiting_limit')))} | the same |
| creates per minute | \`--creates\` | ${defaultOf('creates_per_minute')}, ${createBurst} at once | 429 \`rate_limited\`. Uploads have the same limit per process, counted apart |
| reads per minute and key | \`--reads\` | ${defaultOf('reads_per_minute')}; all keys together, ${projectReadsPerKey} times as many | 429 \`rate_limited\`; per process |
| stored gigabytes (10⁹ bytes) | \`--storage\` | ${number(Number(defaultOf('storage_limit_bytes')) / 1e9)} | creates and uploads get 429 \`storage_limit_reached\` |
| uploaded files that are stored | \`--files\` | ${number(Number(defaultOf('files_limit')))} | uploads get 429 \`storage_limit_reached\` |
| webhook tests, redeliveries per minute | | ${perMinuteOf('/test')}, ${perMinuteOf('/redeliver')} | 429 \`rate_limited\`; per process |
| pending webhook deliveries | | ${number(maximumPending)} | tests and redeliveries get 429 \`rate_limited\`. Events are always delivered |
| webhook endpoints | | ${endpointsAtMost} | the next one is refused |
| valid keys | | ${validKeysAtMost} | the next one is refused |

Stored bytes are those of uploaded files and of each task's input image, video, thumbnail and spritesheet, until they are deleted
or expire. The size of a video is known only when it is finished, so a project may exceed its limit by the videos of the tasks
that it has accepted: plan disk space for that. Files of tasks that ended before an upgrade to the first version with this limit
are not counted. Daily, the relay that holds the lock corrects the counts and logs a difference (\`storage.recounted\`).

A create that makes no task (invalid, refused, a replay, or with an image that cannot be used) counts as a read of its key. Creates
may go beyond the reads by a minute's worth of creates, so that reading often does not stop them. Creates with an image count
against a separate rate, with a burst of ${createBurst} and a minute's worth, whether or not they make a task.

## A client address

An address is one IPv4 address or one IPv6 /64 network; see [behind a proxy](connections.md#behind-a-proxy). Beyond its limit it
gets 429, and \`address.limited\` is logged. A valid key is never refused because of its address; health checks are not limited.

| What | Limit per API process |
|---|---|
| requests with a missing, unknown or refused key, for \`/docs\` and for \`/openapi.json\` | \`KINORA_KEYLESS_REQUESTS_PER_MINUTE\` |
| requests with signed URLs | ${signedPerKeyless} times as many |
| lookups of unknown keys, all addresses together | ${lookups.perMinute / 60} per second |

## Connections and transfers

Only time in which the server waits for the caller counts, and what the kernel has taken counts as read. Downloads and streams
count live and test mode apart. With \`KINORA_S3_PUBLIC_ENDPOINT\`, callers download from the store itself and hold nothing of the
API.

| What | Limit per API process | Beyond it |
|---|---|---|
| open connections | \`KINORA_CONNECTION_LIMIT\` | the new connection takes the place of the oldest that has sent no whole request head, otherwise of the one that has been idle for longest. It is refused only if all serve requests |
| a connection between requests | ${seconds(keepAliveTimeoutMilliseconds)} | closed |
| the head of a request | ${seconds(headersTimeoutMilliseconds)} | 408 and closed; a connection that sent nothing is closed without a response |
| the body of a request | ${seconds(requestTimeoutMilliseconds)} in total, ${pace(senderLimits)} | 408 and closed |
| a caller that reads a response | ${pace(readerLimits)} | closed; players and clients continue with \`Range\` |

## Images

| What | Limit | Beyond it |
|---|---|---|
| an image from its URL | ${seconds(fetchTimeoutMilliseconds)} in all; at least ${fetchPace.leastBytes / 1024} KiB in each ${seconds(fetchPace.everyMilliseconds)} after the headers | 400 \`image_unreachable\` |
| the size of an image | ${requestLimits.imageMegabytes.storedOrFetched} MB uploaded or fetched, ${requestLimits.imageMegabytes.inline} MB in a data URI; ${imageRules.maxPixels / 1e6} megapixels | 400 \`image_too_large\` |
| the time to decode an image | ${seconds(defaultRequestMilliseconds)} | 400 \`image_undecodable\` |

## At once in a process

Whoever waits gets its turn in order, and holders take turns. Downloads by signed URL are counted apart from those with a key. A body
without Content-Length counts as the largest that its route allows. Each image child decodes for one project; a spare takes about
70 MB. Numbers that follow a setting are shown for ${Object.entries(example)
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(' and ')}.

| What | At once | Waiting | Beyond | Setting |
|---|---|---|---|---|
${allLimits().map(rowOf).join('\n')}
`;
}

function allLimits(): Limit[] {
  return [
    ...Object.values(limits),
    ...Object.values(downloadLimits(example.KINORA_DOWNLOAD_LIMIT)),
    ...Object.values(mediaLimits(example.KINORA_MEDIA_CONCURRENCY)),
  ];
}

function rowOf(limit: Limit): string {
  const { what, total, holder, perHolder, waitingPerHolder, waitMilliseconds, beyond, retryAfterSeconds } = limit;
  const amount = what.startsWith('bytes') ? megabytes : number;
  const inAll = Number.isFinite(total) && holder !== 'process' ? `, ${amount(total)} in all` : '';
  const time = waitMilliseconds === null ? '' : ` for ${seconds(waitMilliseconds)}`;
  const more = Number.isFinite(waitingPerHolder) ? number(waitingPerHolder) : 'any number';
  const waiting = waitingPerHolder === 0 ? 'none' : `${more}${time}`;
  const retry = retryAfterSeconds === null ? '' : `; retry after ${retryAfterSeconds} s`;
  const setting = limit.setting === null ? '' : `\`${limit.setting}\``;
  return `| ${what} | ${amount(perHolder)} per ${holder}${inAll} | ${waiting} | ${beyond}${retry} | ${setting} |`;
}

/** Returns a function that looks up the default of a column: the last one that a migration sets. */
function readDefaults(folder: string): (column: string) => string {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const text = names
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  return (column) => {
    const found = [...text.matchAll(new RegExp(`\\b${column}\\b (?:\\w+ not null|set) default (\\d+)`, 'g'))].at(
      -1,
    )?.[1];
    if (found === undefined) throw new Error(`no migration sets a default of ${column}`);
    return found;
  };
}

function perMinuteOf(endOfRoute: string): number {
  const [, limit] = Object.entries(sendingRoutes).find(([route]) => route.endsWith(endOfRoute)) ?? [];
  if (limit === undefined) throw new Error(`no route with a limit ends in ${endOfRoute}`);
  return limit.perMinute;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

function megabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}

function pace({ silenceSeconds, bytesPerSecond, windowSeconds }: PaceLimits): string {
  return `never silent for ${silenceSeconds} s, at least ${bytesPerSecond / 1000} kB/s over ${windowSeconds} s`;
}
