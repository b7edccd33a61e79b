import type { Command, Option } from 'commander';

/** An option, with what a shell needs to complete it. */
export interface CompletedOption {
  /** As the user types it: `--limit`, and `-n` if it has a short form. */
  names: string[];
  description: string;
  takesValue: boolean;
  /** The allowed values; empty if any value is allowed. */
  choices: readonly string[];
}

/** A command and the words that may follow it. */
export interface CommandNode {
  /** Its path: empty for the program itself, `/keys/list` for a subcommand. */
  line: string;
  /** Its subcommands. */
  commands: { name: string; description: string }[];
  options: CompletedOption[];
  /** The allowed values of its argument; empty if any value is allowed. */
  choices: readonly string[];
}

const help: CompletedOption = {
  names: ['--help', '-h'],
  description: 'what the command does',
  takesValue: false,
  choices: [],
};

/** Returns the program and all its subcommands, each with its options. */
export function commandTree(program: Command): CommandNode[] {
  // Every command accepts the program's own options, except --version.
  const globalOptions = program.options.filter(({ long }) => long !== '--version');
  return nodesOf(program, '', globalOptions);
}

function nodesOf(command: Command, line: string, globalOptions: readonly Option[]): CommandNode[] {
  const options = line === '' ? command.options : [...command.options, ...globalOptions];
  const node = {
    line,
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
    options: [...options.map(completedOption), help],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [node, ...command.commands.flatMap((one) => nodesOf(one, `${line}/${one.name()}`, globalOptions))];
}

function completedOption({ long, short, description, required, optional, argChoices }: Option): CompletedOption {
  return {
    names: [long, short].filter((name) => typeof name === 'string'),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  };
}
