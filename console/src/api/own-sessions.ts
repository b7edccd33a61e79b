import { queryOptions } from '@tanstack/react-query';
import { consoleApi } from './console-api.ts';

export interface OwnSession {
  id: string;
  method: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  address: string | null;
  user_agent: string | null;
  is_current: boolean;
}

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: async () => (await consoleApi<{ data: OwnSession[] }>('GET', '/sessions')).data,
});

export async function endSession(id: string): Promise<void> {
  await consoleApi('DELETE', `/sessions/${id}`);
}
