import { SdkError } from '@modelcontextprotocol/server';

/**
 * Whether somebody wants the work itself to stop. Not so where the host hung up, or only ran out of patience (then the reason says
 * so): the task goes on, and can be asked for later.
 */
export function isStop({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof SdkError) && !/time(d )?out/i.test(String(reason));
}
