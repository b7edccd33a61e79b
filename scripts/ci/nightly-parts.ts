import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateSteps } from './gate-steps.ts';
import { root } from './run-step.ts';
import type { Step } from './step.ts';

export interface Part {
  name: string;
  steps: readonly Step[];
}

type NightlyStep = Pick<Step, 'command' | 'reports'> & Partial<Step>;

const part = (name: string, step: NightlyStep): Part => ({ name, steps: [{ name, lane: 'alone', ...step }] });
const vitest = (project: string) => ['vitest', 'run', '--project', project] as const;

const benches = ['create', 'read', 'task', 'footprint', 'growth', 'animatic'];
/** How long random schedules run. */
const simulationMinutes = '60';
/** How long the load of the soak lasts. */
const soakMinutes = '60';

/** Lists what measures or takes long. Each proof is a part of its own. */
export function listNightlyParts(): Part[] {
  return [
    // Every test of the gate again, without a second try.
    { name: 'tests', steps: gateSteps.filter(({ reports }) => reports === 'vitest') },
    ...keptProofs().map((name) =>
      part(name, {
        command: ['node', 'proofs/prove.ts', name, '--tier', 'night'],
        reports: 'ours',
        runsBuild: true,
        needs: ['programs', ...(name === 'diffusion' ? ['engines'] : name === 'fuzz' ? ['python'] : [])],
      }),
    ),
    {
      name: 'simulation',
      steps: [
        {
          name: 'simulation',
          lane: 'alone',
          command: ['node', 'simulation/simulate.ts', '--tier', 'night', '--minutes', simulationMinutes],
          reports: 'ours',
        },
        { name: 'simulated Temporal', lane: 'alone', command: vitest('contract'), reports: 'vitest' },
      ],
    },
    part('engines', { command: vitest('engines'), reports: 'vitest', needs: ['engines'] }),
    part('bench', {
      command: ['node', 'bench/bench.ts', ...benches, '--quick', '--runs', '3'],
      reports: 'ours',
    }),
    part('console-speed', {
      command: vitest('console-speed'),
      reports: 'vitest',
      runsBuild: true,
      needs: ['programs', 'browsers', 'engines'],
    }),
    part('images', { command: [...vitest('package'), 'deploy/images/'], reports: 'vitest', needs: ['images'] }),
    part('compose', {
      command: [...vitest('package'), 'deploy/compose/'],
      reports: 'vitest',
      needs: ['images', 'compose'],
    }),
    part('mutants', {
      command: ['node', 'scripts/mutants/mutants.ts'],
      reports: 'ours',
      needs: ['programs', 'python'],
    }),
    part('first-minutes', { command: ['node', 'scripts/first-minutes.ts'], reports: 'status', needs: ['browsers'] }),
    part('plan', { command: ['node', 'bench/bench.ts', 'plan'], reports: 'ours' }),
    part('soak', {
      command: ['node', 'bench/bench.ts', 'soak', '--minutes', soakMinutes],
      reports: 'ours',
    }),
  ];
}

/** Lists the proofs by their files: loading all of them takes seconds. */
function keptProofs(): string[] {
  const folder = join(root, 'proofs');
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, `${name}.ts`)));
  return names.filter((name) => !readFileSync(join(folder, name, `${name}.ts`), 'utf8').includes('notYetKept:'));
}
