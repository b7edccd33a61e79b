import { expect, it } from 'vitest';
import { addCosts, type Cost } from './load-cost.ts';
import type { SteadyLoad, Work } from './measure-load.ts';
import { unitsFrom } from './units-from.ts';

const cost = (factor: number): Cost => ({
  api: factor,
  relay: 2 * factor,
  worker: 3 * factor,
  media: 4 * factor,
  postgres: 5 * factor,
  temporal: 6 * factor,
  store: 7 * factor,
  walBytes: 8 * factor,
  commits: 9 * factor,
  statements: 10 * factor,
  databaseBytes: 11 * factor,
});
const units: Record<keyof Work, Cost> = {
  installationSeconds: cost(5),
  endpointSeconds: cost(0.1),
  jobSeconds: cost(0.3),
  videos: cost(70),
};

async function measure({ endpoints, perSecond, renderSeconds, minutes }: SteadyLoad) {
  const seconds = minutes * 60;
  const work: Work = {
    installationSeconds: seconds,
    endpointSeconds: endpoints * seconds,
    jobSeconds: perSecond * renderSeconds * seconds,
    videos: perSecond * seconds,
  };
  const names = Object.keys(work) as (keyof Work)[];
  return { work, cost: addCosts([0, cost(0)], ...names.map((name) => [work[name], units[name]] as const)), errors: [] };
}

it('what each piece of work costs is found from loads that do different work', async () => {
  const found = await unitsFrom(measure);
  for (const name of Object.keys(units) as (keyof Work)[])
    for (const figure of Object.keys(units[name]) as (keyof Cost)[])
      expect(found[name][figure]).toBeCloseTo(units[name][figure], 6);
});

it('a load in which tasks went wrong says nothing', async () => {
  await expect(unitsFrom(async (load) => ({ ...(await measure(load)), errors: ['lost'] }))).rejects.toThrow('lost');
});
