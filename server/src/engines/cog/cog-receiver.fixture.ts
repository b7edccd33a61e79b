import { Readable } from 'node:stream';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import type { CallbackReport } from '../engine-callback.ts';
import { readCogCallback } from './cog-callback.ts';
import type { CogReport, CogReports } from './cog-engine.ts';

/** Receives a Cog server's webhooks and keeps its reports in memory, as the service does in its database. */
export async function startCogReceiver(): Promise<CogReports & { url: string; close(): Promise<void> }> {
  const reports = new Map<string, CogReport>();
  const outputs = new Map<string, Buffer>();
  const server = await startLoopbackServer((request, response) => {
    const pieces: Buffer[] = [];
    readCogCallback(request, async (bytes) => void pieces.push(bytes)).then(
      (callback) => {
        if (callback && request.url === `/${callback.jobId}`) keep(callback.jobId, callback.report, pieces);
        response.writeHead(callback ? 200 : 400).end();
      },
      () => response.writeHead(503).end(),
    );
  });

  function keep(jobId: string, report: CallbackReport, pieces: Buffer[]): void {
    const former = reports.get(jobId);
    if (former && former.state !== 'running') return;
    const least = former?.progress ?? null;
    if (report.state !== 'running') reports.set(jobId, report);
    else {
      const progress = least === null ? report.progress : Math.max(least, report.progress ?? 0);
      reports.set(jobId, { state: 'running', progress, heardAt: new Date() });
    }
    if (report.state === 'succeeded') outputs.set(jobId, Buffer.concat(pieces));
  }

  return {
    url: server.url,
    callbackUrlFor: (jobId) => `${server.url}/${jobId}`,
    find: async (jobId) => reports.get(jobId) ?? null,
    read: async (jobId) => {
      const output = outputs.get(jobId);
      return output ? Readable.from([output]) : null;
    },
    forget: async (jobId) => {
      reports.delete(jobId);
      outputs.delete(jobId);
    },
    close: () => server.close(),
  };
}
