import type { End, Mutation, Operation, Protocol } from './mutation.ts';

/** One task whose engine has one mutation, or none: such a bystander must complete. */
export interface Case {
  number: number;
  /** Such as `animatic, poll: HTML with status 200, always`. */
  name: string;
  protocol: Protocol;
  mutation: Mutation | null;
  /** How many responses are mutated at most. */
  times: number;
  ends: readonly End[];
  /** Whether the caller cancels the task as soon as the engine has it. */
  isCancelled: boolean;
  hasImage: boolean;
}

/** An engine that always lied about a cancel would occupy its slot until the end of the run. */
const mostLiesAboutACancel = 4;

/** Returns a prompt that names the case of a job; every protocol passes the prompt to the engine. */
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

/** Makes the cases of a protocol: each mutation once and always, if it has both. */
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

/** Returns whether the engine lies after the task has ended: Kinora cancels and discards jobs a moment later. */
export function liesAfterEnd({ isCancelled, mutation }: Case): boolean {
  return isCancelled || mutation?.operations.includes('discard') === true;
}

export function mutationFor({ mutation, times }: Case, operation: Operation, count: number): Mutation | null {
  return mutation?.operations.includes(operation) && count < times ? mutation : null;
}
