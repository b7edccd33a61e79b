import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { stacked, timeLabel, timeSteps } from './plot-data.ts';

export interface CanvasInput {
  kind: 'bars' | 'lines';
  /** The starts of the buckets, in unix seconds. */
  starts: readonly number[];
  bucketSeconds: number;
  series: readonly { values: readonly (number | null)[]; colour: string; isDashed?: boolean }[];
  /** Formats a mark of the vertical axis, with its unit. */
  format: (value: number) => string;
  steps?: readonly number[] | undefined;
  colours: { line: string; quiet: string; ground: string };
  width: number;
  height: number;
  /** Gets the index of the bucket under the cursor; null if there is none. */
  onCursor: (index: number | null) => void;
}

/** Draws a plot. Plots on one page share the cursor, so that one moment can be compared in all of them. */
export function drawPlot(element: HTMLElement, input: CanvasInput): uPlot {
  const { kind, starts, bucketSeconds, series, format, steps, colours, onCursor } = input;
  const isBars = kind === 'bars';
  const values = isBars ? stacked(series.map((one) => one.values)) : series.map((one) => [...one.values]);
  // The tallest bars are drawn first, and the parts below over them.
  const order = series.map((_, index) => index);
  if (isBars) order.reverse();
  const half = bucketSeconds / 2;
  const axis: uPlot.Axis = {
    font: '12px "Instrument Sans Variable", sans-serif',
    stroke: colours.quiet,
    ticks: { show: false },
    grid: { stroke: colours.line, width: 1 },
  };
  return new uPlot(
    {
      width: input.width,
      height: input.height,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false },
        points: isBars ? { show: false } : { size: 6 },
        sync: { key: 'kinora' },
      },
      scales: {
        x: { time: false, range: () => [(starts[0] ?? 0) - half, (starts.at(-1) ?? 0) + half] },
        y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 64,
          size: 28,
          incrs: timeSteps(bucketSeconds),
          values: (_plot, splits) => splits.map(timeLabel),
        },
        {
          ...axis,
          space: 36,
          size: (_plot, labels) => 16 + 6.6 * Math.max(4, ...(labels ?? []).map((label) => label.length)),
          values: (_plot, splits) => splits.map((value) => format(value)),
          ...(steps ? { incrs: [...steps] } : {}),
        },
      ],
      series: [
        {},
        ...order.map((index): uPlot.Series => {
          const { colour = colours.quiet, isDashed = false } = series[index] ?? {};
          if (isBars) {
            const paths = uPlot.paths.bars?.({ size: [0.72, 48], radius: 0 });
            return { stroke: colour, fill: colour, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
          }
          return {
            stroke: colour,
            width: 1.75,
            ...(isDashed ? { dash: [5, 4] } : {}),
            // A point alone would have no line to be seen by.
            points: { size: 4, fill: colour },
            spanGaps: true,
          };
        }),
      ],
      hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
    },
    [[...starts], ...order.map((index) => values[index] ?? [])] as uPlot.AlignedData,
    element,
  );
}
