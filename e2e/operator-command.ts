import { runCommand } from '@kinora/stack/harness/installation';
import { inject } from 'vitest';

/** Runs `kinora-server` as an operator would and returns what it printed; rejects with what it complained of. */
export const command = (...args: string[]): Promise<string> => runCommand(inject('world').environment, ...args);

/** How a run of `kinora-server` ended. */
export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The same whether it succeeds or refuses, in another environment if one is named. */
export async function commandOutcome(
  args: string[],
  environment: Record<string, string> = inject('world').environment,
): Promise<CommandOutcome> {
  try {
    return { code: 0, stdout: await runCommand(environment, ...args), stderr: '' };
  } catch (error) {
    return error as CommandOutcome; // what execFile rejects with, as documented
  }
}
