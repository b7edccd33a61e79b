// Kills processes at every place of every life, and lets chance break everything else. See README.md.
import './use-driver.ts';
import { execFileSync } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { testSeed } from '@kinora/stack/harness/seeded-random';
import type { RanSchedule } from './random-schedule.ts';
import type { SimulatedPostgres as Postgres } from './simulated-postgres.ts';

const { everyDeath, everyPairOfDeaths, runOneLife } = await import('./every-death.ts');
const { lives } = await import('./lives.ts');
const { runSchedule } = await import('./random-schedule.ts');
const { startSimulatedDatabases } = await import('./simulated-databases.ts');
const { SimulatedPostgres } = await import('./simulated-postgres.ts');

const usage = `npm run simulate                                every death of every life, and random schedules
npm run simulate -- --seed 7 [--history FILE]   one random schedule again; --seed 1-8: all of these
npm run simulate -- --life plain                every death of one life; with --tier night, every pair of them
npm run simulate -- --life plain --deaths 3,17  one run of it, with --history FILE; or --outgrown 2
npm run simulate -- --tier night --minutes 60   every pair of deaths of every life, and schedules for an hour`;
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    life: { type: 'string' },
    deaths: { type: 'string' },
    outgrown: { type: 'string' },
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
/** The gate's first seeds are always the same. The others follow from the tree, so that each change has fresh ones. */
const fixedSeeds = 8;
const tasksInGate = 1_000;
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
  const { seed } = values;
  if (seed !== undefined) await check(`simulation/seed ${seed}`, () => schedules(seedsOf(seed)));
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
  if (values.tier === 'gate') {
    await check('simulation/random-schedule', () => schedules(seedsOfGate(), ({ tasks }) => tasks >= tasksInGate));
    return;
  }
  await check('simulation/same-history', sameHistory);
  const until = performance.now() + Number(values.minutes) * 60_000;
  await check('simulation/random-schedule', () => schedules(seedsFrom(testSeed), () => performance.now() >= until));
}

async function everyLife() {
  const objections: string[] = [];
  let schedules = 0;
  for (const life of lives) {
    const isInPairs = values.tier === 'night' || life.name === 'plain';
    const lived = await (isInPairs ? everyPairOfDeaths : everyDeath)(newPostgres, life);
    console.log(`${life.name}: ${lived.figures.places} places, ${lived.figures.schedules} schedules`);
    objections.push(...lived.objections);
    schedules += lived.figures.schedules;
  }
  return { objections, figures: { schedules } };
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

async function schedule(seed: number): Promise<RanSchedule> {
  const postgres = await newPostgres();
  try {
    return await runSchedule(postgres, { seed, tasks: tasksPerSchedule, record });
  } finally {
    await postgres.close();
  }
}

async function oneLife() {
  const life = lives.find(({ name }) => name === values.life);
  if (!life)
    throw new Error(`There is no life ${values.life}. The lives are: ${lives.map(({ name }) => name).join(', ')}.`);
  const deaths = values.deaths?.split(',').filter(Boolean).map(Number);
  const outgrown = values.outgrown === undefined ? null : Number(values.outgrown);
  if (deaths === undefined && outgrown === null)
    return (values.tier === 'night' ? everyPairOfDeaths : everyDeath)(newPostgres, life);
  return runOneLife(newPostgres, life, { deaths: deaths ?? [], outgrown }, record);
}

async function schedules(seeds: Iterable<number>, isEnough: (so: { tasks: number }) => boolean = () => false) {
  const objections: string[] = [];
  const figures = { schedules: 0, tasks: 0, deaths: 0, losses: 0, virtualMinutes: 0, failingSeeds: '' };
  let hash = '';
  for (const seed of seeds) {
    if (isEnough(figures)) break;
    const ran = await schedule(seed);
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

/** Runs a seed, other seeds in the same database server, and the first one again: then, and on another day. */
async function sameHistory() {
  const { hash } = await schedule(testSeed);
  await schedules([testSeed + 1, testSeed + 2]);
  const later = await schedule(testSeed);
  const restoreDay = moveToAnotherDay();
  const otherDay = await schedule(testSeed).finally(restoreDay);
  const differ = [later, otherDay].filter((ran) => ran.hash !== hash);
  return {
    objections: differ.map((ran) => `seed ${testSeed} had the hash ${hash}, then ${ran.hash}`),
    figures: { hash },
  };
}

/** Moves the clock of this process by more than a year. */
function moveToAnotherDay(): () => void {
  const RealDate = globalThis.Date;
  const ahead = 400 * 86_400_000;
  globalThis.Date = class extends RealDate {
    constructor(...parts: []) {
      super(...(parts.length === 0 ? ([RealDate.now() + ahead] as unknown as []) : parts));
    }
    static override now(): number {
      return RealDate.now() + ahead;
    }
  } as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
}

function* seedsOfGate(): Iterable<number> {
  for (let seed = 1; seed <= fixedSeeds; seed += 1) yield seed;
  const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: import.meta.dirname, encoding: 'utf8' });
  const fresh = Number.parseInt(tree.slice(0, 7), 16);
  console.log(`fresh seeds, from ${fresh} on`);
  yield* seedsFrom(fresh);
}

/** Reads a seed, or the first and the last of several. */
function seedsOf(text: string): number[] {
  const [first = Number.NaN, last = first] = text.split('-').map(Number);
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last))
    throw new Error(`--seed takes a number, or two with a dash, not "${text}"`);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function* seedsFrom(first: number): Iterable<number> {
  for (let seed = first; ; seed += 1) yield seed;
}
