import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { makeFolder } from '../check-output.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { helpExamples } from '../help-examples.ts';
import { onInterrupt } from '../interruption.ts';
import { type Job, readJobs } from '../read-jobs.ts';
import { createBatchReport, type Ending } from '../reports/batch-report.ts';
import { runJob } from '../run-job.ts';
import { wholeNumber } from '../whole-number.ts';

interface BatchOptions {
  outputFolder: string;
  atOnce: number;
}

/** 8 retries take about 40 s, longer than a restart of the service. */
const maxRetries = 8;

/** Adds `kinora batch`, which makes a video for each request in a file. A second run resumes the first. */
export function addBatch(program: Command, context: () => Context): void {
  program
    .command('batch')
    .description(
      'make a video from each line of a file. Run it again to resume: existing videos are kept, those in progress ' +
        'are fetched, and failed and cancelled lines get a new task',
    )
    .argument('<jobs>', 'a .jsonl file with one request per line, or a .csv file; the field `output` names the video')
    .option('-o, --output-folder <folder>', 'where the videos go', '.')
    .option('--at-once <number>', 'how many tasks are in progress at once', wholeNumber('--at-once', 1, 999), 4)
    .addHelpText(
      'after',
      helpExamples('kinora batch jobs.jsonl -o videos', 'kinora batch jobs.csv -o videos --at-once 8'),
    )
    .action((path: string, options: BatchOptions) => batch(context(), path, options));
}

async function batch(context: Context, path: string, { outputFolder, atOnce }: BatchOptions): Promise<void> {
  const startedAt = new Date();
  const jobs = await readJobs(path);
  const report = createBatchReport(context, { total: jobs.length, outputFolder });
  const replayed = new Set<string>();
  const onReplay = (key: string) => void replayed.add(key);
  const kinora = await context.kinora({ maxRetries, onTrouble: (text) => report.note(text), onReplay });
  await makeFolder(outputFolder);
  const stop = new AbortController();
  const interruption = onInterrupt({
    question: 'Also cancel the tasks in progress?',
    canCancel: () => true,
    farewell: () => 'The tasks keep running without this command. Run it again to fetch their videos.',
    isJson: context.isJson,
    stop,
    screen: report,
  });
  let fatalError: unknown = null;

  async function end(job: Job): Promise<Ending> {
    const file = join(outputFolder, job.output);
    // A file is renamed into place only when it is complete, so an existing file is a finished video.
    if (await isFile(file)) return { outcome: 'kept', path: file };
    report.start(job);
    try {
      return await runJob(job, { kinora, path: file, signal: stop.signal, replayed, report, startedAt });
    } catch (error) {
      // The error is not about this job, so every other job would fail in the same way.
      fatalError ??= error;
      return { outcome: 'failed', error };
    }
  }

  const waiting = [...jobs];
  const runWaiting = async () => {
    while (!stop.signal.aborted && fatalError === null) {
      const job = waiting.shift();
      if (!job) return;
      report.done(job, await end(job));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runWaiting));
  interruption.forget();
  const { failed, cancelled } = report.end();
  if (fatalError !== null) {
    context.remark('Run the same command again to resume.');
    throw fatalError;
  }
  if (stop.signal.aborted) process.exitCode = exitCodes.cancelled;
  else if (failed + cancelled > 0) process.exitCode = exitCodes.failed;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
