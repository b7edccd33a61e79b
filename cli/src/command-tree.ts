import type { Command, Option } from 'commander';

/** An option as a shell completes it. */
export interface CompletedOption {
  /** As it is typed: `--limit`, and `-n` where there is one. */
  names: string[];
  description: string;
  takesValue: boolean;
  /** The values that it takes; empty where any will do. */
  choices: readonly string[];
}

/** A command and what may follow it. */
export interface CommandNode {
  /** The way to it: `` for the program, `/keys/list` for a command below another. */
  line: string;
  /** The commands below it. */
  commands: { name: string; description: string }[];
  options: CompletedOption[];
  /** The values of its argument, where they are known. */
  choices: readonly string[];
}

const help: CompletedOption = {
  names: ['--help', '-h'],
  description: 'what the command does',
  takesValue: false,
  choices: [],
};

/** The program and every command below it, with the options that each understands. */
export function commandTree(program: Command): CommandNode[] {
  // The options of the program are understood after every command, all but this one.
  const everywhere = program.options.filter(({ long }) => long !== '--version');
  return nodesOf(program, '', everywhere);
}

function nodesOf(command: Command, line: string, everywhere: readonly Option[]): CommandNode[] {
  const options = line === '' ? command.options : [...command.options, ...everywhere];
  const node = {
    line,
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
    options: [...options.map(completedOption), help],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [node, ...command.commands.flatMap((one) => nodesOf(one, `${line}/${one.name()}`, everywhere))];
}

function completedOption({ long, short, description, required, optional, argChoices }: Option): CompletedOption {
  return {
    names: [long, short].filter((name) => typeof name === 'string'),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  };
}
