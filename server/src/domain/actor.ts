import type { ProjectMode } from './project-mode.ts';

/** A person who runs a command of `kinora-server`. */
export interface Operator {
  /** The name of the person's account on the machine. */
  operator: string;
  /** The command without its arguments, such as `tasks delete`. */
  command: string;
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
  /** Set for every request; absent if the service itself acts for the holder. */
  origin?: Origin | undefined;
};

/** Who does something. Operators can act on every project. */
export type Actor = KeyHolder | Operator;

/** Returns the project and mode that an actor is confined to; null for operators. */
export function confinesOf(actor: Actor): ProjectMode | null {
  return 'operator' in actor ? null : actor;
}
