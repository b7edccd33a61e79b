import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mediaLimits } from '../domain/limits.ts';
import { OutputInvalid } from '../errors.ts';
import { withScratchFolder } from '../media/scratch.ts';
import { takeOverAttempt } from '../operations/attempts/take-over-attempt.ts';
import { beginOrThrow, useWorld } from '../operations/operations.fixture.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { createFinishHere } from './finish-here.ts';
import { renderParts } from './render-parts.fixture.ts';
import { runJobToEnd } from './run-job-to-end.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';
import { SlotBoard } from './slot-board.ts';

const world = useWorld();
const store = useTestStorage();
const scratch = temporaryFolder('run-job-to-end');

/** Runs a job whose output is no video to its end. Returns the next step, and whether the engine still has the job. */
async function runOne(whileFinishing: (taskId: string) => Promise<unknown>) {
  const { task, attempt } = await beginOrThrow(world, await world.accept(await world.newProject()));
  const engine = createScriptedEngine();
  const operation = { jobId: attempt.engineJobId };
  engine.jobs.set(attempt.engineJobId, { state: 'succeeded' });
  const { stopParts, ...parts } = renderParts(world, store);
  onTestFinished(stopParts);
  const conform = async () => {
    await whileFinishing(task.id);
    throw new OutputInvalid('no video');
  };
  const withScratch = <T>(work: (folder: string) => Promise<T>) => withScratchFolder(scratch, work);
  const finishHere = createFinishHere({ ...parts, video: { conform }, withScratch }, mediaLimits(1));
  const dependencies = { ...parts, board: new SlotBoard(), maintainEndpoint: () => undefined };
  const context = { cancellationSignal: new AbortController().signal } as unknown as Context;
  const step = await asyncLocalStorage.run(context, () =>
    runJobToEnd(dependencies, task, attempt, engine, operation, finishHere),
  );
  return { step, hasJob: engine.jobs.has(attempt.engineJobId) };
}

describe('the end of a job', () => {
  it('the engine may forget it once the holder of the attempt has ended the attempt', async () => {
    expect(await runOne(async () => undefined)).toEqual({ step: 'generate', hasJob: false });
  });

  it('the engine keeps it for the worker that has taken the attempt over', async () => {
    const taken = await runOne((taskId) => takeOverAttempt(world, taskId));
    expect(taken).toEqual({ step: 'follow', hasJob: true });
  });
});
