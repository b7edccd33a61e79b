import { runCommand } from '@kinora/stack/harness/installation';
import type { Bench, BenchOptions, BenchOutcome } from '../bench-outcome.ts';
import { round } from '../judge-baseline.ts';
import { runSql } from '../run-sql.ts';
import { judgePlan, type PrintedPlan, ratesOf } from './judge-plan.ts';
import { type MeasuredLoad, measureLoad, type SteadyLoad } from './measure-load.ts';
import { unitsFrom } from './units-from.ts';

const validationMinutes = 15;
/** The unit costs of the plan were not measured with these. */
const validations: Record<string, Omit<SteadyLoad, 'minutes'>> = {
  'renders of 2 s': { endpoints: 12, slots: 1, renderSeconds: 2, perSecond: 2 },
  'renders of 60 s': { endpoints: 100, slots: 1, renderSeconds: 60, perSecond: 1.5 },
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
    for (const [name, cost] of Object.entries(units)) report(`${name}: ${JSON.stringify(cost)}`);
    return { judged: {}, shown: {}, checks: 0, failures: [] };
  }
  const shown: Record<string, string> = {};
  const failures: string[] = [];
  let checks = 0;
  for (const [name, load] of Object.entries(validations)) {
    const { work, cost, errors } = await measure({ ...load, minutes: minutes ?? validationMinutes });
    report(`${name}: ${JSON.stringify(cost)}`);
    for (const { figure, planned, measured, off, isKept } of judgePlan(
      await readPlan(load),
      ratesOf(cost, work.installationSeconds),
    )) {
      shown[`${name}: ${figure}`] =
        `planned ${round(planned)}, measured ${round(measured)} per second, ${round(100 * off)} %`;
      report(`${name}: ${figure} ${shown[`${name}: ${figure}`]}`);
      checks += 1;
      if (!isKept) failures.push(`${name}: ${figure} is planned ${round(100 * off)} % off what was measured`);
    }
    for (const error of errors.slice(0, 3)) failures.push(`${name}: ${error}`);
  }
  return { judged: {}, shown, checks, failures };
}

async function readPlan({ endpoints, slots, renderSeconds, perSecond }: Omit<SteadyLoad, 'minutes'>) {
  const options = {
    'videos-per-day': Math.round(perSecond * 86_400),
    gpus: endpoints * slots,
    'render-seconds': renderSeconds,
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return JSON.parse(await runCommand({}, 'plan', '--json', ...words)) as PrintedPlan;
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
