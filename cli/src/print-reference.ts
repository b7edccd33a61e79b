import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type JsonSchemaType } from '@modelcontextprotocol/server';
import type { Argument, Command, Option } from 'commander';
import { createProgram } from './create-program.ts';
import { exitCodeHelp } from './exit-codes.ts';
import { environmentHelp } from './help-examples.ts';
import { createMcpServer } from './mcp/create-mcp-server.ts';

// Prints docs/cli.md from the definitions of the commands and of the tools of `kinora mcp`. `scripts/generate.ts` starts it
// with the condition `kinora-source`, without which the command line does not find the sources of the SDK.

const program = createProgram();
const page = `# The commands of \`kinora\`

\`scripts/generate.ts\` writes this page from the definitions in \`cli/src/\`; do not edit it. \`kinora help COMMAND\` prints the
same. [The command line](../cli/README.md) says what help cannot: output, errors for other programs, profiles, and how
commands behave when something goes wrong.

## For every command

${table('Option', [...program.options.map(optionRow), ['`-h, --help`', 'describes the command']])}

### Exit codes

${table('Code', rowsOf(exitCodeHelp, /^ +(\d+) {2}(.*)$/gm))}

### Environment

${table(
  'Variable',
  rowsOf(environmentHelp, /^ {2}([A-Z_]+) +(.*)$/gm).map(([name, text]) => [`\`${name}\``, text]),
)}

${program.commands.flatMap((command) => sectionsOf(command, '##')).join('\n\n')}

## Tools of kinora mcp

[mcp.md](mcp.md) says how assistants use them.

${(await toolSections()).join('\n\n')}
`;
process.stdout.write(page);

type Row = readonly [name: string, text: string];

/** Returns the section of a command and those of its subcommands. */
function sectionsOf(command: Command, mark: string): string[] {
  const names = [command.name()];
  for (let one = command.parent; one; one = one.parent) names.unshift(one.name());
  const name = names.join(' ');
  const isGroup = command.commands.length > 0;
  const words = command.registeredArguments.map(wordOf).join(' ');
  const rows = [...command.registeredArguments.map(argumentRow), ...command.options.map(optionRow)];
  const examples = examplesOf(command);
  const text = escaped(`${command.description()}.`);
  const section = [
    `${mark} ${name}`,
    isGroup ? capitalised(text) : `\`${`${name} ${words}`.trim()}\`: ${text}`,
    ...(rows.length > 0 ? [table('Argument or option', rows)] : []),
    ...(examples.length > 0 ? [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``] : []),
  ].join('\n\n');
  return [section, ...command.commands.flatMap((one) => sectionsOf(one, `${mark}#`))];
}

function wordOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentRow(argument: Argument): Row {
  return [`\`${wordOf(argument)}\``, argument.description];
}

function optionRow({ flags, description, argChoices, defaultValue, mandatory }: Option): Row {
  const remarks = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices ? [`one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`] : []),
    ...(defaultValue === undefined ? [] : [`default: ${String(defaultValue)}`]),
  ];
  return [`\`${flags}\``, [description, ...remarks].join('; ')];
}

/** Returns the examples that the help of a command ends with. */
function examplesOf(command: Command): string[] {
  let help = '';
  command.configureOutput({
    writeOut(text) {
      help += text;
    },
  });
  command.outputHelp();
  const [, examples = ''] = help.split('\nExamples:\n');
  return [...examples.matchAll(/^ {2}(\S.*)$/gm)].map(([, example = '']) => example);
}

async function toolSections(): Promise<string[]> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(() => Promise.reject(new Error('no service is needed')), {
    pictureFolders: [],
    saveFolder: undefined,
  });
  await server.connect(there);
  const client = new Client({ name: 'documentation', version: '1' });
  await client.connect(here);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name, description = '', inputSchema: { properties = {}, required = [] } }) => {
    const rows = Object.entries(properties).map(
      ([field, schema]): Row => [
        `\`${field}\``,
        [describe(schema), ...(required.includes(field) ? ['Required.'] : [])].join(' '),
      ],
    );
    return [`### ${name}`, escaped(description), ...(rows.length > 0 ? [table('Field', rows)] : [])].join('\n\n');
  });
}

/** Returns the description of a field of a tool, with its allowed values and its default. */
function describe(schema: unknown): string {
  const { description = '', enum: choices, minimum, maximum, default: preset } = schema as JsonSchemaType; // our own schemas
  return [
    description,
    ...(choices ? [`One of ${choices.map((choice) => `\`${String(choice)}\``).join(', ')}.`] : []),
    ...(minimum !== undefined && maximum !== undefined ? [`From ${minimum} to ${maximum}.`] : []),
    ...(preset === undefined ? [] : [`Default: ${String(preset)}.`]),
  ].join(' ');
}

function rowsOf(text: string, pattern: RegExp): Row[] {
  return [...text.matchAll(pattern)].map(([, name = '', description = '']): Row => [name, description]);
}

function table(head: string, rows: readonly Row[]): string {
  const lines = rows.map(([name, text]) => `| ${name} | ${escaped(text).replaceAll('|', '\\|')} |`);
  return [`| ${head} | Meaning |`, '|---|---|', ...lines].join('\n');
}

/** Keeps Markdown from reading `<task id>` as HTML. */
function escaped(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/<(?=[a-z])/g, '\\<');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
