import type { FastifyReply } from 'fastify';

type Header = string | string[] | undefined;

/** The longest that a request waits for the end of its task. */
export const longestWaitSeconds = 60;

/** Whether a Prefer header (RFC 7240) holds a preference with this value. */
export function prefers(header: Header, name: string, value: string): boolean {
  return preferences(header).some((preference) => preference.name === name && preference.value === value);
}

/** The seconds of `Prefer: wait=N`; null without one. Whoever is ready to wait longer than we are waits as long as we do. */
export function preferredWaitSeconds(header: Header): number | null {
  const wait = preferences(header).find(({ name }) => name === 'wait')?.value;
  return wait !== undefined && /^\d{1,9}$/.test(wait) ? Math.min(longestWaitSeconds, Number(wait)) : null;
}

/** Says on the answer that a preference was followed. */
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
