import { percentile } from '@kinora/stack/harness/percentile';
import type { ProofOutcome } from '../proof.ts';

export type Phase = 'lives' | 'is dead' | 'comes back';

/** A task of cell B, from its create to its video; null if that did not come. */
export interface LivedTask {
  phase: Phase;
  milliseconds: number | null;
  problem: string | null;
}

export interface Answer {
  path: string;
  status: number;
  /** Of the error. */
  code: string | null;
}

export interface CellsEvidence {
  /** Requests to the shared address while both cells live. */
  routes: { name: string; expected: number; status: number }[];
  tasks: readonly LivedTask[];
  /** Requests while cell A is dead. */
  whileDead: readonly Answer[];
  leftOfA: { accepted: number; notCompleted: number };
  /** Requests of cell A by the backend that the map names for its shard; null while it changes. */
  moved: readonly (Answer & { backend: string | null })[];
}

/** The slowest task of a minute says little; their middle says whether the cell works as before. */
const mostMedianFactor = 1.5;

export function judgeCells({ routes, tasks, whileDead, leftOfA, moved }: CellsEvidence): ProofOutcome {
  const of = (phase: Phase) => tasks.filter((task) => task.phase === phase);
  const medianOf = (phase: Phase) =>
    Math.round(
      percentile(
        of(phase).flatMap(({ milliseconds }) => milliseconds ?? []),
        50,
      ),
    );
  const phases: Phase[] = ['lives', 'is dead', 'comes back'];
  const failures: string[] = [];
  for (const { name, expected, status } of routes)
    if (status !== expected) failures.push(`${name} got ${status} instead of ${expected}`);
  for (const phase of phases) {
    const problems = of(phase).flatMap(({ problem }) => problem ?? []);
    if (of(phase).length === 0) failures.push(`cell B did nothing while cell A ${phase}`);
    if (problems.length > 0)
      failures.push(`while cell A ${phase}, ${problems.length} tasks of cell B failed, such as with: ${problems[0]}`);
    // `comes back` starts programs beside cell B, which on one machine says more about the machine.
    if (phase === 'is dead' && medianOf(phase) > mostMedianFactor * medianOf('lives'))
      failures.push(
        `while cell A ${phase}, a task of cell B took ${medianOf(phase)} ms instead of ${medianOf('lives')}`,
      );
  }
  const isUnavailable = ({ status, code }: Answer) => status === 503 && code === 'overloaded';
  const wrong = whileDead.find((answer) =>
    answer.path === 'a link of B' ? answer.status !== 200 : !isUnavailable(answer),
  );
  if (wrong) failures.push(`while cell A is dead, ${wrong.path} got ${wrong.status} ${wrong.code ?? ''}`);
  if (whileDead.length === 0) failures.push('nobody asked while cell A was dead');
  if (leftOfA.accepted === 0 || leftOfA.notCompleted > 0)
    failures.push(`of ${leftOfA.accepted} tasks of cell A, ${leftOfA.notCompleted} are not completed`);
  const isMoving = ({ status, code }: Answer) => status === 503 && code === 'moving';
  const lost = moved.find((answer) => answer.status !== 200 && !isMoving(answer));
  if (lost) failures.push(`while a shard moved, ${lost.path.split('?')[0]} got ${lost.status} ${lost.code ?? ''}`);
  for (const [backend, isRight] of [
    ['cell_b', isMoving],
    ['moving', isMoving],
    ['cell_a', ({ status }: Answer) => status === 200],
  ] as const) {
    const answers = moved.filter((answer) => answer.backend === backend);
    if (!answers.some(isRight)) failures.push(`no request was answered as it should while the map named ${backend}`);
    if (answers.some((answer) => !isRight(answer))) failures.push(`the map named ${backend}, and another answered`);
  }
  return {
    figures: {
      routes: routes.length,
      ...Object.fromEntries(phases.map((phase) => [`tasksWhileA ${phase}`, of(phase).length])),
      ...Object.fromEntries(phases.map((phase) => [`medianMilliseconds while A ${phase}`, medianOf(phase)])),
      answersWhileDead: whileDead.length,
      tasksOfA: leftOfA.accepted,
      answersWhileMoving: moved.length,
    },
    failures,
  };
}
