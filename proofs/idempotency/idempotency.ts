import { closing } from '@kinora/stack/harness/closing';
import { startInstallation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome } from '../proof.ts';
import { startApiFleet } from './api-fleet.ts';
import { chaos } from './chaos.ts';
import { checkEvidence, takeoversIn } from './check-evidence.ts';
import { createClients } from './clients.ts';
import { collectRows } from './collect-rows.ts';
import type { CreateResponse, Evidence } from './idempotency-evidence.ts';
import { type IdempotencySize, idempotencySizes, requestsPerKey } from './idempotency-size.ts';
import { startSlowImageServer } from './slow-image-server.ts';

export const proof: Proof = {
  name: 'idempotency',
  promise:
    'However often a create is sent with the same key, and whichever process is killed with -9, there is one task and one response.',
  minutes: 3,
  run: (stack, { size, report }) => run(stack, idempotencySizes[size], report),
};

const apiProcesses = 3;

async function run(stack: Stack, size: IdempotencySize, report: (line: string) => void): Promise<ProofOutcome> {
  const first = await findFreePorts(apiProcesses + 1);
  const imagePort = first + apiProcesses;
  await using installation = await startInstallation({
    stack,
    roles: [],
    // No task runs, so only creates cost time.
    limits: { running: 0, waiting: 1_000_000, creates: 1_000_000, reads: 1_000_000 },
    loopbackPorts: [imagePort],
    onProgress: report,
  });
  const broken = new AbortController();
  const signal = AbortSignal.any([interrupted, broken.signal]);
  await using images = closing(await startSlowImageServer(imagePort));
  await using database = await openDatabase(stack);
  const ports = Array.from({ length: apiProcesses }, (_, index) => first + index);
  await using fleet = closing(startApiFleet({ stack, installation, ports }));
  try {
    report(`starting ${apiProcesses} API processes`);
    await fleet.ready();
    const responses: CreateResponse[] = [];
    const clients = createClients({ urls: fleet.urls, apiKey: installation.testKey, responses, signal });
    const keys = await chaos({ fleet, clients, responses, images, size, report, signal });
    const evidence: Evidence = {
      keys,
      requestsPerKey,
      responses,
      ...(await collectRows(database)),
      ...fleet.deaths,
      ...clients.observed,
    };
    return { figures: figuresOf(evidence), failures: checkEvidence(evidence, size.thresholds) };
  } finally {
    broken.abort(new Error('the proof has ended'));
  }
}

function figuresOf(evidence: Evidence): Record<string, number> {
  return {
    keys: evidence.keys.length,
    requests: evidence.responses.length,
    tasks: evidence.tasks.length,
    replays: evidence.responses.filter(({ isReplayed }) => isReplayed).length,
    kills: evidence.kills,
    killsBeforeResponse: evidence.killsBeforeResponse,
    brokenRequests: evidence.brokenRequests,
    takeovers: takeoversIn(evidence),
    conflicts: evidence.retriesByStatus.get(409) ?? 0,
    overloads: evidence.retriesByStatus.get(503) ?? 0,
    reservationsLeft: evidence.records.filter(({ taskId }) => taskId === null).length,
  };
}
