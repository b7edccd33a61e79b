import type { CheckResult } from '../ci/step.ts';
import type { Mutant } from './mutant-list.ts';

/** Failures that say nothing about the fault: a crash, code that does not compile, or a limit that ran out. */
const unrelated =
  /timed out|Timeout|did not happen within|(Syntax|Reference|Type)Error|Cannot find (module|package)|ERR_|it could not run to its end|^(ended with status|was ended by)/;

/** Returns why a planted fault was not found as it should be; null if it was. */
export function judgeMutant(
  { because }: Pick<Mutant, 'because'>,
  without: readonly CheckResult[],
  withFault: readonly CheckResult[],
): string | null {
  const ran = without.filter(({ status }) => status !== 'skipped');
  if (ran.length === 0) return 'its check did not run';
  const broken = ran.find(({ status }) => status === 'failed');
  if (broken) return `its check fails without the fault: ${broken.message}`;
  const failures = withFault.filter(({ status }) => status === 'failed');
  if (failures.length === 0) return 'its check passes with the fault';
  const wrong = failures.find(({ message }) => unrelated.test(message));
  if (wrong) return `its check failed for another reason: ${wrong.message}`;
  if (failures.some(({ message }) => because.test(message))) return null;
  return `no failure says ${String(because)}: ${failures.map(({ message }) => message).join('\n')}`;
}
