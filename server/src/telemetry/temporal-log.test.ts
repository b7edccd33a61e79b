import { describe, expect, it } from 'vitest';
import { strayId } from '../domain/id.fixture.ts';
import { createLog } from './log.ts';
import { createTemporalLog } from './temporal-log.ts';

interface Line {
  [name: string]: unknown;
  err: { message: string; stack?: string };
}

function start() {
  const lines: Line[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Line);
  return { lines, temporal: createTemporalLog(createLog({ level: 'info', roles: ['worker'], write })) };
}

describe("Temporal's messages", () => {
  it('the line about a failed activity has its error and its task, but no token', () => {
    const { lines, temporal } = start();
    const taskId = strayId('task', new Date());
    temporal.warn('Activity failed', {
      sdkComponent: 'worker',
      taskToken: 'CiQ1YWM0MDM2OC05Y2Qx',
      workflowId: taskId,
      workflowType: 'generateVideo',
      activityType: 'finish',
      taskQueue: 'media',
      attempt: 3,
      durationMs: 1944,
      error: new Error('ffmpeg ended', { cause: new Error('no space left on device') }),
    });
    expect(lines).toMatchObject([
      {
        level: 40,
        event: 'activity.failed',
        taskId,
        activity: 'finish',
        queue: 'media',
        activityTry: 3,
        seconds: 1.944,
      },
    ]);
    expect(lines[0]?.err).toMatchObject({ type: 'Error', message: 'ffmpeg ended: no space left on device' });
    expect(lines[0]?.err.stack).toContain('temporal-log.test.ts');
    expect(JSON.stringify(lines)).not.toContain('CiQ1YWM0MDM2OC05Y2Qx');
  });

  it('a Temporal message about a retried call is written once, however often the SDK retries', () => {
    const { lines, temporal } = start();
    const error = 'Status { code: Unavailable, message: "tcp connect error" }';
    for (let tries = 5; tries < 20; tries += 1) {
      temporal.warn(`gRPC call poll_activity_task_queue retried ${tries} times`, { sdkComponent: 'core', error });
      temporal.warn(`Error when recording heartbeat: ${error}`, { sdkComponent: 'core' });
    }
    expect(lines.map(({ event, msg }) => ({ event, msg }))).toEqual([
      { event: 'temporal.reported', msg: 'gRPC call poll_activity_task_queue retried 5 times' },
      { event: 'temporal.reported', msg: 'Error when recording heartbeat' },
    ]);
    expect(lines.every(({ err }) => err.message.includes('Unavailable') && err.stack === undefined)).toBe(true);
  });

  it('informational and expected messages of Temporal are written at debug', () => {
    const { lines, temporal } = start();
    temporal.info('Worker state changed', { state: 'RUNNING' });
    temporal.warn('No workflows registered, not polling for workflow tasks');
    expect(lines).toEqual([]);
  });
});
