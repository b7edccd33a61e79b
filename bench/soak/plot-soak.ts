import { type SoakSample, sampledRoles } from './soak-sample.ts';

interface Panel {
  title: string;
  lines: { label: string; values: number[] }[];
}

const colours = ['#2f62c9', '#b85c00', '#1f7f4c', '#8443b5'];
const columns = 2;
const panel = { width: 360, height: 150 };
/** The space around the lines of a panel: labels are above, at the left and at the right. */
const margin = { left: 42, right: 66, top: 26, bottom: 20 };
/** Enough to see a trend and a spike, and few enough for a small file. */
const mostPoints = 120;

/** Draws the run as small charts, each from 0 up, so that a flat line looks flat. */
export function plotSoak(samples: readonly SoakSample[], title: string): string {
  const shown = thinOut(samples);
  const panels = panelsOf(shown);
  const minutes = shown.map(({ seconds }) => seconds / 60);
  const width = columns * panel.width;
  const height = 30 + Math.ceil(panels.length / columns) * panel.height;
  const body = panels.map((one, index) => {
    const x = (index % columns) * panel.width;
    const y = 30 + Math.floor(index / columns) * panel.height;
    return `<g transform="translate(${x} ${y})">${drawPanel(one, minutes)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` font-family="sans-serif" font-size="11" fill="#333"><title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${margin.left}" y="20" font-size="13" font-weight="bold">${title}</text>`,
    ...body,
    '</svg>\n',
  ].join('\n');
}

function panelsOf(samples: readonly SoakSample[]): Panel[] {
  const line = (label: string, read: (sample: SoakSample) => number) => ({ label, values: samples.map(read) });
  return [
    { title: 'Memory, MB', lines: sampledRoles.map((role) => line(role, ({ megabytes }) => megabytes[role])) },
    { title: 'File descriptors', lines: sampledRoles.map((role) => line(role, (sample) => sample.descriptors[role])) },
    { title: 'Connections to Postgres', lines: [line('', ({ connections }) => connections)] },
    { title: 'Dead rows, % of all rows', lines: [line('', ({ deadShare }) => 100 * deadShare)] },
    { title: 'Database growth per task, kB', lines: [line('', ({ kilobytesPerTask }) => kilobytesPerTask)] },
    { title: 'Tables whose rows come and go, MB', lines: [line('', (sample) => sample.transientMegabytes)] },
    {
      title: 'Median response time, ms',
      lines: [line('create', (sample) => sample.createMilliseconds), line('read', (sample) => sample.readMilliseconds)],
    },
    { title: 'Median from create to completed, ms', lines: [line('', ({ taskMilliseconds }) => taskMilliseconds)] },
  ];
}

function drawPanel({ title, lines }: Panel, minutes: readonly number[]): string {
  const plot = { width: panel.width - margin.left - margin.right, height: panel.height - margin.top - margin.bottom };
  const top = niceCeiling(Math.max(...lines.flatMap(({ values }) => values)));
  const end = Math.max(...minutes, 1e-9);
  const xOf = (minute: number): number => margin.left + (plot.width * minute) / end;
  const yOf = (value: number): number => margin.top + plot.height * (1 - value / top);
  const grid = [0, top / 2, top].map(
    (value) =>
      `<path d="M${margin.left} ${yOf(value)}h${plot.width}" stroke="#ddd"/>` +
      `<text x="${margin.left - 5}" y="${yOf(value) + 4}" text-anchor="end" fill="#666">${format(value)}</text>`,
  );
  const labelYs = spread(lines.map(({ values }) => yOf(values.at(-1) ?? 0)));
  const drawn = lines.map(({ label, values }, index) => {
    const points = values.map((value, at) => `${xOf(minutes[at] ?? 0).toFixed(1)},${yOf(value).toFixed(1)}`);
    const colour = colours[index % colours.length];
    return (
      `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.join(' ')}"/>` +
      `<text x="${margin.left + plot.width + 5}" y="${(labelYs[index] ?? 0) + 4}" fill="${colour}">${label}</text>`
    );
  });
  const axis =
    `<text x="${margin.left}" y="${panel.height - 6}" fill="#666">0</text>` +
    `<text x="${margin.left + plot.width}" y="${panel.height - 6}" text-anchor="end" fill="#666">${format(end)} min</text>`;
  return `<text x="${margin.left}" y="16" font-weight="bold">${title}</text>${grid.join('')}${drawn.join('')}${axis}`;
}

/** Moves labels apart that would overlap, from the top down. */
function spread(ys: readonly number[]): number[] {
  const placed = new Map<number, number>();
  let lowest = Number.NEGATIVE_INFINITY;
  for (const [index, y] of [...ys.entries()].sort(([, one], [, other]) => one - other)) {
    lowest = Math.max(y, lowest + 12);
    placed.set(index, lowest);
  }
  return ys.map((y, index) => placed.get(index) ?? y);
}

/** Returns the next of 1, 2, 4, 6 or 10 times a power of ten. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 6, 10].find((factor) => factor * power >= value) ?? 10);
}

function format(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function thinOut(samples: readonly SoakSample[]): SoakSample[] {
  const step = Math.ceil(samples.length / mostPoints);
  return samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
}
