import { describe, expect, test } from 'vitest';
import { logEvents as animaticEvents } from '../animatic/src/log-events.ts';
import { renderLogsPage } from '../scripts/render-logs-page.ts';
import { logEvents as serverEvents } from '../server/src/telemetry/log-events.ts';
import { projectFiles, readText } from './project-files.fixture.ts';

// Operators and proofs match the `event` of a log line. The compiler refuses a call of our own log without one. These
// tests forbid the ways around it, and keep the tables, the document and the calls in agreement.

const programs = [
  { name: 'kinora-server', folder: 'server/src/', table: 'server/src/telemetry/log-events.ts', events: serverEvents },
  { name: 'kinora-animatic', folder: 'animatic/src/', table: 'animatic/src/log-events.ts', events: animaticEvents },
];
const logFiles = ['server/src/telemetry/log.ts', 'animatic/src/log.ts'];
const sources = projectFiles('server/src/*.ts', 'animatic/src/*.ts');

describe.each(programs)('the events of $name', ({ folder, table, events }) => {
  const entries = Object.entries(events);

  test('log events are named object.outcome in lower case', () => {
    expect(entries.filter(([event]) => !/^[a-z_]+\.[a-z_]+$/.test(event))).toEqual([]);
  });

  test('every event in the table is logged somewhere', () => {
    const code = sources
      .filter((path) => path.startsWith(folder) && path !== table && !path.endsWith('.test.ts'))
      .map(readText)
      .join('\n');
    expect(entries.map(([event]) => event).filter((event) => !code.includes(`'${event}'`))).toEqual([]);
  });
});

test('docs/operations/logs.md lists every event with its usual level and its meaning', () => {
  expect(readText('docs/operations/logs.md')).toBe(renderLogsPage());
});

describe('every log call has an event', () => {
  test('only the two log modules import pino', () => {
    const importers = sources.filter((path) => /from 'pino'|import\('pino'\)|require\('pino'\)/.test(readText(path)));
    expect(importers.toSorted()).toEqual(logFiles.toSorted());
  });

  test('no file casts or destructures a log', () => {
    const escape = /\blog as |\bas (unknown as )?Log\b|\} = (\w+\.)*log;/;
    expect(sources.filter((path) => escape.test(readText(path)))).toEqual([]);
    expect('(log as unknown as { info(): void }).info()').toMatch(escape);
    expect('console as Log').toMatch(escape);
    expect('const { info } = parts.log;').toMatch(escape);
  });

  test('every log call begins with an event', () => {
    const calls = sources.filter((path) => !path.endsWith('.test.ts')).flatMap((path) => callsOf(path, readText(path)));
    expect(calls.length).toBeGreaterThan(60);
    expect(calls.filter(({ hasEvent }) => !hasEvent).map(({ place }) => place)).toEqual([]);
  });

  test('the check finds a log call without an event', () => {
    const found = (code: string) => callsOf('a.ts', code).map(({ hasEvent }) => hasEvent);
    expect(found("log.info({ event: 'a.b', id }, 'x')")).toEqual([true]);
    expect(found("parts.log[level](\n  {\n    event: 'a.b' },\n 'x')")).toEqual([true]);
    expect(found("log.warn({ err: error }, 'x')")).toEqual([false]);
    expect(found("dependencies.log.error('x')")).toEqual([false]);
    expect(found("console.log('x'); Math.log(2);")).toEqual([]);
  });
});

/** Returns the calls of a log's methods, and whether their first argument begins with `{ event`. */
function callsOf(path: string, code: string): { place: string; hasEvent: boolean }[] {
  const call = /\blog(?:\.(?:trace|debug|info|warn|error|fatal)|\[\w+\])\(\s*(?<first>\{\s*[\w.]+)?/g;
  return [...code.matchAll(call)].map(({ index, groups }) => ({
    place: `${path}:${code.slice(0, index).split('\n').length}`,
    hasEvent: /^\{\s*event$/.test(groups?.['first'] ?? ''),
  }));
}
