import type { DoctorCheck } from './doctor-check.ts';
import { engineChecks } from './engine-checks.ts';
import { machineChecks } from './machine-checks.ts';
import { postgresChecks } from './postgres-checks.ts';
import { publicUrlCheck } from './public-url-check.ts';
import { roleChecks } from './role-checks.ts';
import { settingsChecks } from './settings-checks.ts';
import { storeChecks } from './store-checks.ts';
import { temporalChecks } from './temporal-checks.ts';

/** All checks, in the order of the report. */
export const doctorChecks: readonly DoctorCheck[] = [
  ...settingsChecks,
  ...machineChecks,
  ...postgresChecks,
  ...roleChecks,
  ...engineChecks,
  ...temporalChecks,
  ...storeChecks,
  publicUrlCheck,
];
