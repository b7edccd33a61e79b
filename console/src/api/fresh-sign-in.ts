import { KinoraError } from '@kinora/sdk';
import { useSyncExternalStore } from 'react';
import { ConsoleApiError } from './console-api.ts';

/** Somebody waits until the person has proved again who they are. */
export interface WaitingForSignIn {
  confirm(): void;
  refuse(reason: Error): void;
}

/** The person did not want to sign in again. */
export class NotConfirmedError extends Error {
  constructor() {
    super('You did not sign in again, so nothing was changed.');
  }
}

let waiting: WaitingForSignIn | null = null;
const listeners = new Set<() => void>();

function setWaiting(next: WaitingForSignIn | null): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Returns what the dialog must settle; null if it has nothing to ask. */
export function useWaitingForSignIn(): WaitingForSignIn | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );
}

/** Runs an action again after a dialog has asked the person to sign in, if the server wants a recent sign-in. */
export async function withFreshSignIn<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!asksForSignIn(error)) throw error;
    await new Promise<void>((resolve, reject) => {
      const settle = (act: () => void) => () => {
        setWaiting(null);
        act();
      };
      setWaiting({ confirm: settle(resolve), refuse: (reason) => settle(() => reject(reason))() });
    });
    return action();
  }
}

function asksForSignIn(error: unknown): boolean {
  return (error instanceof KinoraError || error instanceof ConsoleApiError) && error.code === 'sign_in_again';
}
