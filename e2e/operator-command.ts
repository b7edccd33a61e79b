import { runCommand } from '@kinora/stack/harness/installation';
import { inject } from 'vitest';

/** Runs `kinora-server` as an operator would and returns what it printed; rejects if the command fails. */
export const command = (...args: string[]): Promise<string> => runCommand(inject('world').environment, ...args);

/** The exit code and the output of a run of `kinora-server`. */
export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `kinora-server` and returns its exit code and output, even if it fails. */
export async function commandOutcome(
  args: string[],
  environment: Record<string, string> = inject('world').environment,
): Promise<CommandOutcome> {
  try {
    return { code: 0, stdout: await runCommand(environment, ...args), stderr: '' };
  } catch (error) {
    return error as CommandOutcome; // execFile rejects with these fields, as documented
  }
}
