import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { CheckResult, Step, StepResult } from './step.ts';

/** The part of Vitest's JSON report that is read. */
interface VitestReport {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/** What `prove`, `bench` and `check` write with `--results`. */
export interface OwnResult {
  name: string;
  passed: boolean;
  seconds: number;
  objections: string[];
  figures?: Record<string, number | string>;
}

const excerptLines = 30;

/** How a step ended: its exit status (null if a signal ended it) and the end of its output. */
export interface StepEnd {
  status: number | null;
  output: string;
}

/** Reads the results that a step has written. A step that failed without a failed check counts as one failure. */
export function readResults(
  step: Step,
  path: string,
  end: StepEnd,
  root: string,
): Pick<StepResult, 'checks' | 'figures'> {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : null;
  const own = step.reports === 'ours' && text !== null ? (JSON.parse(text) as OwnResult[]) : [];
  const checks =
    step.reports === 'status'
      ? [itself(step, end.status === 0 ? 'passed' : 'failed', end)]
      : step.reports === 'ours'
        ? own.map(fromOwn)
        : fromVitest(text === null ? { testResults: [] } : (JSON.parse(text) as VitestReport), root);
  const isUnexplained = end.status !== 0 && !checks.some(({ status }) => status === 'failed');
  const isEmpty = !checks.some(({ status }) => status !== 'skipped');
  if (isUnexplained || isEmpty) checks.push(itself(step, 'failed', end));
  return {
    checks,
    figures: Object.fromEntries(own.flatMap(({ name, figures }) => (figures ? [[name, figures]] : []))),
  };
}

/** Adds what Vitest's log says of a failed test: its JSON has no difference between the expected and the actual value. */
export function withExcerpt(check: CheckResult, log: string): CheckResult {
  const lines = log.split('\n');
  const isTitle = (line: string): boolean =>
    line.startsWith(' FAIL ') && line.replaceAll(' > ', ' ').endsWith(`${check.file} ${check.name}`);
  const begin = lines.findIndex(isTitle);
  return begin === -1 ? check : { ...check, message: lines.slice(begin + 1, begin + 1 + excerptLines).join('\n') };
}

function fromVitest({ testResults }: VitestReport, root: string): CheckResult[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const checks = assertionResults.map((test): CheckResult => {
      const hasFailed = test.status === 'failed';
      return {
        file,
        name: test.fullName,
        status: hasFailed ? 'failed' : test.status === 'passed' ? 'passed' : 'skipped',
        message: hasFailed ? (test.failureMessages ?? []).join('\n') : '',
      };
    });
    // A file whose import or hook failed has no failed test.
    const hasFailed = status === 'failed' && !checks.some((check) => check.status === 'failed');
    return hasFailed ? [...checks, { file, name: 'the file itself', status: 'failed', message }] : checks;
  });
}

function fromOwn({ name, passed, objections }: OwnResult): CheckResult {
  return { file: name, name, status: passed ? 'passed' : 'failed', message: objections.join('\n') };
}

function itself({ name }: Step, status: CheckResult['status'], { status: code, output }: StepEnd): CheckResult {
  const message = status === 'failed' ? `ended with status ${code ?? 'none, by a signal'}:\n${output}` : '';
  return { file: name, name, status, message };
}
