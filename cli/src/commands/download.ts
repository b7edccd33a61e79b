import type { DownloadOptions } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import { checkOutput, standardOutput } from '../check-output.ts';
import type { Context } from '../context.ts';
import { helpExamples } from '../help-examples.ts';
import { exitInterrupted, saveOutput } from '../save-output.ts';

interface Options {
  output?: string;
  variant: NonNullable<DownloadOptions['variant']>;
  force?: true;
}

const endings = { video: '.mp4', thumbnail: '.jpg', spritesheet: '.spritesheet.jpg' };

/** Adds `kinora download`, which writes a complete file or none, and overwrites an existing one only with --force. */
export function addDownload(program: Command, context: () => Context): void {
  program
    .command('download')
    .description('save the video of a completed task')
    .argument('<task>', 'its id')
    .option('-o, --output <file>', 'where to save it; - is stdout (default: <task id>.mp4)')
    .addOption(
      new Option('--variant <what>', 'what to save').choices(['video', 'thumbnail', 'spritesheet']).default('video'),
    )
    .option('-f, --force', 'overwrite an existing file')
    .addHelpText(
      'after',
      helpExamples(
        'kinora download task_01k9zqv3x4e8rb6t7y2m5n0p1q -o boat.mp4',
        'kinora download task_01k9zqv3x4e8rb6t7y2m5n0p1q -o - | ffplay -',
      ),
    )
    .action(async (taskId: string, { output, variant, force }: Options) => {
      const { kinora, print, isJson } = context();
      const path = output ?? `${taskId}${endings[variant]}`;
      await checkOutput(path, { isForced: force ?? false, isJson });
      process.once('SIGINT', exitInterrupted);
      await saveOutput(await kinora(), taskId, path, { variant, overwrite: force ?? false });
      if (path !== standardOutput) print(path, { id: taskId, variant, saved_as: path });
    });
}
