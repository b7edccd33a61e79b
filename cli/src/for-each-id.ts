import type { Context } from './context.ts';
import { exitCodeOf } from './exit-codes.ts';
import { describeError, errorAsJson } from './terminal/describe-error.ts';

/** Does the same with each id, even if an earlier one failed. The exit code is that of the first error. */
export async function forEachId(
  { isJson }: Context,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<void> {
  let firstError: unknown = null;
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      if (ids.length === 1) throw error;
      const text = isJson ? JSON.stringify({ id, ...errorAsJson(error) }) : `${id}: ${describeError(error)}`;
      process.stderr.write(`${text}\n`);
      firstError ??= error;
    }
  }
  if (firstError !== null) process.exitCode = exitCodeOf(firstError);
}
