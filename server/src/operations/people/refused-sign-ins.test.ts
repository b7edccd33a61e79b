import { expect, test } from 'vitest';
import type { AuditEvent } from '../../domain/audit-event.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { createLog } from '../../telemetry/log.ts';
import { createRefusedSignIns } from './refused-sign-ins.ts';

test('guesses at unknown addresses write a bounded number of events, and those at known people write all', () => {
  const events: AuditEvent[] = [];
  const refused = createRefusedSignIns({
    db: { auditEvents: { insert: async (more: AuditEvent[]) => void events.push(...more) } as never },
    clock: clockAt(() => new Date('2026-11-18T12:00:00Z')),
    log: createLog({ level: 'silent', roles: ['test'] }),
  });
  const origin = { address: '192.0.2.1', userAgent: null, requestId: 'req_1' };
  for (let index = 0; index < 100; index += 1) {
    refused.note({ personId: null, email: `guess${index}@example.com`, origin });
    refused.note({ personId: 'person_1', email: 'ada@example.com', origin });
  }
  expect(events.filter(({ objectId }) => objectId === null)).toHaveLength(60);
  expect(events.filter(({ objectId }) => objectId === 'person_1')).toHaveLength(100);
  expect(JSON.stringify(events)).not.toContain('@example.com');
});
