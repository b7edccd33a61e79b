import type { Task } from '@kinora/sdk';

/** Whether one state of a task is older than another: messages and responses may overtake each other. */
export function isEarlier(one: Task, other: Task): boolean {
  const order = [
    Number(one.is_final) - Number(other.is_final),
    one.attempt - other.attempt,
    Number(one.status === 'in_progress') - Number(other.status === 'in_progress'),
    one.progress - other.progress,
  ];
  return (order.find((difference) => difference !== 0) ?? 0) < 0;
}

/** Of two states of a task, returns the later one. */
export function newerOf(one: Task, other: Task): Task {
  return isEarlier(other, one) ? one : other;
}
