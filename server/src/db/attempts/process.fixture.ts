import { randomUUID } from 'node:crypto';
import type { ProcessReport, ReportedProcess } from './process-table.ts';

/** A worker that reports itself now. */
export function plainProcess(change: Partial<ReportedProcess & ProcessReport> = {}): ReportedProcess & ProcessReport {
  return {
    id: randomUUID(),
    roles: ['worker'],
    version: '0.1.0',
    host: 'gpu-1',
    aheadMilliseconds: 0,
    ownedEndpoints: 1,
    timers: [],
    fingerprint: 'a file',
    models: [],
    endpoints: [],
    startedAt: new Date('2026-11-18T12:00:00Z'),
    silentSeconds: 1,
    ...change,
  };
}
