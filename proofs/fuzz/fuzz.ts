import { readFileSync } from 'node:fs';
import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { createObjects, makeCompletedTask } from '@kinora/stack/harness/create-objects';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { readLogLines } from '@kinora/stack/harness/log-lines';
import { type ObjectIds, unknownIds } from '@kinora/stack/harness/operation-requests';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOptions, ProofOutcome, ProofSize } from '../proof.ts';
import { type Recorder, startRecorder } from './fuzz-recorder.ts';
import { planRequests, requestOf } from './generate-requests.ts';
import { createJudge, isOverload } from './judge-response.ts';
import { type RawCase, rawCases } from './raw-cases.ts';
import { runSchemathesis } from './schemathesis.ts';
import { sendRaw, statusesIn } from './send-raw.ts';

export const proof: Proof = {
  name: 'fuzz',
  promise: 'No request makes the API fail, break its own OpenAPI description, or log an unexpected error.',
  minutes: 4,
  inGate: 'shared',
  run,
};

/** The total number of requests, and how long schemathesis sends them; fast-check sends the rest. */
const sizes: Record<ProofSize | 'gate', { requests: number; schemathesisSeconds: number }> = {
  // How many requests schemathesis sends depends on the machine's speed, so the gate does without it.
  gate: { requests: 5_000, schemathesisSeconds: 0 },
  ci: { requests: 20_000, schemathesisSeconds: 60 },
  full: { requests: 100_000, schemathesisSeconds: 300 },
};
const concurrency = 12;
const rounds = 5;
/** The share of schemathesis' requests, which cannot be repeated, for which the API may close the connection without a response. */
const mostHangUps = 0.005;
/** How many sets of ids the fuzzer remembers to request them later. */
const poolSize = 40;

async function run(stack: Stack, { size, tier, random, report }: ProofOptions): Promise<ProofOutcome> {
  const limits = { creates: 1_000_000_000, reads: 1_000_000_000, waiting: 1_000_000 };
  // All requests come from one address, and many have no valid key.
  const environment = { KINORA_KEYLESS_REQUESTS_PER_MINUTE: '1000000' };
  await using installation = await startInstallation({ stack, limits, environment, onProgress: report });
  const { url, liveKey: key } = installation;
  const judge = createJudge(await (await fetch(`${url}/openapi.json`)).json());
  await using recorder = closing(await startRecorder(url, judge));
  const { requests, schemathesisSeconds: seconds } = sizes[tier === 'gate' ? 'gate' : size];
  const seed = random.below(2 ** 31);
  const pool = await makePool(installation);
  const ids = pool.at(-1) ?? unknownIds;
  // Only the API is fuzzed, so no worker and no relay is needed.
  await Promise.all([installation.stop('worker'), installation.stop('relay')]);
  const objections = seconds > 0 ? await runSchemathesis({ url: recorder.url, key, ids, seconds, seed }) : [];
  const bySchemathesis = recorder.requests;
  const hangUpsOfSchemathesis = recorder.hangUps;
  report(`schemathesis sent ${bySchemathesis} requests`);
  const api = createApiClient({ url: recorder.url, key });
  const countMade = (): number => recorder.requests + recorder.hangUps;
  // A truncated response counts neither as a request nor as a hang-up, so a few more requests may be needed.
  const unserved: Sent[] = [];
  for (let round = 0; round < rounds && countMade() < requests; round += 1) {
    const plans = planRequests(judge.operations, requests - countMade(), seed + round);
    unserved.push(...(await fuzz({ recorder, api, operations: judge.operations, pool, report }, plans)));
  }
  const neverServed = await sendAgain(api, unserved);
  const raw = await sendRawCases(installation);
  report('all raw cases were sent');
  // For the messages to Temporal that the API could not send.
  await installation.start('relay');
  const repairs = await findSelfRepairs(stack, installation);
  await installation.close();
  const unexpected = unexpectedIn(readFileSync(installation.logPath('api'), 'utf8'));
  const unreached = judge.operations.map(({ name }) => name).filter((name) => !recorder.reached.has(name));
  const share = recorder.succeeded / (recorder.requests - recorder.overloads);
  const made = countMade();
  return {
    figures: {
      requests: recorder.requests,
      hangUps: recorder.hangUps,
      overloads: recorder.overloads,
      sentTwice: unserved.length,
      bySchemathesis,
      rawCases: raw.cases,
      rawCasesSentTwice: raw.sentTwice,
      succeededShare: Math.round(share * 1000) / 1000,
      operations: judge.operations.length,
      operationsReached: judge.operations.length - unreached.length,
      statuses: [...recorder.statuses].map(([status, count]) => `${status}: ${count}`).join(', '),
      unexpectedExceptions: unexpected.length,
    },
    failures: [
      ...objections,
      ...recorder.complaints,
      ...raw.complaints,
      ...unexpected.map((line) => `logged: ${line}`),
      ...repairs,
      ...unreached.map((name) => `${name} never succeeded`),
      ...(share < 0.25
        ? [`only ${Math.round(share * 100)} % of the responses were 2xx, so too little code was reached`]
        : []),
      ...(made < requests ? [`only ${made} of ${requests} requests were sent`] : []),
      ...neverServed.map(({ path, init }) => `${init.method} ${path.slice(0, 100)} got no response or 503, twice`),
      ...(hangUpsOfSchemathesis > bySchemathesis * mostHangUps
        ? [`${hangUpsOfSchemathesis} of ${bySchemathesis} requests of schemathesis got no response`]
        : []),
    ],
  };
}

