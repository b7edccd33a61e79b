import { expect, test } from 'vitest';
import { readTaskEnds } from './task-ends.ts';

const encoder = new TextEncoder();

/** Returns a stream, and functions that send an event on it and end it. */
function openStream() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = (text: string) => void writer.write(encoder.encode(text));
  send('id: evt_0\n\n');
  return {
    body: readable,
    sendEvent: (type: string, taskId: string) =>
      send(
        `id: evt_${taskId}_${type}\nevent: ${type}\ndata: ${JSON.stringify({ type, data: { task_id: taskId } })}\n\n`,
      ),
    sendProgress: (taskId: string) => send(`event: task\ndata: ${JSON.stringify({ task_id: taskId })}\n\n`),
    end: () => void writer.close(),
  };
}

test('a task is completed when its event arrives, before or after the bench waits for it', async () => {
  const { body, sendEvent, sendProgress } = openStream();
  const ends = readTaskEnds(body);
  const waiting = ends.completed('task_1');
  sendEvent('video.started', 'task_1');
  sendProgress('task_1');
  sendEvent('video.completed', 'task_2');
  sendEvent('video.completed', 'task_1');
  await expect(waiting).resolves.toBeUndefined();
  await expect(ends.completed('task_2')).resolves.toBeUndefined();
});

test('waiting for a task that has failed throws', async () => {
  const { body, sendEvent } = openStream();
  const waiting = readTaskEnds(body).completed('task_1');
  sendEvent('video.failed', 'task_1');
  await expect(waiting).rejects.toThrow('task_1 ended with video.failed');
});

test('waiting for a task throws if the stream ends before the task', async () => {
  const { body, end } = openStream();
  const ends = readTaskEnds(body);
  const waiting = ends.completed('task_1');
  end();
  await expect(waiting).rejects.toThrow('ended the event stream');
  await expect(ends.completed('task_2')).rejects.toThrow('ended the event stream');
});

test('a stream that ends is resumed after its last event', async () => {
  const first = openStream();
  const second = openStream();
  const resumedAfter: (string | null)[] = [];
  const ends = readTaskEnds(first.body, async (lastEventId) => {
    resumedAfter.push(lastEventId);
    return second.body;
  });
  const waiting = ends.completed('task_1');
  first.sendEvent('video.started', 'task_1');
  first.end();
  second.sendEvent('video.completed', 'task_1');
  await expect(waiting).resolves.toBeUndefined();
  expect(resumedAfter).toEqual(['evt_task_1_video.started']);
});
