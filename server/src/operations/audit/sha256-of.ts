import { createHash } from 'node:crypto';

/** Returns the hash by which an audit event names a URL: equal URLs can be recognised, and their secrets stay secret. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
