import type { DoctorReport, OperatorParts } from '../console/operator-parts.ts';
import { AppError } from '../errors.ts';
import { judgeProcesses } from '../health/judge-processes.ts';
import { checkPartHealth } from '../health/part-health.ts';
import { listAllAuditEvents } from '../operations/audit/list-audit-events.ts';
import { readEngineBoard } from '../operations/engines/read-engine-board.ts';
import { setDrained } from '../operations/engines/set-drained.ts';
import type { Foundation } from './foundation.ts';

/** Wires what the console offers to operators. Without a doctor, its route finds nothing. */
export function wireOperators(foundation: Foundation, runDoctor: (() => Promise<DoctorReport>) | null): OperatorParts {
  const { db, clock, catalogue, models } = foundation;
  const endpoints = () => models.current().endpoints.map(({ id, pool, engine }) => ({ id, pool, engine }));
  const readBoard = () => readEngineBoard({ db, clock, catalogue, endpoints });
  return {
    readEngineBoard: readBoard,
    setDrained: async (operator, endpointId, isDrained) => {
      await setDrained({ db, clock, endpoints }, operator, endpointId, isDrained ? clock.now() : null);
      const { pools } = await readBoard();
      const endpoint = pools.flatMap((pool) => pool.endpoints).find(({ id }) => id === endpointId);
      if (!endpoint) throw new AppError('not_found'); // the models file has just changed
      return endpoint;
    },
    listBacklog: (limit) => db.engineBoard.projectBacklogs(limit),
    checkHealth: () => checkPartHealth(foundation),
    readRoles: async () => {
      const processes = await db.processes.list().catch(() => null);
      return processes && { processes, problems: judgeProcesses(processes, clock.now()) };
    },
    runDoctor: async () => {
      if (runDoctor === null) throw new AppError('not_found');
      return runDoctor();
    },
    listAuditEvents: (projectId, query) => listAllAuditEvents({ db }, projectId, query),
  };
}
