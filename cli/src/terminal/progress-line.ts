import type { Task } from '@kinora/sdk';
import { type Paint, unpainted } from './paint.ts';
import { cutTo, padTo, widthOf } from './text-width.ts';

const longestBar = 24;
const shortestBar = 6;
/** 12 columns fit "about 59 s", so that the bar keeps its length when that text appears or disappears. */
const usualTail = 12;
/** Eighths of a cell, so that even a slow bar visibly moves. */
const parts = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface LineOptions {
  /** The width of the terminal. Default: 80. */
  columns?: number;
  /** Printed at the start of the line, if there are several lines. */
  label?: string;
  paint?: Paint;
  now?: number;
}

/** Renders a task in one line: stage, progress and the time left. The bar takes the remaining width. */
export function progressLine(task: Task, options: LineOptions = {}): string {
  const { columns = 80, label, paint = unpainted, now = Date.now() } = options;
  const front = `${labelOf(label, columns)}${padTo(stageOf(task), 10)}`;
  const percent = `${String(task.progress).padStart(3)} %`;
  const tail = tailOf(task, now)
    .map((word) => `  ${word}`)
    .join('');
  const room = columns - 1 - widthOf(front) - percent.length - 4;
  const length = Math.min(longestBar, room - Math.max(usualTail, tail.length));
  // The terminal is too narrow for a bar.
  if (length < shortestBar) return cutTo(`${front}  ${percent}${tail}`, columns - 1);
  const [full, empty] = barOf(task.progress, length);
  return `${front}  ${paint(styleOf(task), full)}${empty}  ${percent}${tail}`;
}

/** Renders a line of a batch whose task has not been created yet. */
export function startingLine(label: string, columns: number): string {
  return cutTo(`${labelOf(label, columns)}sending`, columns - 1);
}

/** Renders a task in one line without a bar, for logs. */
export function plainLine(task: Task): string {
  const words = [stageOf(task), `${task.progress} %`];
  if (task.queue_position !== null) words.push(`position ${task.queue_position}`);
  if (task.attempt > 1) words.push(`attempt ${task.attempt}`);
  return `${task.id}: ${words.join(', ')}`;
}

/** Returns a text that changes when a log needs a new line: per status, stage, attempt and 10 % of progress. */
export function plainLineKey({ status, stage, attempt, progress }: Task): string {
  return `${status} ${stage} ${attempt} ${Math.floor(progress / 10)}`;
}

function labelOf(label: string | undefined, columns: number): string {
  if (label === undefined) return '';
  const width = Math.min(20, Math.floor(columns / 4));
  return `${padTo(cutTo(label, width), width)} `;
}

function tailOf(task: Task, now: number): string[] {
  if (task.is_final) return [];
  const { queue_position: position, estimated_completion_at: at, attempt } = task;
  return [
    ...(position === null ? [] : [`position ${position}`]),
    ...(at === null ? [] : [timeLeft(at - now / 1000)]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
  ];
}

function barOf(progress: number, length: number): [full: string, empty: string] {
  const filled = (length * progress) / 100;
  const whole = Math.floor(filled);
  const full = '█'.repeat(whole) + (parts[Math.floor((filled - whole) * 8)] ?? '');
  return [full, '░'.repeat(length - full.length)];
}

function styleOf({ status }: Task): Parameters<Paint>[0] {
  const styles = { completed: 'good', failed: 'bad', cancelled: 'warning' } as const;
  return status === 'queued' || status === 'in_progress' ? 'accent' : styles[status];
}

function stageOf({ status, stage, is_final: isFinal }: Task): string {
  return isFinal ? status : stage;
}

/** Formats the time left, rounded because it is only an estimate. */
export function timeLeft(seconds: number): string {
  if (seconds < 1) return 'any moment';
  if (seconds < 90) return `about ${Math.ceil(seconds)} s`;
  return `about ${Math.round(seconds / 60)} min`;
}
