import { eventually } from '@kinora/stack/harness/eventually';
import { isEmpty } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Operation } from './growth-operations.ts';
import { addCosts, type Cost, costOfPlan } from './plan-cost.ts';
import { recordPlans } from './plan-log.ts';

/** The API and the commands; the other programs that use this Postgres do not count. */
const applications = new Set(['kinora-api', 'kinora-command']);

/** Statements whose result many requests share for some seconds. They count by themselves, not for a request. */
const sharedStatements = {
  'forecast snapshot': 'with contenders as (',
  'count of all waiting tasks': 'select sum("waiting") as "waiting" from "project_slots"',
};
/** Longer than the API keeps either result in its memory, which is 2 s and 3 s. */
const sharedMilliseconds = 3_100;
/** Longer than the API counts Temporal as unreachable after a call that failed. */
const unreachableMilliseconds = 5_100;
/** Statements that the API runs at its own times, whatever is requested. */
const backgroundStatements = [
  'from "model_speeds"',
  'update api_keys set last_used_at',
  'pg_notify',
  'from queue_snapshot',
  'on conflict (is_only) do update set claimed_at = excluded.claimed_at',
];

/** The cost of each operation; null if the service did not perform it. */
export type Measured = Map<string, Cost | null>;

interface Parts {
  stack: Stack;
  database: Client;
  /** How often the API could not start a workflow. */
  failedStarts: () => number;
  report: (line: string) => void;
}

/** Measures in rounds, each begun when the shared results of the one before have expired; the first only warms up. */
export async function measureOperations(
  parts: Parts,
  operations: readonly Operation[],
  rounds: number,
): Promise<Measured> {
  const { stack, database, report } = parts;
  const costs = new Map<string, Cost[]>(operations.map(({ name }) => [name, []]));
  const impossible = new Set<string>();
  let sharedAt = Number.NEGATIVE_INFINITY;
  for (let round = 0; round <= rounds; round += 1) {
    await pause(Math.max(0, sharedAt + sharedMilliseconds - performance.now()));
    // Postgres shares a snapshot among the processes, for longer the more expensive it is.
    const isShared = 'select from queue_snapshot where next_at > clock_timestamp()';
    await eventually('the next snapshot is due', () => isEmpty(database, isShared));
    for (const operation of operations) {
      if (impossible.has(operation.name) || (round === 0 && operation.isCommand)) continue;
      const prepared = (await operation.prepare?.()) ?? '';
      const failedBefore = parts.failedStarts();
      const stopRecording = recordPlans(stack);
      try {
        await operation.run(prepared);
      } catch (error) {
        // The other operations still count, and the figure that is missing in this run is judged by the runner.
        report(`${operation.name}: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`);
        impossible.add(operation.name);
        continue;
      }
      await waitForStarts(parts, failedBefore);
      const byName = costsByName(operation, stopRecording());
      if (byName.length > 1) sharedAt = performance.now();
      if (round === 0) continue;
      for (const [name, cost] of byName) costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  return new Map([...costs].map(([name, of]) => [name, impossible.has(name) ? null : lowestOf(of)]));
}

/**
 * Waits until the API has started all admitted tasks: it tells Temporal of them after its response, and then deletes
 * these rows. If Temporal is too slow for the API, the relay does it later; here no relay runs, so the rows are deleted,
 * and the next operation waits until the API calls Temporal again.
 */
async function waitForStarts({ database, failedStarts, report }: Parts, failedBefore: number): Promise<void> {
  const isDone = () => isEmpty(database, "select 1 from outbox where kind = 'start'");
  const hasFailed = () => failedStarts() > failedBefore;
  await eventually('the start of all admitted tasks', async () => (await isDone()) || hasFailed(), {
    everyMilliseconds: 10,
  });
  if (!hasFailed()) return;
  report('Temporal was too slow for the API');
  await pause(unreachableMilliseconds);
  await database.query("delete from outbox where kind = 'start'");
}

/**
 * Adds up the statements of one operation, apart from the shared ones among them. A command does at once what the relay
 * does in many rounds, so its figure is that of the most expensive round: each statement once, when it cost most.
 */
function costsByName(
  { name: operation, isCommand }: Operation,
  plans: ReturnType<ReturnType<typeof recordPlans>>,
): [string, Cost][] {
  const own: { statement: string; cost: Cost }[] = [];
  const shared: [string, Cost][] = [];
  for (const { application, statement, root } of plans) {
    if (!applications.has(application) || backgroundStatements.some((text) => statement.includes(text))) continue;
    const name = Object.entries(sharedStatements).find(([, text]) => statement.includes(text))?.[0];
    if (name === undefined) own.push({ statement, cost: costOfPlan(root) });
    else shared.push([name, costOfPlan(root)]);
  }
  if (!isCommand) return [[operation, addCosts(own.map(({ cost }) => cost))], ...shared];
  const highest = [...Map.groupBy(own, ({ statement }) => statement).values()].map((all) =>
    all.map(({ cost }) => cost).reduce((one, other) => (other.buffers > one.buffers ? other : one)),
  );
  return [[operation, addCosts(highest)], ...shared];
}

/** Returns the lowest cost of all rounds: the first use of a table by a connection also reads the catalogue. */
function lowestOf(costs: readonly Cost[]): Cost {
  return {
    buffers: Math.min(...costs.map(({ buffers }) => buffers)),
    rows: Math.min(...costs.map(({ rows }) => rows)),
  };
}
