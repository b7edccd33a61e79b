import { readdirSync } from 'node:fs';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseCases } from '../../../proofs/hostile-engine/choose-cases.ts';
import type { Case } from '../../../proofs/hostile-engine/hostile-case.ts';
import { protocols } from '../../../proofs/hostile-engine/mutation.ts';
import { type HostileOutcome, isSlow, kindOf, startHostileEngines } from './hostile-engine.fixture.ts';
import { openAiVideosDialects } from './openai-videos/openai-videos-dialect.ts';

// All cases of `proofs/hostile-engine` at its full size, against the adapters and what surrounds one job.
const concurrency = 24;
const cases = chooseCases('full', protocols);
const runs = new Map(cases.map((case_) => [case_, Promise.withResolvers<HostileOutcome>()]));
let engines: Awaited<ReturnType<typeof startHostileEngines>>;
let running: Promise<unknown>;

beforeAll(async () => {
  engines = await startHostileEngines(cases);
  const render = async (case_: Case): Promise<void> => runs.get(case_)?.resolve(await engines.render(case_));
  // Those that wait for a time limit need nothing but time. The others run protocol by protocol, as the tests await them.
  const slow = cases.filter(isSlow);
  const others = protocols.flatMap((protocol) => cases.filter((one) => one.protocol === protocol && !isSlow(one)));
  running = Promise.all([
    forEachConcurrently(slow.length, slow, render),
    forEachConcurrently(concurrency, others, render),
  ]);
});
afterAll(async () => {
  await running;
  await engines.close();
});

it.each(protocols)('every lie of a %s engine ends its task correctly', async (protocol) => {
  const own = cases.filter((case_) => case_.protocol === protocol);
  const ended = Promise.all(
    own.map(async (case_) => (await runs.get(case_)?.promise)?.objections.map((text) => `${case_.name}: ${text}`)),
  );
  // An error of a case ends the run, and no other case after it.
  const wrong = await Promise.race([ended, running.then(() => ended)]);
  expect(wrong.flat()).toEqual([]);
  expect(own.length).toBeGreaterThan(250);
});

it('every engine and every dialect has its lies', () => {
  const adapters = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^([\w-]+)\/\1-engine\.ts$/.test(path),
  );
  const engines = new Set(Object.values(kindOf).map(({ engine }) => `${engine}/${engine}-engine.ts`));
  expect([...engines].toSorted()).toEqual(adapters.toSorted());
  expect(protocols).toEqual(expect.arrayContaining(Object.keys(openAiVideosDialects)));
});

it('no address that only an engine names is connected to', () => {
  expect(engines.canary.connections).toEqual([]);
});
