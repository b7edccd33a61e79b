// Kills processes at every place of every life, and lets chance break everything else. Usage in CONTRIBUTING.md.
import './use-driver.ts';
import { createWriteStream, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import type { SimulatedPostgres as Postgres } from './simulated-postgres.ts';

const { everyDeath, everyPairOfDeaths, runOneLife } = await import('./every-death.ts');
const { lives } = await import('./lives.ts');
const { runSchedule } = await import('./random-schedule.ts');
const { startSimulatedDatabases } = await import('./simulated-databases.ts');
const { SimulatedPostgres } = await import('./simulated-postgres.ts');

const usage = `npm run simulate                                every death of every life, and random schedules
npm run simulate -- --seed 7 [--history FILE]   one random schedule again
npm run simulate -- --life plain                every death of one life; --deaths 3,17 --history FILE: one run of it
npm run simulate -- --tier night --minutes 60   every pair of deaths of every life, and schedules for an hour`;
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    life: { type: 'string' },
    deaths: { type: 'string' },
    history: { type: 'string' },
    tier: { type: 'string', default: 'gate' },
    minutes: { type: 'string', default: '60' },
    results: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !['gate', 'night'].includes(values.tier)) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
/** The gate's schedules are always the same. The night has a fresh seed, which it prints. */
const gateSchedules = 12;
const tasksPerSchedule = 100;

interface Result {
  name: string;
  passed: boolean;
  seconds: number;
  objections: string[];
  figures: Record<string, number | string>;
}

const results: Result[] = [];
const databases = await startSimulatedDatabases();
const history = values.history === undefined ? null : createWriteStream(values.history);
const record = history === null ? undefined : (line: string) => void history.write(`${line}\n`);
try {
  if (values.seed !== undefined) await check(`simulation/seed ${values.seed}`, () => schedules([Number(values.seed)]));
  else if (values.life !== undefined) await check(`simulation/life ${values.life}`, oneLife);
  else await everything();
} finally {
  await databases.close();
  history?.end();
}
if (values.results !== undefined) writeFileSync(values.results, `${JSON.stringify(results, null, 2)}\n`);
const failed = results.filter(({ passed }) => !passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function everything(): Promise<void> {
  await check('simulation/every-death', everyLife);
  const until = performance.now() + Number(values.minutes) * 60_000;
  await check('simulation/random-schedule', () =>
    values.tier === 'gate'
      ? schedules(Array.from({ length: gateSchedules }, (_, index) => index + 1))
      : schedules(seedsFrom(testSeed), () => performance.now() < until),
  );
}

async function everyLife() {
  const objections: string[] = [];
  const figures: Record<string, number> = { schedules: 0 };
  for (const life of lives) {
    const isInPairs = values.tier === 'night' || life.name === 'plain';
    const lived = await (isInPairs ? everyPairOfDeaths : everyDeath)(newPostgres, life);
    console.log(`${life.name}: ${lived.figures.places} places, ${lived.figures.schedules} schedules`);
    objections.push(...lived.objections);
    figures['schedules'] = (figures['schedules'] ?? 0) + lived.figures.schedules;
  }
  return { objections, figures };
}

/** Runs a check and prints what it found. */
async function check(name: string, run: () => Promise<{ objections: string[]; figures: Result['figures'] }>) {
  const begun = performance.now();
  const before = process.cpuUsage();
  const postgresBefore = databases.cpuSeconds();
  const { objections, figures } = await run();
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = Math.round((user + system) / 1e5 + 10 * (databases.cpuSeconds() - postgresBefore)) / 10;
  results.push({ name, passed: objections.length === 0, seconds, objections, figures: { ...figures, cpuSeconds } });
  console.log(
    `${objections.length === 0 ? 'ok    ' : 'FAILED'} ${name}: ${JSON.stringify({ ...figures, cpuSeconds })}`,
  );
  for (const objection of objections.slice(0, 20)) console.log(`  ${objection}`);
}

async function newPostgres(): Promise<Postgres> {
  return SimulatedPostgres.connect(await databases.create());
}

async function onDatabase<T>(work: (postgres: Postgres) => Promise<T>): Promise<T> {
  const postgres = await newPostgres();
  try {
    return await work(postgres);
  } finally {
    await postgres.close();
  }
}

async function oneLife() {
  const life = lives.find(({ name }) => name === values.life);
  if (!life)
    throw new Error(`There is no life ${values.life}. The lives are: ${lives.map(({ name }) => name).join(', ')}.`);
  const deaths = values.deaths?.split(',').filter(Boolean).map(Number);
  return deaths ? runOneLife(newPostgres, life, deaths, record) : everyDeath(newPostgres, life);
}

async function schedules(seeds: Iterable<number>, isInTime = () => true) {
  const objections: string[] = [];
  const figures = { schedules: 0, tasks: 0, deaths: 0, losses: 0, virtualMinutes: 0, failingSeeds: '' };
  let hash = '';
  for (const seed of seeds) {
    if (!isInTime()) break;
    const ran = await onDatabase((postgres) => runSchedule(postgres, { seed, tasks: tasksPerSchedule, record }));
    hash = ran.hash;
    figures.schedules += 1;
    for (const name of ['tasks', 'deaths', 'losses'] as const) figures[name] += ran[name];
    figures.virtualMinutes = Math.round(10 * figures.virtualMinutes + ran.virtualSeconds / 6) / 10;
    if (ran.objections.length === 0) continue;
    figures.failingSeeds = `${figures.failingSeeds} ${seed}`.trim();
    objections.push(`seed ${seed}: ${ran.objections.slice(0, 5).join('; ')}`);
  }
  return { objections, figures: figures.schedules === 1 ? { ...figures, hash } : figures };
}

function* seedsFrom(first: number): Iterable<number> {
  for (let seed = first; ; seed += 1) yield seed;
}
