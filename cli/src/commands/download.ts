import type { DownloadOptions } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import { checkOutput } from '../check-output.ts';
import type { Context } from '../context.ts';

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
    .option('-o, --output <file>', 'where to (default: <task id>.mp4)')
    .addOption(
      new Option('--variant <what>', 'what of it').choices(['video', 'thumbnail', 'spritesheet']).default('video'),
    )
    .option('-f, --force', 'write over a file that is there')
    .action(async (taskId: string, { output, variant, force }: Options) => {
      const { kinora, print } = context();
      const path = output ?? `${taskId}${endings[variant]}`;
      await checkOutput(path, { isForced: force ?? false });
      await (await kinora()).videos.save(taskId, path, { variant });
      print(path, { id: taskId, variant, saved_as: path });
    });
}
