import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planRows } from '../server/src/commands/plan-command.ts';
import { type Cost, mostVideosPerDay, planInstallation, unitCosts } from '../server/src/domain/installation-plan.ts';

const renderSeconds = 60;
const videoMegabytes = 5;
const sizes: Record<string, { gpus: number; videosPerDay?: number }> = {
  '1 GPU': { gpus: 1 },
  '10 GPUs': { gpus: 10 },
  '100 GPUs': { gpus: 100 },
  '1,000 GPUs': { gpus: 1_000 },
  '10⁴ GPUs': { gpus: 10_000 },
  '10⁵ GPUs': { gpus: 100_000 },
  '10 million videos a day': { gpus: 7_000, videosPerDay: 10_000_000 },
};

/** Renders docs/scale.md: writes the tables that are computed into the text around them. */
export function renderScalePage(root: string): string {
  const text = readFileSync(join(root, 'docs/scale.md'), 'utf8');
  const tables = { sizes: sizesTable(), units: unitsTable() };
  return text.replaceAll(
    /(<!-- begin (\w+): written by npm run fix -->\n)[^]*?(<!-- end \w+ -->)/g,
    (_all, begin: string, name: keyof typeof tables, end: string) => `${begin}${tables[name]}${end}`,
  );
}

function sizesTable(): string {
  const plans = Object.values(sizes).map(({ gpus, videosPerDay }) =>
    planRows(
      planInstallation({
        gpus,
        renderSeconds,
        videoMegabytes,
        videosPerDay: videosPerDay ?? mostVideosPerDay({ gpus, renderSeconds }),
      }),
    ),
  );
  const rows = (plans[0] ?? []).map(([name], row) => [name, ...plans.map((plan) => plan[row]?.[1] ?? '')]);
  return tableOf(['', ...Object.keys(sizes)], rows);
}

function unitsTable(): string {
  const units: [string, Cost, number][] = [
    ['a video', unitCosts.videos, 1],
    ['a running job, per minute', unitCosts.jobSeconds, 60],
    ['an endpoint, per minute', unitCosts.endpointSeconds, 60],
    ['an installation, per minute', unitCosts.installationSeconds, 60],
  ];
  const figures: [string, (cost: Cost) => number][] = [
    ['CPU of roles and media, ms', ({ api, relay, worker, media }) => 1_000 * (api + relay + worker + media)],
    ['CPU of Postgres and store, ms', ({ postgres, store }) => 1_000 * (postgres + store)],
    ['CPU of Temporal, ms', ({ temporal }) => 1_000 * temporal],
    ['WAL, kB', ({ walBytes }) => walBytes / 1_000],
    ['Commits', ({ commits }) => commits],
    ['Statements', ({ statements }) => statements],
    ['Growth of the database, kB', ({ databaseBytes }) => databaseBytes / 1_000],
  ];
  const rows = figures.map(([name, read]) => [
    name,
    ...units.map(([, cost, times]) => String(Number((times * read(cost)).toPrecision(2)))),
  ]);
  return tableOf(['', ...units.map(([name]) => name)], rows);
}

function tableOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
