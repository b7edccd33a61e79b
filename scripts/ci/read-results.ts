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

/** What Vitest's report lacks: a failure of the whole run, such as a repair that the service made by itself. */
const failureOfTheRun = /^error during close|^Vitest caught \d+ unhandled error/m;
const excerptLines = 30;
/** How much of a step's output is shown if it fails without saying which check failed. */
const shownCharacters = 8_000;

/** How a step ended: its exit status (null if a signal ended it) and its whole output. */
export interface StepEnd {
  status: number | null;
  log: string;
}

/** Reads the results that a step has written. A step that failed without a failed check counts as one failure. */
export function readResults(
  step: Step,
  path: string,
  end: StepEnd,
  root: string,
): Pick<StepResult, 'checks' | 'figures'> {
  const report = readJson(path);
  const own = step.reports === 'ours' && report !== null ? (report as OwnResult[]) : [];
  const checks =
    step.reports === 'status'
      ? [itself(step, end.status === 0 ? 'passed' : 'failed', end)]
      : step.reports === 'ours'
        ? own.map(fromOwn)
        : fromVitest(report as VitestReport | null, end.log, root);
  const isExplained = checks.some(({ status }) => status === 'failed') && !failureOfTheRun.test(end.log);
  const isEmpty = !checks.some(({ status }) => status !== 'skipped');
  if ((end.status !== 0 && !isExplained) || isEmpty) checks.push(itself(step, 'failed', end));
  return {
    checks,
    figures: Object.fromEntries(own.flatMap(({ name, figures }) => (figures ? [[name, figures]] : []))),
  };
}

/** Returns null if a step was killed before it had written its results, or while it did. */
function readJson(path: string): unknown {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function fromVitest(report: VitestReport | null, log: string, root: string): CheckResult[] {
  return (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const checks = assertionResults.map((test): CheckResult => {
      const title = { file, name: test.fullName };
      if (test.status !== 'failed') {
        return { ...title, status: test.status === 'passed' ? 'passed' : 'skipped', message: '' };
      }
      const failures = (test.failureMessages ?? []).join('\n');
      return { ...title, status: 'failed', message: excerptOf(title, log) ?? failures };
    });
    // A file whose import or hook failed has no failed test.
    const hasFailed = status === 'failed' && !checks.some((check) => check.status === 'failed');
    return hasFailed ? [...checks, { file, name: 'the file itself', status: 'failed', message }] : checks;
  });
}

/** Returns what Vitest's log says of a failed test, whose JSON has no difference, without the lines of its source. */
function excerptOf({ file, name }: Pick<CheckResult, 'file' | 'name'>, log: string): string | null {
  const lines = log.split('\n');
  const isTitle = (line: string): boolean =>
    line.startsWith(' FAIL ') && line.replaceAll(' > ', ' ').endsWith(`${file} ${name}`);
  const begin = lines.findIndex(isTitle);
  if (begin === -1) return null;
  const excerpt = lines.slice(begin + 1, begin + 1 + excerptLines);
  return excerpt.filter((line) => !/^\s*\d*\s*\|/.test(line)).join('\n');
}

function fromOwn({ name, passed, objections }: OwnResult): CheckResult {
  return { file: name, name, status: passed ? 'passed' : 'failed', message: objections.join('\n') };
}

function itself({ name }: Step, status: CheckResult['status'], { status: code, log }: StepEnd): CheckResult {
  const how = code === null ? 'was ended by a signal' : `ended with status ${code}`;
  const message = status === 'failed' ? `${how}:\n${log.slice(-shownCharacters)}` : '';
  return { file: name, name, status, message };
}
