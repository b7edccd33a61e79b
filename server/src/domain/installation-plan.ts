/** What an installation is to carry. Each GPU is an endpoint that renders one video at a time. */
export interface PlannedLoad {
  videosPerDay: number;
  gpus: number;
  renderSeconds: number;
  videoMegabytes: number;
}

/** CPU seconds per part, and what is written. */
export interface Cost {
  api: number;
  relay: number;
  worker: number;
  media: number;
  postgres: number;
  temporal: number;
  store: number;
  /** Of Kinora and of Temporal together, without the page images after checkpoints. */
  walBytes: number;
  commits: number;
  /** Sent to Kinora's database. */
  statements: number;
  /** By which Kinora's database grows. */
  databaseBytes: number;
}

/** What there is to pay for. A video has five reads, two webhooks and an open stream. */
export interface Work {
  installationSeconds: number;
  endpointSeconds: number;
  jobSeconds: number;
  videos: number;
}

/**
 * Printed by `npm run bench -- plan --full`, which says 0 or less of what is lost in noise. Only the growth of the database
 * comes from runs of 10 and 60 minutes: tables of a few minutes are half empty pages.
 */
export const unitCosts: Readonly<Record<keyof Work, Cost>> = {
  installationSeconds: {
    api: 0.0047,
    relay: 0.0084,
    worker: 0.0084,
    media: 0,
    postgres: 0.012,
    temporal: 0.02,
    store: 0.00016,
    walBytes: 2220,
    commits: 2.1,
    statements: 15,
    databaseBytes: 0,
  },
  endpointSeconds: {
    api: 0,
    relay: 0,
    worker: 0.00035,
    media: 0,
    postgres: 0,
    temporal: 0,
    store: 0.000002,
    walBytes: 0,
    commits: 0,
    statements: 0.044,
    databaseBytes: 0,
  },
  jobSeconds: {
    api: 0.000053,
    relay: 0,
    worker: 0.0012,
    media: 0,
    postgres: 0.000013,
    temporal: 0,
    store: 0,
    walBytes: 137,
    commits: 0.078,
    statements: 0.094,
    databaseBytes: 5,
  },
  videos: {
    api: 0.031,
    relay: 0.00025,
    worker: 0.098,
    media: 0.04,
    postgres: 0.067,
    temporal: 0.049,
    store: 0.0032,
    walBytes: 110_000,
    commits: 29,
    statements: 68,
    databaseBytes: 3800,
  },
};

/** What one cell carries: one Postgres, one Temporal, one bucket. */
const cellLimits = { videosPerDay: 3_000_000, endpoints: 10_000 };
/** The load at the peak, and after the loss of a machine, is this many times the mean. */
const reserve = 2;
/** More than one process of each role only helps whoever must not stop when one machine does. */
const gpusThatMayStop = 9;
const endpointsPerWorker = 1_000;
const retentionDays = { videos: 7, records: 30 };
/** Images of pages after checkpoints add up to this much to the log. */
const pageImageFactor = 1.6;
const connectionsOf = { api: 26, relay: 21, worker: 21, temporal: 25 };
const gigabytesOf = { api: 0.5, relay: 1, worker: 1, temporal: 1 };
const daySeconds = 86_400;

/** The figures are of the whole installation, but for those that name a cell. */
export interface InstallationPlan {
  videosPerSecond: number;
  runningJobs: number;
  cells: number;
  perCell: {
    processes: Record<keyof typeof gigabytesOf, number>;
    cores: number;
    coresToProvide: number;
    memoryGigabytes: number;
    connections: number;
    statementsPerSecond: number;
    commitsPerSecond: number;
    walMegabytesPerSecond: number;
  };
  walGigabytesPerDay: { least: number; most: number };
  databaseGigabytes: number;
  bucketTerabytes: number;
  /** What the store takes in, and what callers fetch once. */
  videoMegabitsPerSecond: number;
}

/** Returns what this work costs. */
export function costOf(work: Work): Cost {
  const total = { ...unitCosts.videos };
  const kinds = Object.keys(work) as (keyof Work)[];
  for (const name of Object.keys(total) as (keyof Cost)[])
    total[name] = kinds.reduce((sum, kind) => sum + work[kind] * unitCosts[kind][name], 0);
  return total;
}

/** Returns how many videos a day these GPUs render if they never wait. */
export function mostVideosPerDay({ gpus, renderSeconds }: Pick<PlannedLoad, 'gpus' | 'renderSeconds'>): number {
  return Math.floor((gpus * daySeconds) / renderSeconds);
}

/** Computes what a load needs from what its parts cost. */
export function planInstallation(load: PlannedLoad): InstallationPlan {
  const { videosPerDay, gpus, renderSeconds, videoMegabytes } = load;
  const videosPerSecond = videosPerDay / daySeconds;
  const runningJobs = videosPerSecond * renderSeconds;
  const cells = Math.max(1, Math.ceil(videosPerDay / cellLimits.videosPerDay), Math.ceil(gpus / cellLimits.endpoints));
  const cost = costOf({
    installationSeconds: 1,
    endpointSeconds: gpus / cells,
    jobSeconds: runningJobs / cells,
    videos: videosPerSecond / cells,
  });
  const least = gpus > gpusThatMayStop ? 2 : 1;
  const processesFor = (cores: number) => Math.max(least, Math.ceil(reserve * cores));
  const processes = {
    api: processesFor(cost.api),
    relay: processesFor(cost.relay),
    worker: Math.max(processesFor(cost.worker), Math.ceil(gpus / cells / endpointsPerWorker)),
    temporal: Math.max(1, Math.ceil((reserve * cost.temporal) / 2)),
  };
  const names = Object.keys(processes) as (keyof typeof processes)[];
  const sumOf = (each: Record<keyof typeof processes, number>) =>
    names.reduce((sum, name) => sum + processes[name] * each[name], 0);
  const cores = cost.api + cost.relay + cost.worker + cost.media + cost.postgres + cost.temporal + cost.store;
  const walPerDay = (cost.walBytes * cells * daySeconds) / 1e9;
  const databaseGigabytes = (cost.databaseBytes * cells * daySeconds * retentionDays.records) / 1e9;
  return {
    videosPerSecond,
    runningJobs,
    cells,
    perCell: {
      processes,
      cores,
      coresToProvide: Math.max(2 * least, Math.ceil(reserve * cores)),
      memoryGigabytes: Math.ceil(sumOf(gigabytesOf) + postgresGigabytes(databaseGigabytes / cells)),
      connections: sumOf(connectionsOf),
      statementsPerSecond: cost.statements,
      commitsPerSecond: cost.commits,
      walMegabytesPerSecond: cost.walBytes / 1e6,
    },
    walGigabytesPerDay: { least: walPerDay, most: pageImageFactor * walPerDay },
    databaseGigabytes,
    bucketTerabytes: (videosPerDay * retentionDays.videos * videoMegabytes) / 1e6,
    videoMegabitsPerSecond: videosPerSecond * videoMegabytes * 8,
  };
}

/** A sixth of the database, as a power of two, up to the memory of a usual server. */
function postgresGigabytes(databaseGigabytes: number): number {
  return Math.min(64, 2 ** Math.max(0, Math.ceil(Math.log2(databaseGigabytes / 6))));
}
