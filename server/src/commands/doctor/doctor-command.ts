import type { Command } from 'commander';
import { ownEnvironment } from '../../config/config.ts';
import type { DoctorResult } from './run-doctor.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'check every part of the installation, and say what is wrong and what to do; exit with 1 if a check failed',
    )
    .option('--json', 'print one JSON object', false)
    .action(async ({ json }: { json: boolean }) => {
      // This import loads the clients of all parts, which no other command needs together.
      const { runDoctor } = await import('./run-doctor.ts');
      const results = await runDoctor(ownEnvironment());
      const hasFailed = results.some(({ verdict }) => verdict === 'failed');
      if (json) console.log(JSON.stringify({ ok: !hasFailed, checks: results }, null, 2));
      else for (const line of renderReport(results)) console.log(line);
      // Boxes and connections that hang must not keep the process.
      process.exit(hasFailed ? 1 : 0);
    });
}

/** Returns the lines of the report: one per check, with the remedy below it, and a summary. */
function renderReport(results: readonly DoctorResult[]): string[] {
  const width = Math.max(...results.map(({ check }) => check.length));
  const lines = results.flatMap(({ check, verdict, message, remedy }) => {
    const indent = ' '.repeat(9 + width + 2);
    return [`${verdict.padEnd(9)}${check.padEnd(width + 2)}${message}`, ...(remedy ? [`${indent}→ ${remedy}`] : [])];
  });
  const count = (verdict: string): number => results.filter((result) => result.verdict === verdict).length;
  const summary = (['ok', 'warning', 'failed', 'skipped'] as const).map((verdict) => `${count(verdict)} ${verdict}`);
  return [...lines, '', summary.join(', ')];
}
