import type { ProjectMode } from './project-mode.ts';

/** A person who runs a command of `kinora-server`, or who does the same in the console. */
export interface Operator {
  /** The name of the person's account on the machine, or the person's e-mail address in the console. */
  operator: string;
  /** The command without its arguments, such as `tasks delete`, or `console`. */
  command: string;
  /** Set in the console. */
  person?: { id: string } | undefined;
  origin?: Origin | undefined;
}

/** Somebody who does something in the console that belongs to no key, such as signing in. */
export interface ConsoleUser {
  /** Null before the sign-in. */
  person: { id: string } | null;
  origin: Origin;
}

/** Where a request came from. */
export interface Origin {
  address: string | null;
  userAgent: string | null;
  requestId: string;
}

/** The holder of a key. It can act only within the project and mode of the key. */
export type KeyHolder = ProjectMode & {
  keyId: string;
  /** The person who used the console, and their session; absent for programs. */
  person?: { id: string; sessionId: string } | undefined;
  /** Set for every request; absent if the service itself acts for the holder. */
  origin?: Origin | undefined;
};

/** Who does something. Operators can act on every project. */
export type Actor = KeyHolder | Operator;

/** Returns the project and mode that an actor is confined to; null for operators. */
export function projectModeOf(actor: Actor): ProjectMode | null {
  return 'operator' in actor ? null : actor;
}
