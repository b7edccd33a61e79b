import { SdkError } from '@modelcontextprotocol/server';

/**
 * Whether the user wants the task itself to stop. If the host closed the connection or the call timed out (the reason
 * says so), the task keeps running and can be fetched later.
 */
export function isStop({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof SdkError) && !/time(d )?out/i.test(String(reason));
}
