import { ChartColumn, Sheet } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';
import { drawPlot } from './plot-canvas.ts';
import { bucketLabel, mixed } from './plot-data.ts';
import { Table } from './table.tsx';

/** How a series looks: a colour with a meaning, or the nth of the colours that have none. */
type PlotTone = 'done' | 'cancelled' | { failed: number; of: number } | { nth: number };

export interface PlotSeries {
  name: string;
  values: readonly (number | null)[];
  tone: PlotTone;
  isDashed?: boolean;
}

interface PlotProps {
  title: string;
  /** What the vertical axis measures, with its unit: `Tasks per day`. */
  unit: string;
  kind: 'bars' | 'lines';
  starts: readonly number[];
  bucketSeconds: number;
  series: readonly PlotSeries[];
  format: (value: number) => string;
  /** The distances between marks of the vertical axis that read well. */
  steps?: readonly number[];
  /** Stands in the legend while no bucket is pointed at. */
  summaryOf: (series: PlotSeries) => string;
  /** Says what the summary is: `Sum of the period`. */
  summaryName: string;
  note?: ReactNode;
}

const height = 220;

/** Values over time, as a plot or as a table. The legend shows the values of the bucket under the cursor. */
export function Plot(props: PlotProps) {
  const { title, unit, kind, starts, bucketSeconds, series, format, summaryOf, summaryName, note } = props;
  const [isTable, setIsTable] = useState(false);
  const [cursor, setCursor] = useState<number | null>(null);
  const colours = useColours();
  const at = cursor !== null && cursor < starts.length ? cursor : null;
  const drawn = series.map((one) => ({ ...one, colour: colourOf(one.tone, colours) }));
  const when = at === null ? summaryName : bucketLabel(starts[at] ?? 0, bucketSeconds);
  return (
    <figure className="min-w-0">
      <figcaption className="flex items-start gap-2">
        <div className="min-w-0 grow">
          <h3 className="font-semibold">{title}</h3>
          <p className="text-small text-quiet">{unit}</p>
        </div>
        <IconButton
          label={isTable ? `Show ${title} as a plot` : `Show ${title} as a table`}
          aria-pressed={isTable}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? <ChartColumn /> : <Sheet />}
        </IconButton>
      </figcaption>
      {isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <div className="mt-2 max-h-64 overflow-y-auto" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          <Table
            caption={`${title}: ${unit}`}
            rows={starts.map((start, index) => ({ start, index })).toReversed()}
            keyOf={({ start }) => String(start)}
            columns={[
              { head: 'From (UTC)', cell: ({ start }) => bucketLabel(start, bucketSeconds) },
              ...series.map((one) => ({
                head: one.name,
                isNumber: true,
                cell: ({ index }: { index: number }) => valueText(one.values[index], format),
              })),
            ]}
          />
        </div>
      ) : (
        <>
          <div
            role="img"
            aria-label={`${title}. ${unit}. ${summaryName}: ${series.map((one) => `${one.name} ${summaryOf(one)}`).join(', ')}.`}
          >
            <Canvas {...props} series={drawn} kind={kind} colours={colours} onCursor={setCursor} />
          </div>
          <div className="mt-1 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-small">
            <span className="basis-full text-quiet">{when}</span>
            {drawn.map((one) => (
              <span key={one.name} className="inline-flex max-w-full items-center gap-1.5">
                <span
                  aria-hidden="true"
                  className="h-2 w-2 shrink-0 rounded-small"
                  style={{ background: one.colour }}
                />
                <span className="truncate text-quiet">{one.name}</span>
                <span className="font-mono whitespace-nowrap">
                  {at === null ? summaryOf(one) : valueText(one.values[at], format)}
                </span>
              </span>
            ))}
          </div>
        </>
      )}
      {note && <p className="mt-1 text-small text-quiet">{note}</p>}
    </figure>
  );
}

type Colours = Readonly<Record<(typeof tokens)[number], string>>;
type CanvasProps = Omit<Parameters<typeof drawPlot>[1], 'width' | 'height'>;

function Canvas({ kind, starts, bucketSeconds, series, format, steps, colours, onCursor }: CanvasProps) {
  const ref = useRef<HTMLDivElement>(null);
  // Pages make new ones with every render; the plot is drawn again only if something in them has changed.
  const key = JSON.stringify([kind, starts, bucketSeconds, series, colours]);
  const input = useRef({ format, steps, onCursor });
  input.current = { format, steps, onCursor };
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const [kind, starts, bucketSeconds, series, colours] = JSON.parse(key);
    const { format, steps } = input.current;
    const plot = drawPlot(element, {
      kind,
      starts,
      bucketSeconds,
      series,
      colours,
      format,
      steps,
      height,
      width: element.clientWidth || 300,
      onCursor: (index) => input.current.onCursor(index),
    });
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [key]);
  return <div ref={ref} className="mt-1 overflow-hidden" style={{ height }} />;
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

const tokens = [
  'line',
  'quiet',
  'ground',
  'ink',
  'done',
  'failed',
  'plot-1',
  'plot-2',
  'plot-3',
  'plot-4',
  'plot-5',
] as const;

function colourOf(tone: PlotTone, colours: Colours): string {
  if (tone === 'done') return colours.done;
  if (tone === 'cancelled') return mixed(colours.quiet, colours.ground, 0.7);
  // Failures are all red; the more frequent the code, the stronger.
  if ('failed' in tone) return mixed(colours.failed, colours.ground, 1 - (0.65 * tone.failed) / Math.max(1, tone.of));
  return colours[(['plot-1', 'plot-2', 'plot-3', 'plot-4', 'plot-5'] as const)[tone.nth] ?? 'quiet'];
}

/** Returns the colours of the present theme. A canvas cannot read the variables of CSS. */
function useColours(): Colours {
  const theme = useSyncExternalStore(
    (listener) => {
      const observer = new MutationObserver(listener);
      observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
      return () => observer.disconnect();
    },
    () => document.documentElement.dataset['theme'] ?? 'dark',
  );
  const [known, setKnown] = useState(() => ({ theme, colours: readColours() }));
  if (known.theme === theme) return known.colours;
  const next = { theme, colours: readColours() };
  setKnown(next);
  return next.colours;
}

function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(tokens.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}
