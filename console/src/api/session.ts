import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { consoleApi } from './console-api.ts';
import { signInAgain } from './sign-out.ts';

export type ProjectRole = 'admin' | 'developer' | 'viewer';

/** Each role may do what the roles before it may. */
export const rankOf: Readonly<Record<ProjectRole, number>> = { viewer: 0, developer: 1, admin: 2 };

export interface SessionProject {
  id: string;
  name: string;
  role: ProjectRole;
  is_suspended: boolean;
}

interface Common {
  api_url: string;
  environment: 'development' | 'production';
  version: string;
  sign_in: {
    password: boolean;
    openid: { name: string } | null;
    development: boolean;
    needs_first_operator: boolean;
  };
}

export interface SignedIn extends Common {
  signed_in: true;
  person: { id: string; email: string; name: string; is_operator: boolean };
  projects: SessionProject[];
  session: { id: string; method: string; signed_in_at: number; expires_at: number; fresh_until: number };
}

interface SignedOut extends Common {
  signed_in: false;
}

export type Session = SignedIn | SignedOut;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => consoleApi<Session>('GET', '/session'),
  staleTime: 60_000,
});

/** Returns the session. Only for pages within the app shell, which requires one. */
export function useSession(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data.signed_in) {
    // The session ended while the page was open.
    signInAgain();
    throw new Error('the page needs a session');
  }
  return data;
}
