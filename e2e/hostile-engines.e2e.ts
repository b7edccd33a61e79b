import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { startInstallation } from '@kinora/stack/harness/installation';
import { smallestShape } from '@kinora/stack/harness/models-file';
import { colours, makeVideo } from '@kinora/stack/harness/sample-videos';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { expect, onTestFinished, test } from 'vitest';
import { startCanary } from '../proofs/hostile-engine/canary.ts';
import { bystander, type Case, casesOf } from '../proofs/hostile-engine/hostile-case.ts';
import { writeHostileModels } from '../proofs/hostile-engine/hostile-models.ts';
import { startHostileServer } from '../proofs/hostile-engine/hostile-server.ts';
import { judgeHostileEngine } from '../proofs/hostile-engine/judge-hostile-engine.ts';
import { protocols } from '../proofs/hostile-engine/mutation.ts';
import { mutationsOf } from '../proofs/hostile-engine/mutations.ts';
import { runCases } from '../proofs/hostile-engine/run-hostile-cases.ts';
import { speak } from '../proofs/hostile-engine/speak.ts';

// One video that is accepted and one that is refused, through the service, for every protocol. All other lies are in
// server/src/engines/hostile-responses.test.ts.
const nothingDemanded = { mutatedResponses: 0, hostileTasks: 0, honestTasks: 0, filesDecoded: 0, sentMegabytes: 0 };

test('for every engine, an honest video is delivered, and a page instead of a video is not', async () => {
  const cases = protocols
    .flatMap((protocol) => [
      bystander(protocol),
      ...casesOf(protocol, mutationsOf(protocol)).filter(({ name }) => name.endsWith(' a page, always')),
    ])
    .map((case_, index): Case => ({ ...case_, number: index + 1 }));
  expect(cases).toHaveLength(2 * protocols.length);
  const stack = await startTemporaryStack('hostile-engines');
  onTestFinished(() => stack.wipe());
  const { folder } = stack.info;
  const videos = await Promise.all(colours.map((colour) => makeVideo(folder, colour, smallestShape)));
  const videoOf = (number: number): Buffer => videos[number % videos.length] ?? Buffer.alloc(0);
  const canary = await startCanary();
  onTestFinished(() => canary.close());
  const server = await startHostileServer({
    cases,
    speak,
    videoOf: ({ number }) => videoOf(number),
    otherVideoOf: ({ number }) => videoOf(number + 1),
    canaryUrl: canary.url,
  });
  onTestFinished(() => server.close());
  const installation = await startInstallation({
    stack,
    roles: ['api', 'relay', 'worker'],
    limits: { running: 100, waiting: 100, creates: 6_000, reads: 60_000 },
    environment: { KINORA_MODELS_FILE: await writeHostileModels(folder, protocols, server.urlOf) },
  });
  onTestFinished(() => installation.close());
  const api = createApiClient({ url: installation.url, key: installation.liveKey });
  const colourOf = ({ number }: Case): string => colours[number % colours.length] ?? '';
  const patienceSeconds = hangLimitMilliseconds / 1000;
  const run = { api, server, colourOf, patienceSeconds, files: cases.length, folder, report: () => undefined };
  const tasks = await runCases(run, cases);
  const evidence = { tasks, roles: [], canaryConnections: canary.connections, sentBytes: 0 };
  expect(judgeHostileEngine(evidence, nothingDemanded).failures).toEqual([]);
  expect(tasks).toHaveLength(cases.length);
});
