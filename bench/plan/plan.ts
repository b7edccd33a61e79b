import { addCosts, type Cost, costOf, type Work } from '../../server/src/domain/installation-plan.ts';
import type { Bench, BenchOptions, BenchOutcome } from '../bench-outcome.ts';
import { round } from '../judge-baseline.ts';
import { runSql } from '../run-sql.ts';
import { judgePlan } from './judge-plan.ts';
import { type MeasuredLoad, measureLoad, type SteadyLoad } from './measure-load.ts';
import { unitsFrom } from './units-from.ts';

const validationMinutes = 15;
/** The plan was not made from these. */
const validations: Record<string, Omit<SteadyLoad, 'minutes'>> = {
  'renders of 2 s': { endpoints: 8, slots: 2, renderSeconds: 2, perSecond: 2 },
  'renders of 60 s': { endpoints: 20, slots: 8, renderSeconds: 60, perSecond: 1.5 },
};

export const plan: Bench = {
  about: 'what `kinora-server plan` says of two loads, against what they cost; --full measures the unit costs instead',
  run,
};

async function run({ size, minutes, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const measure = async (load: SteadyLoad): Promise<MeasuredLoad> => {
    report(`${load.endpoints} endpoints, ${load.perSecond} videos per second of ${load.renderSeconds} s`);
    return measureLoad(await openCounting(openStack), load, report);
  };
  if (size === 'full') {
    const units = await unitsFrom(measure);
    for (const [name, cost] of Object.entries(units)) report(`${name}: ${inJson(cost)}`);
    return { judged: {}, shown: {}, checks: 0, failures: [] };
  }
  const shown: Record<string, string> = {};
  const failures: string[] = [];
  let checks = 0;
  for (const [name, load] of Object.entries(validations)) {
    const { work, cost, errors } = await measure({ ...load, minutes: minutes ?? validationMinutes });
    const judged = judgePlan(costOf(work), cost);
    for (const { figure, planned, measured, allowed } of judged) {
      const share = planned / measured - 1;
      shown[`${name}: ${figure}`] = `planned ${round(planned)}, measured ${round(measured)}`;
      report(`${name}: ${figure} planned ${round(planned)}, measured ${round(measured)} (${round(100 * share)} %)`);
      checks += 1;
      if (!(Math.abs(share) <= allowed))
        failures.push(`${name}: ${figure} is planned ${round(100 * share)} % off what was measured`);
    }
    report(`${name}: ${inJson(perSecond(cost, work))} per second`);
    for (const error of errors.slice(0, 3)) failures.push(`${name}: ${error}`);
  }
  return { judged: {}, shown, checks, failures };
}

function perSecond(cost: Cost, { installationSeconds }: Work): Cost {
  return addCosts([1 / installationSeconds, cost]);
}

function inJson(cost: Cost): string {
  return JSON.stringify(Object.fromEntries(Object.entries(cost).map(([name, figure]) => [name, round(figure)])));
}

/** Opens the stack with a Postgres that counts statements and can read its log. */
async function openCounting(openStack: BenchOptions['openStack']) {
  const opened = await openStack();
  const { stack } = opened;
  await runSql(stack, 'postgres', "alter system set shared_preload_libraries = 'pg_stat_statements'");
  await stack.stop('temporal');
  await stack.stop('postgres');
  await stack.start('postgres');
  await stack.start('temporal');
  await runSql(
    stack,
    'kinora',
    'create extension if not exists pg_stat_statements',
    'create extension if not exists pg_walinspect',
  );
  return opened;
}