/** Makes objects whose ids requests can name: one completed task, and other tasks that wait and cost no render. */
async function makePool(installation: Installation): Promise<ObjectIds[]> {
  const pool: ObjectIds[] = [{ ...unknownIds, task_id: await makeCompletedTask(installation) }];
  const owner = { url: installation.url, key: installation.liveKey };
  for (let set = 0; set < 6; set += 1) pool.push(await createObjects(owner));
  return pool;
}

interface FuzzParts {
  recorder: Recorder;
  api: ApiClient;
  operations: ReturnType<typeof createJudge>['operations'];
  pool: ObjectIds[];
  report: (line: string) => void;
}

interface Sent {
  path: string;
  init: RequestInit & { method: string };
}

/**
 * Sends the requests that fast-check generated, and returns those that got no response or came to a busy API. The ids of
 * objects that they create join the pool in the order of the responses, so the seed decides every request but not which
 * object it names.
 */
async function fuzz(
  { recorder, api, operations, pool, report }: FuzzParts,
  plans: ReturnType<typeof planRequests>,
): Promise<Sent[]> {
  const unserved: Sent[] = [];
  let sent = 0;
  await forEachConcurrently(concurrency, plans, async (plan) => {
    const { operation, path, headers, body } = requestOf(plan, operations, pool);
    const init = { method: operation.method, headers, ...(body === undefined ? {} : { body }) };
    const response = await api.fetch(path, init).catch(() => null);
    const text = response ? await response.text().catch(() => '') : '';
    if (response?.status === 200) remember(pool, text);
    if (isUnserved(response, text)) unserved.push({ path, init });
    sent += 1;
    if (sent % 4000 === 0) report(`fast-check sent ${sent} requests, ${recorder.complaints.length} complaints`);
  });
  return unserved;
}

/**
 * Sends each request once more, alone, and returns those that again got no response or came to a busy API. The API may
 * close a connection before it has read the whole body, and a client that is still sending may miss the response.
 */
async function sendAgain(api: ApiClient, requests: readonly Sent[]): Promise<Sent[]> {
  const unserved: Sent[] = [];
  for (const request of requests) {
    const response = await api.fetch(request.path, request.init).catch(() => null);
    const text = response ? await response.text().catch(() => '') : '';
    if (isUnserved(response, text)) unserved.push(request);
  }
  return unserved;
}

function isUnserved(response: Response | null, text: string): boolean {
  return response === null || isOverload(response.status, text);
}

const kinds = { task: 'task_id', file: 'file_id', whk: 'endpoint_id', del: 'delivery_id', key: 'key_id' } as const;

function remember(pool: ObjectIds[], responseText: string): void {
  const [, id = '', prefix = ''] = /^\{(?:"task_id":"[^"]*",)?"id":"((\w+?)_[0-9a-z]{26})"/.exec(responseText) ?? [];
  const kind = Object.entries(kinds).find(([name]) => name === prefix)?.[1];
  if (kind === undefined) return;
  // The first entry stays, because its task has completed.
  if (pool.length >= poolSize) pool.splice(1, 1);
  const newest = pool.at(-1) ?? unknownIds;
  pool.push({ ...newest, [kind]: id });
}

/** Sends each raw case, and those once more, alone, whose response was lost or that came to a busy API. */
async function sendRawCases({ url, liveKey }: Installation): Promise<RawOutcome> {
  const port = Number(new URL(url).port);
  const outcome: RawOutcome = { cases: 0, sentTwice: 0, complaints: [] };
  const sendOne = async ({ name, bytes, isOnlyClosed }: RawCase): Promise<'served' | 'unserved'> => {
    const { received, hangs } = await sendRaw(port, bytes);
    const statuses = statusesIn(received);
    const isBusy = statuses.some((status) => isOverload(status, received));
    const bad = statuses.find((status) => status >= 500 && !isOverload(status, received));
    if (bad !== undefined) outcome.complaints.push(`${name} got the response ${bad}`);
    if (hangs) outcome.complaints.push(`the API neither responds to ${name} nor closes the connection`);
    const health = await fetch(`${url}/healthz`).catch(() => null);
    if (health?.status !== 200) outcome.complaints.push(`after ${name} the API was not healthy`);
    return isBusy || (statuses.length === 0 && !isOnlyClosed) ? 'unserved' : 'served';
  };
  const unserved: RawCase[] = [];
  await forEachConcurrently(concurrency, rawCases(liveKey), async (one) => {
    outcome.cases += 1;
    if ((await sendOne(one)) === 'unserved') unserved.push(one);
  });
  for (const one of unserved) {
    outcome.sentTwice += 1;
    if ((await sendOne(one)) === 'unserved') outcome.complaints.push(`${one.name} got no response or 503, twice`);
  }
  return outcome;
}

interface RawOutcome {
  cases: number;
  sentTwice: number;
  complaints: string[];
}

/** Returns the lines that the API logged at level error or fatal, and those of 503 that do not mean that it was busy. */
function unexpectedIn(log: string): string[] {
  return readLogLines(log)
    .filter(({ level, event, code }) => level >= 50 || (event === 'request.unavailable' && code !== 'overloaded'))
    .map((line) => JSON.stringify(line).slice(0, 300));
}
