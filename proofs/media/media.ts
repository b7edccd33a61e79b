import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { type ImageServer, startImageServer } from '@kinora/stack/harness/image-server';
import { startInstallation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { readLogLines } from '@kinora/stack/harness/log-lines';
import { residentBytes } from '@kinora/stack/harness/resident-bytes';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { watchDecoders } from './decoder-watch.ts';
import { goodImages } from './good-images.ts';
import { hostileFiles } from './hostile-files.ts';
import { judgeMedia, longestSeconds } from './judge-media.ts';
import type { ImageResponse, Observation } from './observation.ts';

export const proof: Proof = {
  name: 'media',
  promise:
    "A hostile image is refused or normalised within 5 s and 512 MB, by a decoder without network, in Kinora's own words; good images are accepted.",
  minutes: 2,
  run: (stack, { size, report }) => run(stack, size, report),
};

/** `sourcesPerFile`: each file by one source in turn (1), or by both (2). */
const sizes: Record<ProofSize, { flips: number; sourcesPerFile: 1 | 2; hostileFiles: number; goodImages: number }> = {
  ci: { flips: 8, sourcesPerFile: 1, hostileFiles: 300, goodImages: 60 },
  full: { flips: 200, sourcesPerFile: 2, hostileFiles: 1200, goodImages: 60 },
};
/** The path that hostile files refer to; no process may request it. */
const canaryPath = '/canary';
/** As many as there are decoders, so that no request waits for another one and the measured time is its own. */
const concurrency = 2;
const inlineLimitBytes = 10_000_000;
const warmUpRounds = { least: 2, most: 8 };
const settleMilliseconds = 20_000;
/** Growth below this needs no further wait. */
const enoughBytes = 40 * 1024 * 1024;

const bothSources = ['inline', 'url'] as const;

/** A file to send. */
type Sendable = Pick<Observation, 'name' | 'outcome'> & { bytes: Buffer; contentType: string };
type Sending = Sendable & Pick<Observation, 'source'>;

async function run(stack: Stack, size: ProofSize, report: (line: string) => void): Promise<ProofOutcome> {
  const port = await findFreePorts(1);
  await using files = closing(await startImageServer(port));
  await using installation = await startInstallation({
    stack,
    onProgress: report,
    limits: { creates: 6_000, reads: 1_000_000, waiting: 1_000_000, running: 0 },
    loopbackPorts: [port],
    // No worker runs: accepted tasks wait.
    roles: ['api'],
    environment: { KINORA_MEDIA_CONCURRENCY: String(concurrency) },
  });
  const api = createApiClient({ url: installation.url, key: installation.testKey });
  const pid = installation.process('api')?.pid;
  if (pid === undefined) throw new Error('the API is not running');
  await using watch = closing(watchDecoders(pid));
  const good = goodImages().map(({ width, height, ...image }) => ({ ...image, outcome: { width, height } }));
  const sendings = sendingsOf(size, good, files.url(canaryPath));
  report(`${sendings.length} files to send`);
  const ordinary = good.filter(({ name }) => /9\.9 MB|JPEG|WebP/.test(name));
  const apiBytesBefore = await warmedUp(api, files, ordinary, pid);
  report(`the API is warm at ${Math.round(apiBytesBefore / 1e6)} MB`);
  const observations = await sendAll(api, files, sendings, report);
  const apiBytesAfter = await settled(api, files, ordinary, pid, apiBytesBefore);
  const evidence = {
    observations,
    decoders: watch.decoders(),
    apiBytesBefore,
    apiBytesAfter,
    canaryPaths: files.requestedPaths.filter((path) => path.startsWith(canaryPath)),
    unexpectedErrors: unexpectedErrors(installation.logPath('api')),
  };
  const { figures, failures } = judgeMedia(evidence, sizes[size]);
  return { figures, failures: [...failures, ...(await findSelfRepairs(stack, installation))] };
}

/** Mixes hostile files and good images, because a hostile file must not harm the good image after it. */
function sendingsOf(size: ProofSize, good: readonly Sendable[], canaryUrl: string): Sending[] {
  const { flips, sourcesPerFile } = sizes[size];
  const sent = bySource(hostileFiles({ seed: testSeed, flipsPerFormat: flips, canaryUrl }), sourcesPerFile);
  const images = bySource(good, sourcesPerFile);
  const step = Math.max(1, Math.floor(sent.length / images.length));
  for (const [index, image] of images.entries()) sent.splice(index * (step + 1), 0, image);
  return sent;
}

/** Returns each file with both sources, or with one in turn; a file that is too large for inline is fetched. */
function bySource(files: readonly Sendable[], sourcesPerFile: 1 | 2): Sending[] {
  return files.flatMap((file, index) => {
    const chosen = sourcesPerFile === 2 ? bothSources : [bothSources[index % 2] ?? 'url'];
    const possible = file.bytes.length > inlineLimitBytes ? (['url'] as const) : chosen;
    return possible.map((source) => ({ ...file, source }));
  });
}

async function sendAll(
  api: ApiClient,
  files: ImageServer,
  sendings: readonly Sending[],
  report: (line: string) => void,
): Promise<Observation[]> {
  const observations: Observation[] = [];
  await forEachConcurrently(concurrency, sendings, async (sending) => {
    observations.push(await observe(api, files, sending));
    if (observations.length % 50 === 0) report(`${observations.length} of ${sendings.length} files sent`);
  });
  interrupted.throwIfAborted();
  return observations;
}

/** Sends a file, and sends it once more if its response was late. */
async function observe(api: ApiClient, files: ImageServer, sending: Sending): Promise<Observation> {
  const { bytes, contentType, ...known } = sending;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  // Every file is served under a harmless name.
  const path = `/${sha256}.png`;
  files.serve(path, (response) => response.writeHead(200, { 'content-type': contentType }).end(bytes));
  const image_url =
    sending.source === 'url' ? files.url(path) : `data:${contentType};base64,${bytes.toString('base64')}`;
  const body = JSON.stringify({ prompt: 'the camera moves in', image_url });
  const first = await send(api, body);
  const again = first.seconds > longestSeconds ? await send(api, body) : null;
  return { ...known, sha256, ...first, again };
}

async function send(api: ApiClient, body: string): Promise<ImageResponse> {
  const startedAt = performance.now();
  const { status, text } = await api.post('/v1/videos/image-to-video', body);
  return { status, body: text, seconds: (performance.now() - startedAt) / 1000 };
}

/** Sends ordinary images until the API needs no more memory, and returns the most; code loaded once is no growth. */
async function warmedUp(
  api: ApiClient,
  files: ImageServer,
  ordinary: readonly Sendable[],
  pid: number,
): Promise<number> {
  let [most, before] = [0, -1];
  for (let round = 0; round < warmUpRounds.most && (round < warmUpRounds.least || most > before); round += 1) {
    before = most;
    await sendAll(api, files, bySource(ordinary, 2), () => undefined);
    most = Math.max(most, residentBytes(pid));
  }
  return most;
}

/** Sends ordinary images until the API's memory has settled, because the garbage collector runs only under load. */
async function settled(
  api: ApiClient,
  files: ImageServer,
  ordinary: readonly Sendable[],
  pid: number,
  before: number,
): Promise<number> {
  const deadline = Date.now() + settleMilliseconds;
  let bytes = residentBytes(pid);
  while (bytes > before + enoughBytes && Date.now() < deadline) {
    await sendAll(api, files, bySource(ordinary, 1), () => undefined);
    bytes = Math.min(bytes, residentBytes(pid));
  }
  return bytes;
}

/** Returns log lines of level 50 and above, and of requests that got 503. A refused image is neither. */
function unexpectedErrors(logPath: string): string[] {
  return readLogLines(readFileSync(logPath, 'utf8'))
    .filter(({ level, event }) => level >= 50 || event === 'request.unavailable')
    .map((line) => JSON.stringify(line).slice(0, 300));
}
