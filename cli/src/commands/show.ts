import type { Task, Timeline } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { dateAndTime, span, timeOfDay } from '../terminal/clock.ts';
import { type Fact, renderFacts } from '../terminal/facts.ts';
import { timeLeft } from '../terminal/progress-line.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { ago } from '../terminal/times.ts';

const attemptHead: Column[] = [
  { title: 'attempt' },
  { title: 'endpoint', shrinksTo: 12 },
  { title: 'began', leftOut: 1 },
  { title: 'engine time', leftOut: 2 },
  { title: 'outcome', shrinksTo: 'engine_rejected_input'.length, wraps: true },
];

/** Adds `kinora show`, which shows one task and how long each stage took. */
export function addShow(program: Command, context: () => Context): void {
  program
    .command('show')
    .description('show a task and how long each stage took')
    .argument('<task>', 'its id, task_…')
    .action(async (taskId: string) => {
      const { kinora, print, columns } = context();
      const { videos } = await kinora();
      const [task, timeline] = await Promise.all([videos.get(taskId), videos.timeline(taskId)]);
      print(renderTask(task, timeline, columns), { ...task, timeline });
    });
}

/** Renders a task for people: the facts, then the stages, then the attempts. */
export function renderTask(task: Task, timeline: Timeline, columns?: number, now: number = Date.now()): string {
  const parts = [renderFacts(factsOf(task, timeline, now), columns)];
  if (timeline.stages.length > 0) {
    parts.push(renderTable(['stage', 'attempt', 'began', 'took'], timeline.stages.map(stageRow), columns));
  }
  if (timeline.attempts.length > 0) {
    parts.push(renderTable(attemptHead, timeline.attempts.map(attemptRow), columns));
  }
  return parts.join('\n\n');
}

function factsOf(task: Task, timeline: Timeline, now: number): Fact[] {
  const moment = (at: number) => {
    const since = ago(at, now);
    return [dateAndTime(at), ...(since.endsWith('ago') ? [since] : [])].join(', ');
  };
  const { image, video, error, estimated_completion_at: expectedAt } = task;
  return [
    ['task', task.id],
    ['status', task.is_final ? task.status : `${task.status}, ${task.stage}, ${task.progress} %`],
    ['error', error && `${error.code}: ${error.message}${error.retryable ? ' The same request may succeed.' : ''}`],
    ['position', task.queue_position === null ? null : String(task.queue_position)],
    ['expected', task.is_final || expectedAt === null ? null : timeLeft(expectedAt - now / 1000)],
    ['prompt', task.prompt],
    ['avoiding', task.negative_prompt],
    ['image', image && `${image.width}x${image.height}, ${image.fit}`],
    ['model', task.model],
    ['video', `${task.size}, ${task.duration} s, seed ${task.seed}`],
    ['created', moment(task.created_at)],
    ['ended', task.completed_at === null ? null : `${moment(task.completed_at)}, after ${span(timeline.seconds)}`],
    ...task.warnings.map(({ message }): Fact => ['warning', message]),
    ...Object.entries(task.metadata).map(([key, value]): Fact => ['metadata', `${key}: ${value}`]),
    ['file', video && `${(video.size_bytes / 1e6).toFixed(2)} MB, kept until ${untilOf(task)}`],
    ['url', task.video_url],
  ];
}

function untilOf({ expires_at: expiresAt }: Task): string {
  return expiresAt === null ? 'it is deleted' : dateAndTime(expiresAt);
}

function stageRow({ stage, attempt, started_at, ended_at, seconds }: Timeline['stages'][number]): string[] {
  return [stage, String(attempt), timeOfDay(started_at), ended_at === null ? `${span(seconds)} so far` : span(seconds)];
}

function attemptRow(one: Timeline['attempts'][number]): string[] {
  const moved = one.takeovers === 0 ? '' : `, taken over ${one.takeovers === 1 ? 'once' : `${one.takeovers} times`}`;
  return [
    String(one.attempt),
    one.endpoint,
    timeOfDay(one.began_at),
    one.engine_seconds === null ? '–' : span(one.engine_seconds),
    `${one.outcome ?? 'in progress'}${moved}`,
  ];
}
