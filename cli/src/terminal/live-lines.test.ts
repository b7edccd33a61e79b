import { PassThrough } from 'node:stream';
import headless from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { createLiveLines } from './live-lines.ts';

/** Creates a real terminal emulator and a stream that writes to it. */
function createTerminal(columns: number, rows: number) {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  const stream = Object.assign(new PassThrough(), { columns, rows });
  stream.on('data', (bytes: Buffer) => terminal.write(bytes));
  const screen = async () => {
    await new Promise<void>((resolve) => setImmediate(() => terminal.write('', resolve)));
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, index) => active.getLine(index)?.translateToString(true));
    return lines.join('\n').trimEnd().split('\n');
  };
  const resize = (width: number) => {
    terminal.resize(width, rows);
    stream.columns = width;
  };
  return { live: createLiveLines(stream), stream, screen, resize };
}

describe('live lines', () => {
  test('live lines are overwritten even by fewer lines, and the final ones stay on the screen', async () => {
    const { live, screen, stream } = createTerminal(40, 10);
    stream.write('before\n');
    live.show(() => ['one', 'two', 'three']);
    live.print('remark');
    live.show(() => ['last']);
    live.end();
    stream.write('after\n');
    expect(await screen()).toEqual(['before', 'remark', 'last', 'after']);
  });

  test('live lines never exceed the rows of the terminal, and the last line is always visible', async () => {
    const { live, screen } = createTerminal(40, 6);
    const lines = [...Array.from({ length: 20 }, (_, index) => `lane ${index}`), '3 of 20 done'];
    for (let count = 0; count < 3; count++) {
      live.show(() => lines);
      live.print(`remark ${count}`);
    }
    live.end();
    const seen = await screen();
    expect(seen.slice(-5)).toEqual(['lane 0', 'lane 1', 'lane 2', '… and 17 more', '3 of 20 done']);
    expect(seen.filter((line) => line.startsWith('3 of'))).toHaveLength(1);
    expect(seen.filter((line) => line.startsWith('remark'))).toHaveLength(3);
  });

  test('live lines are cut at the terminal width, with and without colours', async () => {
    const { live, screen } = createTerminal(11, 5);
    live.show(() => ['船船船船船船船', '\x1b[36mabcdefghijklmno\x1b[39m', '\x1b[36mabc\x1b[39m']);
    live.end();
    expect(await screen()).toEqual(['船船船船…', 'abcdefghi…', 'abc']);
  });

  test('live lines are overwritten correctly after the terminal became narrower', async () => {
    const { live, screen, stream, resize } = createTerminal(40, 10);
    stream.write('before\n');
    live.show(() => ['a line of thirty signs, just so']);
    live.print('remark');
    await screen();
    resize(20);
    live.show((columns) => [`for ${columns}`]);
    live.end();
    expect(await screen()).toEqual(['before', 'remark', 'for 20']);
  });

  test('live lines pause while a question is open, and continue below it', async () => {
    const { live, screen, stream } = createTerminal(40, 10);
    live.show(() => ['bar']);
    live.print('remark');
    live.pause();
    stream.write('Cancel? ');
    live.show(() => ['bar, further']);
    live.end();
    expect(await screen()).toEqual(['remark', 'bar', 'Cancel?']);
    stream.write('y\n');
    live.resume();
    live.end();
    expect(await screen()).toEqual(['remark', 'bar', 'Cancel? y', 'bar, further']);
  });
});
