import type { Task } from '@kinora/sdk';
import { classes } from './classes.ts';

type Tone = 'quiet' | 'live' | 'done' | 'failed' | 'test';

const tones: Record<Tone, string> = {
  quiet: 'text-quiet',
  live: 'text-accent',
  done: 'text-done',
  failed: 'text-failed',
  test: 'text-test',
};

/** A dot and a word. Colour never says anything alone. */
export function StatusDot({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes('inline-flex items-baseline gap-1.5 whitespace-nowrap', tones[tone])}>
      <span aria-hidden="true" className="size-1.5 self-center rounded-round bg-current" />
      {children}
    </span>
  );
}

const ofStatus: Record<Task['status'], [Tone, string]> = {
  queued: ['quiet', 'Waiting'],
  in_progress: ['live', 'Running'],
  completed: ['done', 'Completed'],
  failed: ['failed', 'Failed'],
  cancelled: ['quiet', 'Cancelled'],
};

export function TaskStatus({ status }: { status: Task['status'] }) {
  const [tone, word] = ofStatus[status];
  return <StatusDot tone={tone}>{word}</StatusDot>;
}

/** A small label, such as a scope or `test`. */
export function Label({ tone = 'quiet', children }: { tone?: Tone; children: string }) {
  return (
    <span className={classes('rounded-small border border-current/40 px-1 text-small', tones[tone])}>{children}</span>
  );
}
