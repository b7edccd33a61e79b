import { judgeProcesses, type ProcessProblem } from '../../health/judge-processes.ts';
import { type DoctorCheck, failed, ok } from './doctor-check.ts';

function check(kind: ProcessProblem['kind'], looksAt: string, fine: string): DoctorCheck {
  return {
    id: `roles.${kind}`,
    looksAt,
    needs: ['postgres.schema'],
    async run({ foundation: { db, clock } }) {
      const problems = judgeProcesses(await db.processes.list(), clock.now()).filter(
        (problem) => problem.kind === kind,
      );
      const [first] = problems;
      return first ? failed(problems.map(({ reason }) => reason).join(' '), first.remedy) : ok(fine);
    },
  };
}

export const roleChecks: readonly DoctorCheck[] = [
  check('missing', 'whether an api, a relay and a worker report themselves', 'Every role runs.'),
  check('silent', 'processes that have not reported for 15 s, until 10 min', 'No process is silent.'),
  check('versions', 'the versions of the processes: one minor version apart at most', 'The versions work together.'),
  check(
    'clock',
    'the clock of each process against that of Postgres: 5 s off fails',
    'All clocks agree with that of Postgres.',
  ),
  check(
    'timers',
    'whether a relay holds the lock, and all of its timers run without an error',
    'The timers of the relay run.',
  ),
  {
    id: 'pools.unserved',
    looksAt: 'pools that tasks wait for and no endpoint serves',
    needs: ['postgres.schema'],
    async run({ foundation: { db } }) {
      const pools = await db.unservedPools.list();
      if (pools.length === 0) return ok('Every pool that tasks wait for has an endpoint.');
      const waiting = pools.map(({ pool, waiting }) => `${pool} (${waiting})`).join(', ');
      return failed(
        `Tasks wait for pools that no endpoint serves: ${waiting}.`,
        'Put an endpoint of the pool back, start its engine or resume it, or cancel the tasks. They fail at their wait limit.',
      );
    },
  },
];
