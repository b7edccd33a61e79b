import { addCosts, type Cost } from './load-cost.ts';
import type { MeasuredLoad, SteadyLoad, Work } from './measure-load.ts';

/** Loads that differ in what there is most of. */
const quiet: SteadyLoad = { endpoints: 1, slots: 16, renderSeconds: 0.5, perSecond: 0, minutes: 2 };
const idleEndpoints: SteadyLoad = { ...quiet, endpoints: 40, slots: 4 };
const longJobs: SteadyLoad = { ...idleEndpoints, renderSeconds: 100, perSecond: 1, minutes: 3 };
const shortJobs: SteadyLoad = { ...quiet, perSecond: 3, minutes: 3 };

/** Measures what each piece of work costs, by the difference between loads. */
export async function unitsFrom(
  measure: (load: SteadyLoad) => Promise<MeasuredLoad>,
): Promise<Record<keyof Work, Cost>> {
  const perSecond = async (load: SteadyLoad) => {
    const { work, cost, errors } = await measure(load);
    if (errors.length > 0) throw new Error(errors[0]);
    const seconds = work.installationSeconds;
    return { cost: addCosts([1 / seconds, cost]), videos: work.videos / seconds, jobs: work.jobSeconds / seconds };
  };
  const nothing = await perSecond(quiet);
  const idle = await perSecond(idleEndpoints);
  const long = await perSecond(longJobs);
  const short = await perSecond(shortJobs);
  const perEndpoint = 1 / (idleEndpoints.endpoints - quiet.endpoints);
  const endpointSeconds = addCosts([perEndpoint, idle.cost], [-perEndpoint, nothing.cost]);
  const installationSeconds = addCosts([1, nothing.cost], [-quiet.endpoints, endpointSeconds]);
  // Two equations: what jobs and videos add to the idle costs of each load.
  const ofLong = addCosts([1, long.cost], [-1, idle.cost]);
  const ofShort = addCosts([1, short.cost], [-1, nothing.cost]);
  const determinant = long.jobs * short.videos - short.jobs * long.videos;
  return {
    installationSeconds,
    endpointSeconds,
    jobSeconds: addCosts([short.videos / determinant, ofLong], [-long.videos / determinant, ofShort]),
    videos: addCosts([long.jobs / determinant, ofShort], [-short.jobs / determinant, ofLong]),
  };
}
