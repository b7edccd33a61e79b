import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/project.tsx';
import type { VideoRequest } from '../../request-code/video-request.ts';
import { rememberSent } from '../../tasks/sent-requests.ts';

/** Sends requests one after the other. `onTasks` is called with the ids so far after each. */
export function useSend(onTasks: (ids: readonly string[]) => void) {
  const { kinora, key } = useProject();
  const queryClient = useQueryClient();
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (requests: readonly VideoRequest[]): Promise<void> => {
    setIsSending(true);
    setError(null);
    const ids: string[] = [];
    try {
      for (const request of requests) {
        const { videos } = kinora;
        const task = await ('image' in request ? videos.imageToVideo(request) : videos.textToVideo(request));
        rememberSent(task.id, request);
        queryClient.setQueryData([...key, 'task', task.id], task);
        ids.push(task.id);
        onTasks([...ids]);
      }
    } catch (cause) {
      setError(cause);
    }
    setIsSending(false);
    await queryClient.invalidateQueries({ queryKey: [...key, 'limits'] });
  };
  return { send, isSending, error, forget: () => setError(null) };
}
