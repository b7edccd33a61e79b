/** Changes fields of something that a test has made. */
export function set<T extends object>(target: T | null | undefined, changes: Partial<T>): void {
  if (!target) throw new Error('there is nothing to change');
  Object.assign(target, changes);
}
