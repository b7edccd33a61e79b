import { stripVTControlCharacters } from 'node:util';
import { cutTo, widthOf } from './text-width.ts';

const soonMilliseconds = 100;
const againMilliseconds = 1000;

/** What is drawn, for a terminal of this width. */
type Render = (columns: number) => readonly string[];

/** Lines at the end of a terminal that are written over and over. */
export interface LiveLines {
  /** Shows these instead of the ones before: soon, and again every second, so that times run on. */
  show(render: Render): void;
  /** Writes a line that stays, above the live ones. */
  print(line: string): void;
  /** Leaves the terminal to somebody else: to a question, say. */
  pause(): void;
  /** Goes on, below whatever was written meanwhile. */
  resume(): void;
  /** Shows the last state at once and leaves it there. */
  end(): void;
}

/** Draws at most ten times a second: whoever reports more often than that would only make it flicker. */
export function createLiveLines(stream: Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>): LiveLines {
  let render: Render = () => [];
  let drawn: readonly string[] = [];
  let isPaused = false;
  let soon: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;

  function draw(above: readonly string[] = []): void {
    stop();
    const columns = stream.columns || 80;
    const lines = keepWhatFits(render(columns), (stream.rows || 24) - 1).map((line) => cutLine(line, columns - 1));
    // The terminal may have become narrower since: a line that it wrapped takes more than one row.
    const up = drawn.reduce((rows, line) => rows + Math.max(1, Math.ceil(visibleWidth(line) / columns)), 0);
    stream.write(`${up > 0 ? `\x1b[${up}A` : ''}\x1b[0J${[...above, ...lines].map((line) => `${line}\n`).join('')}`);
    drawn = lines;
    again = setTimeout(draw, againMilliseconds).unref(); // the work keeps the program alive, not its display
  }

  function stop(): void {
    clearTimeout(soon);
    clearTimeout(again);
    soon = undefined;
  }

  return {
    show(next) {
      render = next;
      if (!isPaused) soon ??= setTimeout(draw, drawn.length === 0 ? 0 : soonMilliseconds);
    },
    print(line) {
      if (isPaused) stream.write(`${line}\n`);
      else draw([line]);
    },
    pause() {
      stop();
      isPaused = true;
      drawn = [];
    },
    resume() {
      isPaused = false;
      draw();
    },
    end() {
      if (!isPaused && (soon || drawn.length > 0)) draw();
      stop();
      drawn = [];
    },
  };
}

/** More lines than rows would scroll away, and the way back up would be wrong. The last line, which sums up, always stays. */
function keepWhatFits(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const kept = Math.max(0, rows - 2);
  return [...lines.slice(0, kept), `… and ${lines.length - 1 - kept} more`, ...lines.slice(-1)];
}

/** A line that wraps would be two. Colours are given up before that happens. */
function cutLine(line: string, width: number): string {
  return visibleWidth(line) <= width ? line : cutTo(stripVTControlCharacters(line), width);
}

function visibleWidth(line: string): number {
  return widthOf(stripVTControlCharacters(line));
}
