import { SourceMap } from 'node:module';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { withoutPackages } from './source-maps.ts';

it('a map without packages has all positions of our own files, and none of packages', async () => {
  const { outputFiles } = await build({
    entryPoints: ['animatic/src/log.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    minifyWhitespace: true,
    sourcemap: 'external',
    outfile: 'out.js',
    write: false,
    conditions: ['kinora-source'],
  });
  const text = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const map = JSON.parse(text('.map'));
  const [whole, own] = [new SourceMap(map), new SourceMap(withoutPackages(map) as never)];
  const positions = text('out.js')
    .split('\n')
    .flatMap((code, line) => Array.from({ length: code.length }, (_, column) => [line, column] as const));
  const ownPositions = positions.filter(([line, column]) => {
    const expected = whole.findEntry(line, column);
    const found = own.findEntry(line, column);
    if (!('originalSource' in expected) || !expected.originalSource?.startsWith('animatic/')) {
      if ('originalSource' in found && found.originalSource) throw new Error(`${line}:${column} is of a package`);
      return false;
    }
    expect(found).toMatchObject({
      originalSource: expected.originalSource,
      originalLine: expected.originalLine,
      originalColumn: expected.originalColumn,
    });
    return true;
  });
  expect(ownPositions.length).toBeGreaterThan(100);
});
