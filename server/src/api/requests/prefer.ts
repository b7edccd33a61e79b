import type { FastifyReply } from 'fastify';
import { longestWaitSeconds } from '../schemas/request-headers.ts';

type Header = string | string[] | undefined;

/** Returns whether a Prefer header (RFC 7240) contains a preference with this value. */
export function prefers(header: Header, name: string, value: string): boolean {
  return preferences(header).some((preference) => preference.name === name && preference.value === value);
}

/** Returns the seconds of `Prefer: wait=N`, at most the longest wait, or null without one. */
export function preferredWaitSeconds(header: Header): number | null {
  const wait = preferences(header).find(({ name }) => name === 'wait')?.value;
  return wait !== undefined && /^\d{1,9}$/.test(wait) ? Math.min(longestWaitSeconds, Number(wait)) : null;
}

/** Adds a followed preference to the header Preference-Applied of the response. */
export function notePreference(reply: FastifyReply, preference: string): void {
  const noted = reply.getHeader('preference-applied');
  reply.header('preference-applied', noted === undefined ? preference : `${String(noted)}, ${preference}`);
}

function preferences(header: Header): { name: string; value: string }[] {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((preference) => {
      const [token = '', ...rest] = (preference.split(';')[0] ?? '').split('=');
      const value = rest
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1');
      return { name: token.trim().toLowerCase(), value: value.toLowerCase() };
    });
}
