import { SdkError } from '@modelcontextprotocol/server';

/**
 * Whether the user cancelled the call, so that its task must be cancelled too. If the host closed the connection or the
 * call timed out (the reason says so), the task keeps running and can be fetched later.
 */
export function isCancelledByUser({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof SdkError) && !/time(d )?out/i.test(String(reason));
}
