import type { Task } from '@kinora/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useState } from 'react';
import { useProject } from './project.tsx';
import { newerOf } from './task-order.ts';

type Listener = (tasks: readonly Task[]) => void;

/** 250 ms: a person cannot follow more, and fifty changes per second cost four renders instead of fifty. */
const flushMilliseconds = 250;
const reconnectMilliseconds = 2_000;

interface LiveTasks {
  subscribe(listener: Listener): () => void;
}

const LiveTasksContext = createContext<LiveTasks | null>(null);

/** Follows the tasks of the current project and mode with one stream, whatever the page shows. */
export function LiveTasksProvider({ children }: { children: ReactNode }) {
  const { kinora, id, mode } = useProject();
  const queryClient = useQueryClient();
  const [listeners] = useState(() => new Set<Listener>());

  useEffect(() => {
    const ending = new AbortController();
    const changed = new Map<string, Task>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      timer = undefined;
      const tasks = [...changed.values()];
      changed.clear();
      for (const task of tasks) {
        queryClient.setQueryData<Task>([id, mode, 'task', task.id], (known) => known && newerOf(known, task));
      }
      for (const listener of listeners) listener(tasks);
    };
    const note = (task: Task): void => {
      const known = changed.get(task.id);
      changed.set(task.id, known ? newerOf(known, task) : task);
      timer ??= setTimeout(flush, flushMilliseconds);
    };
    let lastEventId: string | undefined;
    const follow = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        try {
          for await (const event of kinora.events.stream({ signal: ending.signal, onTask: note, lastEventId })) {
            lastEventId = event.id;
            // Deleted tasks have no status, and the events of long prompts leave them out.
            if ('status' in event.data && 'prompt' in event.data) note(event.data as Task);
          }
        } catch {
          if (ending.signal.aborted) return;
          await new Promise((resolve) => setTimeout(resolve, reconnectMilliseconds));
        }
      }
    };
    void follow();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [kinora, id, mode, queryClient, listeners]);

  const [live] = useState<LiveTasks>(() => ({
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  }));
  return <LiveTasksContext value={live}>{children}</LiveTasksContext>;
}

/** Calls back with the tasks that changed, at most four times per second. */
export function useLiveTasks(onTasks: Listener): void {
  const live = useContext(LiveTasksContext);
  const listener = useEffectEvent(onTasks);
  useEffect(() => live?.subscribe((tasks) => listener(tasks)), [live]);
}
