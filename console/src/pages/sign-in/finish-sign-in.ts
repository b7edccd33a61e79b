import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { forgetClients } from '../../api/kinora.ts';
import { type SignedIn, sessionQuery } from '../../api/session.ts';
import { forgetSignOut } from '../../api/sign-out.ts';

/** Returns the function that goes on with a new session. Nothing of an earlier one is kept. */
export function useFinishSignIn(): (session: SignedIn, next?: string) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (session, next = '/') => {
    forgetSignOut();
    forgetClients();
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, session);
    await navigate({ href: next, replace: true });
  };
}
