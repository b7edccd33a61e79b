import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** Adds `kinora mcp`, which serves assistants over the Model Context Protocol. */
export function addMcp(program: Command, context: () => Context): void {
  program
    .command('mcp')
    .description('serve the Model Context Protocol on stdin and stdout, for assistants (see docs/mcp.md)')
    .option('--picture-folder <folder...>', 'let assistants send pictures from these folders (default: from none)')
    .option('--save-folder <folder>', 'let assistants save videos in this folder (default: in none)')
    .action(async ({ pictureFolder = [], saveFolder }: { pictureFolder?: string[]; saveFolder?: string }) => {
      // The protocol's packages are large, and would slow down the start of every other command.
      const { serveMcp } = await import('../mcp/serve-mcp.ts');
      serveMcp(context().kinora, { pictureFolders: pictureFolder, saveFolder });
    });
}
