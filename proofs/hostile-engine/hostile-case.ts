import type { End, Mutation, Operation, Protocol } from './mutation.ts';

/** One task that meets one mutation, or none: then it stands by and must not be harmed. */
export interface Case {
  number: number;
  /** `animatic, poll: HTML with status 200, always`. */
  name: string;
  protocol: Protocol;
  mutation: Mutation | null;
  /** How many answers are mutated at most. */
  times: number;
  ends: readonly End[];
  /** Its caller cancels it as soon as the engine has it. */
  isCancelled: boolean;
  hasImage: boolean;
}

/** An engine that never stops lying about a cancel would keep its slot for ever, which is right and helps nobody here. */
const mostLiesAboutACancel = 4;

/** The prompt says which case a job belongs to: whatever the protocol, it is somewhere in what an engine gets. */
export function promptOf({ number }: Case): string {
  return `A lighthouse at dusk, case ${String(number).padStart(5, '0')} of the engine that lies`;
}

export function caseNumberIn(text: string): number | null {
  const [, digits] = /case (\d{5}) of the engine that lies/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

export function withoutPrompt(text: string): string {
  return text.replaceAll(/case \d{5} of the engine that lies/g, '');
}

/** Every mutation of a protocol as cases: once and always, where both are tried. */
export function casesOf(protocol: Protocol, mutations: readonly Mutation[]): Omit<Case, 'number'>[] {
  return mutations.flatMap((mutation) => {
    const { operations, name, once, always } = mutation;
    const isCancelled = operations.includes('cancel');
    const common = { protocol, mutation, isCancelled, hasImage: operations.includes('upload') };
    const titled = (times: string): string => `${protocol}, ${operations.join(' and ')}: ${name}, ${times}`;
    return [
      ...(once ? [{ ...common, name: titled('once'), times: 1, ends: once }] : []),
      ...(always
        ? [{ ...common, name: titled('always'), times: isCancelled ? mostLiesAboutACancel : Infinity, ends: always }]
        : []),
    ];
  });
}

export function bystander(protocol: Protocol): Omit<Case, 'number'> {
  const ends: readonly End[] = ['completed'];
  return {
    name: `${protocol}: an honest job`,
    protocol,
    mutation: null,
    times: 0,
    ends,
    isCancelled: false,
    hasImage: false,
  };
}

export function mutationFor({ mutation, times }: Case, operation: Operation, count: number): Mutation | null {
  return mutation?.operations.includes(operation) && count < times ? mutation : null;
}
