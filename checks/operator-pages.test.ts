import { expect, test } from 'vitest';
import { auditActions } from '../server/src/domain/audit-event.ts';
import { projectFiles, readText } from './project-files.fixture.ts';

// What these pages say of each name is written by hand, so a name can be missing or stale.

const namesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];
const firstColumn = (page: string): string => page.match(/^\| [^|]*\|/gm)?.join('\n') ?? '';

const monitoring = firstColumn(readText('docs/operations/monitoring.md'));

test('docs/operations/monitoring.md has every metric, and no other', () => {
  const metrics = namesIn(readText('server/src/telemetry/metrics.ts'), /'(kinora_\w+)'/g);
  expect(metrics.length).toBeGreaterThan(8);
  expect(namesIn(monitoring, /`(kinora_\w+)`/g).toSorted()).toEqual(metrics.toSorted());
});

test('docs/operations/monitoring.md has every kind of finding, and no other', () => {
  const types = projectFiles('server/src/operations/*.ts').map(readText).join('\n');
  const kinds = namesIn(types, /^ +\| \{ kind: '([a-z-]+)'; (?:projectId|taskId|deliveryId)/gm);
  expect(kinds).toContain('delivery-restarted');
  const [, findings = ''] = monitoring.split('`kind` of a finding');
  expect(namesIn(findings.split('Field')[0] ?? '', /`([a-z-]+)`/g).toSorted()).toEqual(kinds.toSorted());
});

test('docs/operations/audit-log.md has every action, and no other', () => {
  const page = firstColumn(readText('docs/operations/audit-log.md'));
  expect(namesIn(page, /`([a-z_]+\.[a-z_]+)`/g).toSorted()).toEqual([...auditActions].toSorted());
});
