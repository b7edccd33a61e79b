import { Kinora } from '@kinora/sdk';
import { consoleApi } from './console-api.ts';

export type Mode = 'live' | 'test';

interface Token {
  token: string;
  expires_at: number;
}

const clients = new Map<string, Kinora>();

/** Returns the client for a project and mode. It gets tokens of at most ten minutes from the console's server. */
export function kinoraFor(apiUrl: string, projectId: string, mode: Mode): Kinora {
  const name = `${projectId}/${mode}`;
  const known = clients.get(name);
  if (known) return known;
  const client = new Kinora({
    baseUrl: apiUrl,
    token: tokenSource(projectId, mode),
    maxRetries: 1,
  });
  clients.set(name, client);
  return client;
}

/** Forgets all clients and their tokens, at the end of a session. */
export function forgetClients(): void {
  clients.clear();
}

/** Returns a function that fetches a token when there is none, when the last one ends, and when it was refused. */
function tokenSource(projectId: string, mode: Mode): (refused?: string) => Promise<string> {
  let pending: Promise<Token> | null = null;
  let refreshAt = 0;
  let current: string | null = null;
  return async (refused) => {
    if (pending === null || Date.now() >= refreshAt || (refused !== undefined && refused === current)) {
      refreshAt = Number.POSITIVE_INFINITY;
      const fetched = consoleApi<Token>('POST', '/tokens', { project_id: projectId, livemode: mode === 'live' });
      pending = fetched;
      fetched.then(
        // A minute early: requests take time, and clocks differ.
        ({ token, expires_at }) => {
          current = token;
          refreshAt = expires_at * 1000 - 60_000;
        },
        () => {
          pending = null;
          refreshAt = 0;
        },
      );
    }
    return (await pending).token;
  };
}
