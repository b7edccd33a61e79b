import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** `kinora mcp`: Kinora for assistants that speak the Model Context Protocol. */
export function addMcp(program: Command, context: () => Context): void {
  program
    .command('mcp')
    .description('serve the Model Context Protocol on stdin and stdout, for assistants (see docs/mcp.md)')
    .action(async () => {
      // The protocol's packages are large: no other command may pay for them.
      const { serveMcp } = await import('../mcp/serve-mcp.ts');
      serveMcp(context().kinora);
    });
}
