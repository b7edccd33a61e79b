import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addBatch } from './commands/batch.ts';
import { addCancel } from './commands/cancel.ts';
import { addCompletion } from './commands/completion.ts';
import { addDelete } from './commands/delete.ts';
import { addDownload } from './commands/download.ts';
import { addEstimate } from './commands/estimate.ts';
import { addGenerate } from './commands/generate.ts';
import { addKeys } from './commands/keys.ts';
import { addLimits } from './commands/limits.ts';
import { addList } from './commands/list.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addLogout } from './commands/logout.ts';
import { addMcp } from './commands/mcp.ts';
import { addModels } from './commands/models.ts';
import { addShow } from './commands/show.ts';
import { addUsage } from './commands/usage.ts';
import { addWait } from './commands/wait.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { createContext, type GlobalOptions } from './context.ts';
import { exitCodeHelp, UsageError } from './exit-codes.ts';
import { environmentHelp, helpExamples } from './help-examples.ts';
import { describeError, errorAsJson } from './terminal/describe-error.ts';

const commands = [
  addGenerate,
  addBatch,
  addEstimate,
  addList,
  addShow,
  addWait,
  addDownload,
  addCancel,
  addDelete,
  addModels,
  addLimits,
  addUsage,
  addKeys,
  addWebhooks,
  addListen,
  addMcp,
  addLogin,
  addLogout,
  addCompletion,
];

/** Returns the program with all its commands, before it reads a command line. */
export function createProgram(): Command {
  const program = new Command('kinora')
    .description('Videos from prompts and images, by a Kinora service.')
    .version(manifest.version)
    .option('--json', 'print JSON, for other programs')
    .option('-q, --quiet', 'print only results and errors, no progress')
    .option('--profile <name>', 'use the key of this `kinora login --profile` (environment: KINORA_PROFILE)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      helpExamples(
        'kinora login https://kinora.example.com',
        'kinora generate "a paper boat on a quiet lake at dawn" -o boat.mp4',
        'kinora batch jobs.jsonl -o videos',
        'kinora list --status failed',
      ),
    )
    .addHelpText('after', environmentHelp)
    .addHelpText('after', exitCodeHelp)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(`${errorText(program, new UsageError(sentenceOf(text)))}\n`),
    })
    .showSuggestionAfterError();
  const context = () => createContext(program.opts<GlobalOptions>());
  for (const add of commands) add(program, context);
  return program;
}

/** Renders an error for people, or as JSON if the command line asks for it. */
export function errorText(program: Command, error: unknown): string {
  const isJson = program.opts<GlobalOptions>().json ?? false;
  return isJson ? JSON.stringify(errorAsJson(error)) : describeError(error);
}

/** Turns a message of commander, such as "error: unknown option '--x'", into a sentence like all others. */
function sentenceOf(text: string): string {
  const [first = '', ...more] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  return [/[.?!]$/.test(sentence) ? sentence : `${sentence}.`, ...more].join(' ');
}
