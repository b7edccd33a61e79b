import { spawn } from 'node:child_process';
import { eventually } from '@kinora/stack/harness/eventually';
import headless from '@xterm/headless';
import { onTestFinished } from 'vitest';

interface RecordOptions {
  columns?: number;
  rows?: number;
  environment: Record<string, string>;
  cwd: string;
}

/** A command in a pseudo-terminal, as a user sees it. */
export interface Recording {
  /** Every distinct screen so far, the newest last. */
  frames: string[];
  /** Returns the current screen, including the lines that have scrolled away. */
  screen(): string;
  /** Returns the lines that were longer than the terminal is wide, so that they continue in the next row. */
  wrappedLines(): string[];
  /** Waits until the screen matches this pattern, and returns the screen. */
  waitFor(pattern: RegExp): Promise<string>;
  /** Presses keys; `\x03` is Ctrl-C. */
  press(keys: string): void;
  /** Waits until the command has ended, and returns its exit code and the last screen. */
  end(): Promise<{ code: number | null; screen: string }>;
}

/** Runs a command in a real pseudo-terminal (with `script`), and renders its output with a real terminal emulator. */
export function record(command: string[], options: RecordOptions): Recording {
  const { columns = 80, rows = 24, environment, cwd } = options;
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 500 });
  const line = `stty cols ${columns} rows ${rows}; exec ${command.map(quote).join(' ')}`;
  // -e returns the exit code of the command; -f flushes the output after every write.
  const process = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd,
    env: { ...environment, TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const frames: string[] = [];
  const screen = () => screenOf(terminal);
  process.stdout.on('data', (bytes: Buffer) => {
    for (const drawing of drawingsOf(bytes))
      terminal.write(drawing, () => {
        if (screen() !== frames.at(-1)) frames.push(screen());
      });
  });
  const closed = new Promise<number | null>((resolve) => process.on('close', resolve));
  // If the test fails, the command must not keep waiting for input.
  onTestFinished(() => void process.kill('SIGKILL'));
  return {
    frames,
    screen,
    wrappedLines: () => wrappedLinesOf(terminal),
    waitFor: (pattern) =>
      eventually(`${pattern} on the screen`, async () => pattern.test(screen()) && screen(), {
        everyMilliseconds: 20,
      }).catch((error: unknown) => {
        throw new Error(`${pattern} did not appear; the screen shows:\n${screen()}`, { cause: error });
      }),
    press: (keys) => void process.stdin.write(keys),
    async end() {
      const code = await closed;
      // Writes are queued: an empty write finishes once everything before it is on the screen.
      await new Promise<void>((resolve) => terminal.write('', resolve));
      return { code, screen: screen() };
    },
  };
}

/** Splits output where the cursor goes up, since each live drawing begins there. A busy machine reads several at once. */
function drawingsOf(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1'); // keeps every byte, also half a character at the end
  return text.split(/(?=\p{Cc}\[\d+A)/u).map((drawing) => Buffer.from(drawing, 'latin1'));
}

function screenOf({ buffer: { active } }: InstanceType<typeof headless.Terminal>): string {
  const lines = Array.from(
    { length: active.length },
    (_, index) => active.getLine(index)?.translateToString(true) ?? '',
  );
  return lines.join('\n').trimEnd();
}

function wrappedLinesOf({ buffer: { active } }: InstanceType<typeof headless.Terminal>): string[] {
  const rows = Array.from({ length: active.length }, (_, index) => active.getLine(index));
  return rows.flatMap((row, index) => {
    const isWrapped = !row?.isWrapped && rows[index + 1]?.isWrapped;
    return isWrapped ? [row?.translateToString(true) ?? ''] : [];
  });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
