import { Argument, type Command } from 'commander';
import type { Context } from '../context.ts';
import { renderCompletion, type Shell } from '../render-completion.ts';

/** Adds `kinora completion`, which prints a completion script for a shell. */
export function addCompletion(program: Command, context: () => Context): void {
  program
    .command('completion')
    .description('print completion for a shell, as in `source <(kinora completion bash)`')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .action((shell: Shell) => {
      const script = renderCompletion(program, shell);
      context().print(script, { shell, script });
    });
}
