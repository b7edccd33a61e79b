import { setTimeout as pause } from 'node:timers/promises';
import { createBox } from '@kinora/boxes/box';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../domain/concurrency-limit.ts';
import { messageOf } from '../../health/part-problems.ts';
import { type DoctorCheck, type DoctorParts, type Finding, failed, skipped } from './doctor-check.ts';
import { doctorChecks } from './doctor-checks.ts';
import { type OpenedParts, type OtherPrograms, openDoctorParts } from './doctor-parts.ts';

/** A finding and the check that made it. */
export interface DoctorResult extends Finding {
  check: string;
}

/** 10 s: a check makes a few requests to one part, and each of them gives up earlier and says why. */
const checkSeconds = 10;
/** 4: a small machine must not run out of time because of the doctor itself. */
const checksAtOnce = 4;

/** Runs all checks with a role's environment, in parallel where they are independent; returns a result for each. */
export async function runDoctor(
  environment: Readonly<Record<string, string | undefined>>,
  programs: OtherPrograms = {},
  startBox = createBox,
): Promise<DoctorResult[]> {
  const opened = openDoctorParts(environment, programs, startBox);
  try {
    const findings = new Map<string, Promise<Finding>>();
    const permits = createConcurrencyLimit({ total: checksAtOnce, perHolder: checksAtOnce });
    for (const check of doctorChecks) findings.set(check.id, runOne(check, opened, findings, permits));
    return await Promise.all(
      doctorChecks.map(async ({ id }) => ({ check: id, ...((await findings.get(id)) ?? skipped('Not checked.')) })),
    );
  } finally {
    await opened.close();
  }
}

async function runOne(
  check: DoctorCheck,
  opened: OpenedParts,
  findings: ReadonlyMap<string, Promise<Finding>>,
  permits: ConcurrencyLimit,
): Promise<Finding> {
  for (const need of check.needs) {
    const needed = await findings.get(need);
    if (needed?.verdict === 'failed' || needed?.verdict === 'skipped')
      return skipped(`Not checked, because ${need} ${needed.verdict === 'failed' ? 'failed' : 'was not checked'}.`);
  }
  if (!opened.parts) return settingsFinding(check, opened.problems);
  const release = await permits.acquire('doctor');
  try {
    return await runInTime(check, opened.parts);
  } finally {
    release();
  }
}

async function runInTime(check: DoctorCheck, parts: DoctorParts): Promise<Finding> {
  const seconds = check.seconds ?? checkSeconds;
  const late = failed(
    `There was no result within ${seconds} s.`,
    'Check whether the part is overloaded or unreachable, and run the doctor again.',
  );
  const run = check.run(parts).catch((error: unknown) => {
    return failed(`The check could not run: ${messageOf(error)}.`, 'Fix this problem, and run the doctor again.');
  });
  return Promise.race([run, pause(seconds * 1000, late, { ref: false })]);
}

/** Without settings, only the first check has a result. */
function settingsFinding(check: DoctorCheck, problems: readonly string[]): Finding {
  if (check.needs.length > 0) return skipped('Not checked, because the settings cannot be read.');
  return failed(problems.join(' '), 'Correct the settings. .env.example describes each of them.');
}
