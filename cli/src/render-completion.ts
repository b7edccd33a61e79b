import type { Command } from 'commander';
import { type CommandNode, type CompletedOption, commandTree } from './command-tree.ts';

/** The supported shells. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** Renders a completion script from the program's own commands, so that it cannot be out of date. */
export function renderCompletion(program: Command, shell: Shell): string {
  const nodes = commandTree(program);
  return { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell](nodes);
}

/** An empty reply lets bash complete file names, which suits values and arguments without known choices. */
function renderBash(nodes: readonly CommandNode[]): string {
  const byLine = (wordsOf: (node: CommandNode) => readonly string[]) =>
    nodes.flatMap((node) => {
      const words = wordsOf(node);
      return words.length > 0 ? [`        ${quote(node.line)}) words=${quote(words.join(' '))} ;;`] : [];
    });
  return [
    '_kinora() {',
    "  local line='' words='' word index",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}',
    '  # --option=value comes in three words',
    '  if [[ $current == = ]]; then',
    "    current=''",
    '  elif [[ $previous == = ]]; then',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    '    previous=${COMP_WORDS[COMP_CWORD-2]}',
    '  fi',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    '    word=${COMP_WORDS[index]}',
    '    case "$line/$word" in',
    `      ${allLines(nodes)}) line=$line/$word ;;`,
    '    esac',
    '  done',
    '  case "$line $previous" in',
    ...valueCases(nodes, (choices) => `words=${quote(choices.join(' '))}`, 'words='),
    '    *)',
    '      if [[ $current == -* ]]; then',
    '        case $line in',
    ...byLine(({ options }) => options.flatMap(({ names }) => names.filter((name) => name.startsWith('--')))),
    '        esac',
    '      else',
    '        case $line in',
    ...byLine(({ commands, choices }) => [...commands.map(({ name }) => name), ...choices]),
    '        esac',
    '      fi',
    '      ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _kinora kinora',
  ].join('\n');
}

function renderZsh(nodes: readonly CommandNode[]): string {
  const described = (items: readonly { name: string; description: string }[]) =>
    `found=(${items.map(({ name, description }) => quote(`${name}:${description}`)).join(' ')})`;
  const optionCases = nodes.map(({ line, options }) => {
    const items = options.map(({ names: [name = ''], description }) => ({ name, description }));
    return `        (${quote(line)}) ${described(items)} ;;`;
  });
  const commandCases = nodes.flatMap(({ line, commands, choices }) => {
    if (commands.length > 0) return [`        (${quote(line)}) ${described(commands)} ;;`];
    return choices.length > 0 ? [`        (${quote(line)}) compadd -- ${choices.join(' ')}; return ;;`] : [];
  });
  return [
    '#compdef kinora',
    '_kinora() {',
    "  local line='' word index",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    '  local current=${words[CURRENT]} previous=${words[CURRENT-1]}',
    '  local -a found',
    '  for ((index = 2; index < CURRENT; index++)); do',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    '    word=${words[index]}',
    '    case "$line/$word" in',
    `      (${allLines(nodes)}) line=$line/$word ;;`,
    '    esac',
    '  done',
    '  case "$line $previous" in',
    ...valueCases(nodes, (choices) => `compadd -- ${choices.join(' ')}`, '_files', '('),
    '    (*)',
    '      if [[ $current == -* ]]; then',
    '        case $line in',
    ...optionCases,
    '        esac',
    '        _describe -o option found',
    '      else',
    '        case $line in',
    ...commandCases,
    '        (*) _files; return ;;',
    '        esac',
    '        _describe command found',
    '      fi',
    '      ;;',
    '  esac',
    '}',
    '# Either sourced, or found by name in fpath.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    'if [[ ${funcstack[1]} == _kinora ]]; then _kinora "$@"; else compdef _kinora kinora; fi',
  ].join('\n');
}

function renderFish(nodes: readonly CommandNode[]): string {
  return [
    'function __kinora_at',
    "    set -l line ''",
    '    set -l tokens (commandline -opc)',
    '    set -e tokens[1]',
    '    for word in $tokens',
    '        switch "$line/$word"',
    `            case ${nodes.flatMap(({ line }) => (line === '' ? [] : [quote(line)])).join(' ')}`,
    '                set line "$line/$word"',
    '        end',
    '    end',
    '    test "$line" = "$argv[1]"',
    'end',
    ...nodes.flatMap(fishLines),
  ].join('\n');
}

function fishLines({ line, commands, options, choices }: CommandNode): string[] {
  const start = `complete -c kinora -n "__kinora_at '${line}'"`;
  return [
    ...commands.map(({ name, description }) => `${start} -f -a ${name} -d ${fishQuote(description)}`),
    ...(choices.length > 0 ? [`${start} -f -a ${fishQuote(choices.join(' '))}`] : []),
    ...options.map((option) => `${start} ${fishOption(option)} -d ${fishQuote(option.description)}`),
  ];
}

function fishOption({ names, takesValue, choices }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (choices.length > 0) flags.push(`-x -a ${fishQuote(choices.join(' '))}`);
  else if (takesValue) flags.push('-r');
  return flags.join(' ');
}

/** Renders a shell case per option with a value: `complete` for its choices, or `anything`. */
function valueCases(
  nodes: readonly CommandNode[],
  complete: (choices: readonly string[]) => string,
  anything: string,
  open = '',
): string[] {
  return nodes.flatMap(({ line, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices }) => {
        const pattern = names.map((name) => quote(`${line} ${name}`)).join(' | ');
        return `    ${open}${pattern}) ${choices.length > 0 ? complete(choices) : anything} ;;`;
      }),
  );
}

function allLines(nodes: readonly CommandNode[]): string {
  return nodes.flatMap(({ line }) => (line === '' ? [] : [quote(line)])).join(' | ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes text for fish, which has two escapes inside single quotes. */
function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
