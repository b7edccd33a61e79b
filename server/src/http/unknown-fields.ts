import type { Warning } from '../domain/generation-request.ts';
import { nearestName } from '../domain/nearest-name.ts';
import type { Problem } from './problems.ts';

/** Warnings are stored and echoed, so unknown fields beyond this number are only counted. */
const namedAtMost = 20;
const nameLength = 64;

interface UnknownField {
  /** Null for those that are only counted. */
  param: string | null;
  statement: string;
  outcome: string;
  hint: string;
}

/** Describes unknown fields and suggests the nearest known name; if none is near, the hint of `hintOf`. */
export function describeUnknownFields(
  names: readonly string[],
  known: readonly string[],
  hintOf: (name: string) => string = () => '',
): UnknownField[] {
  const described: UnknownField[] = names.slice(0, namedAtMost).map((name) => {
    const nearest = nearestName(name, known);
    const param = nameForPeople(name);
    const hint = nearest === null ? hintOf(name) : ` Did you mean ${nearest}?`;
    return { param, statement: `${param} is not a known parameter`, outcome: 'it was ignored', hint };
  });
  const others = names.length - described.length;
  if (others > 0) {
    const statement = `${others} more parameters are not known`;
    described.push({ param: null, statement, outcome: 'they were ignored', hint: '' });
  }
  return described;
}

export function unknownFieldWarning({ param, statement, outcome, hint }: UnknownField): Warning {
  return { code: 'unknown_parameter', param, message: `${statement}; ${outcome}.${hint}` };
}

export function unknownFieldProblem({ param, statement, hint }: UnknownField): Problem {
  return { error: 'unknown_parameter', param: param ?? '', code: 'unknown', message: `${statement}.${hint}` };
}

/** Returns a name that a caller sent in a form that is safe to store and show: short, printable and well-formed. */
export function nameForPeople(name: string): string {
  const printable = name.replaceAll(/\p{Cc}/gu, '\u{fffd}');
  return (name.length <= nameLength ? printable : `${printable.slice(0, nameLength)}…`).toWellFormed();
}
