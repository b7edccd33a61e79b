import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { startImageServer } from '@kinora/stack/harness/image-server';
import { startInstallation } from '@kinora/stack/harness/installation';
import { smallestShape } from '@kinora/stack/harness/models-file';
import { colours, makeVideo } from '@kinora/stack/harness/sample-videos';
import { reservePorts } from '@kinora/stack/parts/free-port';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prediction } from '../proofs/hostile-engine/cog-callbacks.ts';
import { atTheEnd, posting } from '../proofs/hostile-engine/cog-posting.ts';
import { bystander, type Case, casesOf } from '../proofs/hostile-engine/hostile-case.ts';
import type { ObservedTask } from '../proofs/hostile-engine/hostile-evidence.ts';
import { writeHostileModels } from '../proofs/hostile-engine/hostile-models.ts';
import { startHostileServer } from '../proofs/hostile-engine/hostile-server.ts';
import { judgeHostileEngine } from '../proofs/hostile-engine/judge-hostile-engine.ts';
import { protocols } from '../proofs/hostile-engine/mutation.ts';
import { mutationsOf } from '../proofs/hostile-engine/mutations.ts';
import { runCases } from '../proofs/hostile-engine/run-hostile-cases.ts';
import { speak } from '../proofs/hostile-engine/speak.ts';

// One video that is accepted and one that is refused, through the service, for every protocol, and the same for a video
// that an engine names by its address. All other lies are in server/src/engines/hostile-responses.test.ts.
const nothingDemanded = { mutatedResponses: 0, hostileTasks: 0, honestTasks: 0, filesDecoded: 0, sentMegabytes: 0 };

const openPort = await reservePorts(1);
const allowed = await startImageServer(openPort);
/** The same port at an address that the service must never fetch from; a request here means that the guard failed. */
let forbidden: Awaited<ReturnType<typeof startImageServer>>;

const videoPath = '/video.mp4';
/** Cog's end of a job with the address of a video that the service may fetch. */
const allowedAddress = posting(
  'success with an allowed address',
  atTheEnd(({ job, video }) => {
    allowed.serve(videoPath, video);
    return prediction(job.id, { status: 'succeeded', output: allowed.url(videoPath) });
  }),
  { always: ['completed'] },
);

const pages = protocols.flatMap((protocol) => [
  bystander(protocol),
  ...casesOf(protocol, mutationsOf(protocol)).filter(({ name }) => name.endsWith(' a page, always')),
]);
const addresses = [
  ...casesOf('cog', [allowedAddress]),
  ...casesOf('cog', mutationsOf('cog')).filter(({ name }) =>
    name.endsWith(' success with a forbidden address, always'),
  ),
];
const cases = [...pages, ...addresses].map((case_, index): Case => ({ ...case_, number: index + 1 }));

const closing: (() => Promise<unknown>)[] = [() => allowed.close()];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

let tasks: ObservedTask[];
beforeAll(async () => {
  const stack = await startTemporaryStack('hostile-engines');
  closing.push(() => stack.wipe());
  const { folder } = stack.info;
  const videos = await Promise.all(colours.map((colour) => makeVideo(folder, colour, smallestShape)));
  const videoOf = (number: number): Buffer => videos[number % videos.length] ?? Buffer.alloc(0);
  // It serves a good video, so that a task whose engine names it would complete if the guard failed.
  forbidden = await startImageServer(openPort, '127.0.0.2', videoOf(0));
  closing.push(() => forbidden.close());
  const server = await startHostileServer({
    cases,
    speak,
    videoOf: ({ number }) => videoOf(number),
    otherVideoOf: ({ number }) => videoOf(number + 1),
    canaryUrl: forbidden.url(videoPath),
  });
  closing.push(() => server.close());
  const installation = await startInstallation({
    stack,
    roles: ['api', 'relay', 'worker'],
    loopbackPorts: [openPort],
    limits: { running: 100, waiting: 100, creates: 6_000, reads: 60_000 },
    environment: { KINORA_MODELS_FILE: await writeHostileModels(folder, protocols, server.urlOf) },
  });
  closing.push(() => installation.close());
  const api = createApiClient({ url: installation.url, key: installation.liveKey });
  const colourOf = ({ number }: Case): string => colours[number % colours.length] ?? '';
  const patienceSeconds = hangLimitMilliseconds / 1000;
  const run = { api, server, colourOf, patienceSeconds, files: cases.length, folder, report: () => undefined };
  tasks = await runCases(run, cases);
});

/** Judges the tasks of these cases, each of which must have been run. */
function expectRightEnds(own: readonly Omit<Case, 'number'>[]): void {
  const those = tasks.filter(({ name }) => own.some((case_) => case_.name === name));
  const evidence = { tasks: those, roles: [], canaryConnections: [], sentBytes: 0 };
  expect(judgeHostileEngine(evidence, nothingDemanded).failures).toEqual([]);
  expect(those).toHaveLength(own.length);
}

test('for every engine, an honest video is delivered, and a page instead of a video is not', () => {
  expect(pages).toHaveLength(2 * protocols.length);
  expectRightEnds(pages);
});

test('a video that an engine names by an allowed address is delivered, and nothing is fetched from a forbidden one', () => {
  expect(addresses.map(({ ends }) => ends)).toEqual([['completed'], ['output_invalid']]);
  expectRightEnds(addresses);
  expect(allowed.requestedPaths).toContain(videoPath);
  expect(forbidden.requestedPaths).toEqual([]);
});
