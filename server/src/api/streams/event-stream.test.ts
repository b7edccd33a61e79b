import { describe, expect, it } from 'vitest';
import type { TaskView } from '../../domain/task-view.ts';
import { task } from '../app.fixture.ts';
import { EventStream, eventMessage } from './event-stream.ts';
import { sendInOrder } from './send-in-order.ts';
import { sendNewest } from './send-newest.ts';
import type { TaskFrame } from './task-frames.ts';

const opening = 'retry: 2000\n: open\n\n';

function openStream() {
  const noted: string[] = [];
  const stream = new EventStream({
    cutOff: () => void noted.push('cut off'),
    onClose: () => void noted.push('closed'),
  });
  const read = async (): Promise<string> => {
    let text = '';
    for await (const chunk of stream.body) text += String(chunk);
    return text;
  };
  return { stream, noted, read };
}

const viewOf = (version: number, isFinal = false): TaskView => ({
  task: isFinal ? { ...task, version } : { ...inProgress, version },
  live: null,
  activeTasks: 1,
  readsPerMinute: 600,
});
const {
  video: _video,
  expiresAt: _expiresAt,
  completedAt: _completedAt,
  ...unfinished
} = task as typeof task & {
  video: unknown;
  expiresAt: unknown;
  completedAt: unknown;
};
const inProgress = { ...unfinished, status: 'in_progress', stage: 'rendering' } as const;

/** Renders a frame as large as a real one. */
const render = async ({ task: { version, status } }: TaskView): Promise<TaskFrame> => {
  const message = eventMessage({ id: String(version), event: 'task', data: `${status}${' '.repeat(1500)}` });
  return {
    version,
    isFinal: status === 'completed',
    progress: 0,
    fingerprint: String(version),
    message,
    messageWithoutId: message,
  };
};
// oxlint-disable-next-line kinora/no-fixed-sleep -- lets the stream work between two steps, which needs turns of the event loop but no time
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe('a message', () => {
  it('a message is framed as the HTML standard requires', () => {
    expect(String(eventMessage({ id: '7', event: 'task', data: '{"a":"é"}' }))).toBe(
      'id: 7\nevent: task\ndata: {"a":"é"}\n\n',
    );
    expect(String(eventMessage({ event: 'task', data: '1' }))).toBe('event: task\ndata: 1\n\n');
  });
});

describe('an event stream', () => {
  it('an event stream starts with the reconnection delay, sends keep-alives, and ends', async () => {
    const { stream, noted, read } = openStream();
    stream.beat();
    stream.end();
    stream.write('too late');
    expect(await read()).toBe(`${opening}: keep-alive\n\n`);
    expect([stream.isOpen, noted]).toEqual([false, ['closed']]);
  });

  it('an event stream cuts off a reader only after it has read nothing for 30 seconds', async () => {
    const { stream, noted } = openStream();
    while (!stream.isBlocked) stream.write('x'.repeat(10_000));
    stream.beat();
    expect(noted).toEqual([]);
    const realNow = performance.now.bind(performance);
    performance.now = () => realNow() + 31_000;
    try {
      stream.beat();
    } finally {
      performance.now = realNow;
    }
    expect(noted).toEqual(['cut off']);
  });
});

describe('a stream of task states', () => {
  it('a stream of task states sends them in order, skips old and repeated ones, and ends after the final one', async () => {
    const { stream, read } = openStream();
    const offer = sendNewest(stream, render, () => undefined);
    const reading = read();
    for (const view of [viewOf(1), viewOf(1), viewOf(3), viewOf(2), viewOf(4, true), viewOf(5, true)]) {
      offer(view);
      await settled();
    }
    expect(idsIn(await reading)).toEqual([1, 3, 4]);
  });

  it('a stream of task states skips those that a slow reader missed, sends it the newest, and buffers little', async () => {
    const { stream, read } = openStream();
    const offer = sendNewest(stream, render, () => undefined);
    for (let version = 1; version <= 500; version += 1) {
      offer(viewOf(version));
      if (version % 20 === 0) await settled();
    }
    expect(stream.isBlocked || stream.body.readableLength < 32_768).toBe(true);
    expect(stream.body.readableLength).toBeLessThan(64 * 1024);
    const reading = read();
    offer(viewOf(501, true));
    const ids = idsIn(await reading);
    expect(ids.length).toBeLessThan(60);
    expect(ids.at(-1)).toBe(501);
  });

  it('a stream of task states ends when the task no longer exists or is deleted, and when it cannot be rendered', async () => {
    const missing = openStream();
    sendNewest(missing.stream, render, () => undefined)(null);
    expect(await missing.read()).toBe(opening);
    const deleted = openStream();
    const view = viewOf(2, true);
    sendNewest(deleted.stream, render, () => undefined)({ ...view, task: { ...view.task, deletedAt: new Date() } });
    expect(await deleted.read()).toBe(opening);
    const errors: unknown[] = [];
    const broken = openStream();
    sendNewest(
      broken.stream,
      () => Promise.reject(new Error('no')),
      (error) => void errors.push(error),
    )(view);
    expect(await broken.read()).toBe(opening);
    expect(errors).toHaveLength(1);
  });
});

describe('a stream of events', () => {
  it('a stream of events sends all of them in order, even to a slow reader', async () => {
    const { stream, read } = openStream();
    const sender = sendInOrder(stream, () => undefined);
    const message = (id: number) => eventMessage({ id: String(id), event: 'e', data: ' '.repeat(1500) });
    for (let id = 1; id <= 100; id += 1) sender.send(async () => message(id));
    await settled();
    expect(sender.isBusy()).toBe(true);
    const reading = read();
    sender.send(async () => {
      setTimeout(() => stream.end(), 5);
      return message(101);
    });
    expect(idsIn(await reading)).toEqual(Array.from({ length: 101 }, (_, index) => index + 1));
  });

  it('a stream of events ends instead of filling memory when too many are waiting', async () => {
    const { stream } = openStream();
    const sender = sendInOrder(stream, () => undefined);
    for (let id = 0; id < 1_200 && stream.isOpen; id += 1) sender.send(async () => Buffer.alloc(1_000));
    expect(stream.isOpen).toBe(false);
  });
});
