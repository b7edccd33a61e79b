import { useEffect, useState } from 'react';

/** Takes the token out of the address's fragment, so that it stays neither on the screen nor in the history. */
export function useOneTimeToken(): string | null {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  return token;
}
