import { stripVTControlCharacters } from 'node:util';
import { cutTo, widthOf } from './text-width.ts';

const soonMilliseconds = 100;
const refreshMilliseconds = 1000;

/** Returns the lines to draw on a terminal of this width. */
type Render = (columns: number) => readonly string[];

/** Lines at the end of a terminal that are overwritten in place. */
export interface LiveLines {
  /** Replaces the lines within 100 ms, and redraws them every second so that times keep counting. */
  show(render: Render): void;
  /** Prints a permanent line above the live ones. */
  print(line: string): void;
  /** Stops drawing, so that other output such as a question can use the terminal. */
  pause(): void;
  /** Continues drawing below the output that was written during the pause. */
  resume(): void;
  /** Draws the last state at once and leaves it on the screen. */
  end(): void;
}

/** Creates live lines that are drawn at most ten times per second, because more would flicker. */
export function createLiveLines(stream: Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>): LiveLines {
  let render: Render = () => [];
  let drawn: readonly string[] = [];
  let isPaused = false;
  let soon: NodeJS.Timeout | undefined;
  let refresh: NodeJS.Timeout | undefined;

  function draw(above: readonly string[] = []): void {
    stop();
    const columns = stream.columns || 80;
    const lines = keepWhatFits(render(columns), (stream.rows || 24) - 1).map((line) => cutLine(line, columns - 1));
    // The terminal may have become narrower since the last drawing, so that a wrapped line takes more than one row.
    const up = drawn.reduce((rows, line) => rows + Math.max(1, Math.ceil(visibleWidth(line) / columns)), 0);
    stream.write(`${up > 0 ? `\x1b[${up}A` : ''}\x1b[0J${[...above, ...lines].map((line) => `${line}\n`).join('')}`);
    drawn = lines;
    refresh = setTimeout(draw, refreshMilliseconds).unref(); // the display must not keep the program alive
  }

  function stop(): void {
    clearTimeout(soon);
    clearTimeout(refresh);
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

/** Drops lines that would scroll away, where the cursor could not return to them; the last, the total, stays. */
function keepWhatFits(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const kept = Math.max(0, rows - 2);
  return [...lines.slice(0, kept), `… and ${lines.length - 1 - kept} more`, ...lines.slice(-1)];
}

/** Cuts a line that would wrap. A cut line loses its colours. */
function cutLine(line: string, width: number): string {
  return visibleWidth(line) <= width ? line : cutTo(stripVTControlCharacters(line), width);
}

function visibleWidth(line: string): number {
  return widthOf(stripVTControlCharacters(line));
}
