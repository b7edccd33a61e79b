import { type Kinora, KinoraError, type Task, TaskCancelledError } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import { checkOutput, outputNamedAfter, standardOutput } from '../check-output.ts';
import type { Context } from '../context.ts';
import { helpExamples } from '../help-examples.ts';
import { onInterrupt } from '../interruption.ts';
import { createTaskReport } from '../reports/task-report.ts';
import { addRequestOptions, quotedPrompt, type RequestOptions, requestOf } from '../request-options.ts';
import { saveOutput } from '../save-output.ts';
import { oneLine } from '../terminal/one-line.ts';

interface GenerateOptions extends RequestOptions {
  output?: string;
  force?: true;
  detach?: true;
}

/** 5 retries outlast a short network failure; a video takes longer than that anyway. */
const maxRetries = 5;

/** Adds `kinora generate`, which makes one video from a prompt and an optional image, and saves it. */
export function addGenerate(program: Command, context: () => Context): void {
  const command = program
    .command('generate')
    .description('make a video and save it')
    .option('-o, --output <file>', 'where to save it; - is stdout (default: <task id>.mp4)')
    .option('-f, --force', 'overwrite an existing file')
    .addOption(
      new Option('-d, --detach', 'print the id of the task at once, without waiting for the video').conflicts([
        'output',
        'force',
      ]),
    )
    .addHelpText(
      'after',
      helpExamples(
        'kinora generate "a paper boat on a quiet lake at dawn" -o boat.mp4',
        'kinora generate "the camera moves closer" --image harbour.jpg --duration 8',
        'kinora generate "a train in the mountains" -o - | ffplay -',
        'kinora generate "a train in the mountains" --detach',
      ),
    );
  addRequestOptions(command).action((_prompt: string, options: GenerateOptions) =>
    (options.detach ? create : generate)(context(), quotedPrompt(command), options),
  );
}

/** Creates the task and leaves it to `kinora wait` and `kinora download`. */
async function create(context: Context, prompt: string, options: GenerateOptions): Promise<void> {
  const { videos } = await context.kinora();
  const request = await requestOf(prompt, options);
  const task = await ('image' in request ? videos.imageToVideo(request) : videos.textToVideo(request));
  for (const { message } of task.warnings) context.remark(oneLine(message));
  context.print(task.id, task);
}

async function generate(context: Context, prompt: string, options: GenerateOptions): Promise<void> {
  const report = createTaskReport(context);
  const kinora = await context.kinora({ maxRetries, onTrouble: (text) => report.note(text) });
  if (options.output !== undefined) {
    await checkOutput(options.output, { isForced: options.force ?? false, isJson: context.isJson });
  }
  const request = await requestOf(prompt, options);
  const stop = new AbortController();
  let latest: Task | null = null;
  const interruption = onInterrupt({
    question: 'Also cancel the task?',
    canCancel: () => !latest?.is_final,
    farewell: () => farewell(latest),
    task: () => latest,
    isJson: context.isJson,
    stop,
    screen: report,
  });
  try {
    const task = await kinora.videos.run(request, {
      signal: stop.signal,
      onProgress(task) {
        if (!latest) for (const { message } of task.warnings) report.note(oneLine(message));
        latest = task;
        report.show(task);
      },
    });
    interruption.dismiss();
    report.end();
    const path = options.output ?? (await outputNamedAfter(task.id, { isForced: options.force ?? false }));
    await save(context, kinora, task, path, options);
    if (path !== standardOutput) context.print(path, { ...task, saved_as: path });
  } catch (error) {
    if (error instanceof TaskCancelledError) {
      if (error.task) report.show(error.task);
    } else if (error instanceof KinoraError && error.task && !error.task.is_final) {
      // Only the connection to the task is lost. The remark keeps the user from making the same video twice.
      report.end();
      context.remark(farewell(error.task));
    }
    throw error;
  } finally {
    interruption.forget();
    report.end();
  }
}

/** Saves the video; if that fails, it says how to download it, so that the user does not make it twice. */
async function save(
  context: Context,
  kinora: Kinora,
  task: Task,
  path: string,
  { force }: GenerateOptions,
): Promise<void> {
  try {
    await saveOutput(kinora, task.id, path, { overwrite: force ?? false });
  } catch (error) {
    context.remark(farewell(task));
    throw error instanceof Error ? Object.assign(error, { task }) : error;
  }
}

function farewell(task: Task | null): string {
  if (!task) return 'No task is known yet. If one was created, `kinora list` shows it.';
  if (task.is_final) return `${task.id} is ${task.status}. Save it with \`kinora download ${task.id}\`.`;
  return [
    `${task.id} keeps running without this command.`,
    `  kinora wait ${task.id}      wait for it`,
    `  kinora download ${task.id}  save it when it is completed`,
  ].join('\n');
}
