import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { StreamPlan, StreamRecord } from './streams-evidence.ts';

type Message = { kind: 'opened' } | { kind: 'complete' } | { kind: 'collected'; streams: StreamRecord[] };

/** A process that opens streams and records what arrives. */
export interface Readers {
  /** Opens all streams; resolves when each is open. */
  open(plans: StreamPlan[]): Promise<void>;
  /** Resolves when every stream has sent everything that it must. */
  complete: Promise<void>;
  collect(): Promise<StreamRecord[]>;
  close(): void;
}

export function startReaders(): Readers {
  const child = fork(join(import.meta.dirname, 'reader-process.ts'));
  const messageOf = <Kind extends Message['kind']>(kind: Kind): Promise<Extract<Message, { kind: Kind }>> =>
    new Promise((resolve, reject) => {
      child.on('message', (message: Message) => {
        if (message.kind === kind) resolve(message as Extract<Message, { kind: Kind }>); // kind compared
      });
      child.once('exit', () => reject(new Error('the process that reads the streams has exited')));
    });
  const complete = messageOf('complete').then(() => undefined);
  complete.catch(() => undefined); // The caller that awaits it gets the error.
  return {
    open: async (plans) => {
      const opened = messageOf('opened');
      child.send({ kind: 'open', plans });
      await opened;
    },
    complete,
    collect: async () => {
      const collected = messageOf('collected');
      child.send({ kind: 'collect' });
      return (await collected).streams;
    },
    close: () => void child.kill(),
  };
}
