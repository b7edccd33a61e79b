import { AuthenticationError, ConnectionError, NotFoundError, PermissionError, RateLimitError } from '@kinora/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { describeError } from '../terminal/describe-error.ts';

/** Converts an error into a tool result: what happened, which fields are wrong, and advice. Never a stack. */
export function toolError(error: unknown): CallToolResult {
  // The tool's field is `image`, because it also accepts a path.
  const text = [describeError(error), adviceOn(error)].join('\n').trim().replaceAll('image_url', 'image');
  return { content: [{ type: 'text', text }], isError: true };
}

function adviceOn(error: unknown): string {
  if (error instanceof AuthenticationError) {
    return 'The user must give `kinora mcp` a valid key: KINORA_API_KEY in its configuration, or `kinora login`.';
  }
  if (error instanceof PermissionError) return 'The user must give `kinora mcp` a key that may do this.';
  if (error instanceof ConnectionError) {
    return 'Check that the service is running and that KINORA_BASE_URL is right, or try again later.';
  }
  if (error instanceof RateLimitError) {
    const { retryAfterSeconds: seconds } = error;
    return seconds === null ? 'Try again later.' : `Try again in ${seconds} seconds.`;
  }
  if (error instanceof NotFoundError) return 'Call list_videos to find the id.';
  return '';
}
