import { useEffect, useState } from 'react';

/**
 * Returns the one-time token of the address's fragment, which browsers do not send to servers. It is taken out of the
 * address, so that it stays neither on the screen nor in the history.
 */
export function useOneTimeToken(): string | null {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  return token;
}
