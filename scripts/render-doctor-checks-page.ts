import { doctorChecks } from '../server/src/commands/doctor/doctor-checks.ts';

/** Renders docs/operations/doctor-checks.md from the checks of `kinora-server doctor`. */
export function renderDoctorChecksPage(): string {
  const rows = doctorChecks.map(
    ({ id, looksAt, needs }) => `| \`${id}\` | ${looksAt} | ${needs.map((need) => `\`${need}\``).join(', ')} |\n`,
  );
  return `<!-- Generated from server/src/commands/doctor by npm run fix; do not edit. -->

# The checks of kinora-server doctor

In the order of the report. [Check an installation](doctor.md) says how to run them; the doctor prints what to do about each
that is not ok. A check is skipped unless those that it needs are ok or have warnings.

| Check | Looks at | Needs |
|---|---|---|
${rows.join('')}`;
}
