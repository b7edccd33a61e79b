import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { type ImageServer, startImageServer } from '@kinora/stack/harness/image-server';
import { inLanes } from '@kinora/stack/harness/in-lanes';
import { startInstallation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { readLogLines } from '@kinora/stack/harness/log-lines';
import { residentBytes } from '@kinora/stack/harness/resident-bytes';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { serverPaths } from '../server-paths.ts';
import { watchDecoders } from './decoder-watch.ts';
import { goodImages } from './good-images.ts';
import { hostileFiles } from './hostile-files.ts';
import { judgeMedia } from './judge-media.ts';
import type { Observation } from './observation.ts';

export const proof: Proof = {
  name: 'media',
  promise:
    'A hostile image is refused or normalised within 5 s and 512 MB, by a decoder without network, in words of our own; good images are taken.',
  covers: [
    ...serverPaths(`api/requests/image-url-problem.ts media/image media/scratch.ts operations/files/ outbound/`),
    'boxes/src/',
  ],
  minutes: 2,
  run: (size, report) => withProofStack('media', report, (stack) => run(stack, size, report)),
};

/** `every`: of the hostile files and good images each how many-th is sent; `ways`: in how many ways each. */
const sizes: Record<
  ProofSize,
  { flips: number; every: number; ways: 1 | 2; hostileFiles: number; goodImages: number }
> = {
  smoke: { flips: 2, every: 7, ways: 1, hostileFiles: 30, goodImages: 6 },
  ci: { flips: 8, every: 1, ways: 1, hostileFiles: 300, goodImages: 60 },
  full: { flips: 200, every: 1, ways: 2, hostileFiles: 1200, goodImages: 60 },
};
const seed = 20_261_115;
/** What hostile files point at; nobody must ask for it. */
const canaryPath = '/canary';
/** One at a time for each decoder, so that what is measured is not the wait for the one before. */
const lanes = 2;
const inlineLimitBytes = 10_000_000;
const settleMilliseconds = 20_000;
/** Once it has come so close there is nothing to wait for. */
const enoughBytes = 40 * 1024 * 1024;

const bothSources = ['inline', 'url'] as const;

/** A file that is to be sent, and how. */
type Sendable = Pick<Observation, 'name' | 'outcome'> & { bytes: Buffer; contentType: string };
type Sending = Sendable & Pick<Observation, 'way'>;

async function run(stack: Stack, size: ProofSize, report: (line: string) => void): Promise<ProofOutcome> {
  const port = await findFreePorts(1);
  const files = await startImageServer(port);
  const installation = await startInstallation({
    stack,
    onProgress: report,
    limits: { creates: 6_000, waiting: 1_000_000, running: 0 },
    loopbackPorts: [port],
    // Nothing is rendered: what is taken in waits.
    roles: ['api'],
    environment: { KINORA_MEDIA_CONCURRENCY: String(lanes) },
  });
  const api = createApiClient({ url: installation.url, key: installation.testKey });
  const pid = installation.process('api')?.pid;
  if (pid === undefined) throw new Error('the API is gone');
  const watch = watchDecoders(pid);
  try {
    const good = chosen(
      size,
      goodImages().map(({ width, height, ...image }) => ({ ...image, outcome: { width, height } })),
    );
    const sendings = sendingsOf(size, good, files.url(canaryPath));
    report(`${sendings.length} files are made`);
    // What is loaded once, and room for the largest images that anybody may send, is no loss to hostile ones.
    const warmUp = good.filter(({ name }) => /9\.9 MB|JPEG|WebP/.test(name));
    await sendAll(api, files, bySource([...warmUp, ...warmUp], 2), () => undefined);
    report('the API is warm');
    const apiBytesBefore = residentBytes(pid);
    const observations = await sendAll(api, files, sendings, report);
    const apiBytesAfter = await settled(api, files, warmUp, pid, apiBytesBefore);
    const evidence = {
      observations,
      decoders: watch.decoders(),
      apiBytesBefore,
      apiBytesAfter,
      canaryPaths: files.asked.filter((path) => path.startsWith(canaryPath)),
      unexpectedErrors: unexpectedErrors(installation.logPath('api')),
    };
    return judgeMedia(evidence, sizes[size]);
  } finally {
    watch.close();
    await installation.close();
    await files.close();
  }
}

/** Hostile and good ones in turn: what a hostile one leaves behind must not harm the good one after it. */
function sendingsOf(size: ProofSize, good: readonly Sendable[], canaryUrl: string): Sending[] {
  const { flips, ways } = sizes[size];
  const sent = bySource(chosen(size, hostileFiles({ seed, flipsPerFormat: flips, canaryUrl })), ways);
  const images = bySource(good, ways);
  const step = Math.max(1, Math.floor(sent.length / images.length));
  for (const [index, image] of images.entries()) sent.splice(index * (step + 1), 0, image);
  return sent;
}

/** Everything, or for a glance a few that are quickly dealt with. */
function chosen(size: ProofSize, files: readonly Sendable[]): Sendable[] {
  const { every } = sizes[size];
  const isQuick = ({ name }: Sendable) => !/megapixels|scans|6000x|x6000|largest|MB of noise/.test(name);
  return files.filter((file, index) => every === 1 || (index % every === 0 && isQuick(file)));
}

/** Each in both ways, or in one of them in turn; what is too large to be sent inline is fetched. */
function bySource(files: readonly Sendable[], ways: 1 | 2): Sending[] {
  return files.flatMap((file, index) => {
    const chosen = ways === 2 ? bothSources : [bothSources[index % 2] ?? 'url'];
    const possible = file.bytes.length > inlineLimitBytes ? (['url'] as const) : chosen;
    return possible.map((way) => ({ ...file, way }));
  });
}

async function sendAll(
  api: ApiClient,
  files: ImageServer,
  sendings: readonly Sending[],
  report: (line: string) => void,
): Promise<Observation[]> {
  const observations: Observation[] = [];
  await inLanes(lanes, sendings, async (sending) => {
    observations.push(await send(api, files, sending));
    if (observations.length % 50 === 0) report(`${observations.length} of ${sendings.length} files sent`);
  });
  interrupted.throwIfAborted();
  return observations;
}

async function send(api: ApiClient, files: ImageServer, sending: Sending): Promise<Observation> {
  const { bytes, contentType, ...known } = sending;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  // A hostile file under a harmless name.
  const path = `/${sha256}.png`;
  files.serve(path, (response) => response.writeHead(200, { 'content-type': contentType }).end(bytes));
  const image_url = sending.way === 'url' ? files.url(path) : `data:${contentType};base64,${bytes.toString('base64')}`;
  const body = JSON.stringify({ prompt: 'the camera moves in', image_url });
  const startedAt = performance.now();
  const { status, text } = await api.post('/v1/videos/image-to-video', body);
  return {
    ...known,
    sha256,
    status,
    body: text,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

/** Memory is given back when the collector comes round, which it does when more is asked for: ordinary images, one by one. */
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

/** Errors of level 50 and above, and requests that got 503: a refused image is neither. */
function unexpectedErrors(logPath: string): string[] {
  return readLogLines(readFileSync(logPath, 'utf8'))
    .filter(({ level, event }) => level >= 50 || event === 'request.unavailable')
    .map((line) => JSON.stringify(line).slice(0, 300));
}
