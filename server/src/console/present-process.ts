import type { ReportedProcess } from '../db/attempts/process-table.ts';
import { isSilent } from '../domain/process-signs.ts';

export function presentProcess({
  id,
  roles,
  version,
  host,
  startedAt,
  silentSeconds,
  ownedEndpoints,
}: ReportedProcess) {
  return {
    id,
    roles,
    version,
    host,
    started_at: Math.floor(startedAt.getTime() / 1000),
    silent_seconds: Math.round(silentSeconds),
    is_silent: isSilent({ silentSeconds }),
    owned_endpoints: roles.includes('worker') ? ownedEndpoints : null,
  };
}
