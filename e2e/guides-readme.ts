import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block of a guide; `file` stands after the language where the block shows a file. */
export interface GuideBlock {
  language: string;
  file: string | null;
  text: string;
}

/** A command of a guide, and what the guide says that it prints. */
export interface GuideCommand {
  command: string;
  output: string[];
}

const folder = new URL('../docs/guides/', import.meta.url);

/** The README of a guide; of '.' the index. */
export function readGuide(guide: string): string {
  return readGuideFile(`${guide}/README.md`);
}

/** A file below the guides' folder. */
export function readGuideFile(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** Every guide by its folder, and '.' for the index, which has a snippet too. */
export function guideNames(): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return ['.', ...entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)];
}

/** The snippets of a guide: everything beside its README. */
export function snippetsOf(guide: string): string[] {
  return readdirSync(new URL(guide, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^README\.md$|\.test\.ts$/.test(entry.name))
    .map(({ name }) => name);
}

/** The fenced blocks of a guide. */
export function blocksOf(guide: string): GuideBlock[] {
  return [...readGuide(guide).matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file, text = '']) => ({ language, file: file ?? null, text }),
  );
}

/** The commands of a guide: lines after `$ ` in its console blocks, each with the lines below it. */
export function commandsOf(guide: string): GuideCommand[] {
  const commands: GuideCommand[] = [];
  for (const { text } of blocksOf(guide).filter(({ language }) => language === 'console')) {
    for (const line of text.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: [] });
      else commands.at(-1)?.output.push(line);
    }
  }
  return commands;
}

const escape = (line: string) => line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** What a guide says of an output, as a pattern: `…` is anything, alone on a line any number of lines. */
export function patternOf(output: string[]): RegExp {
  const lines = output.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${escape(line).replaceAll('…', '.*')}\\n`));
  return new RegExp(`^${lines.join('')}$`);
}

/** The command of a guide that names this snippet, or that starts this way. */
export function commandWith(guide: string, words: string): GuideCommand {
  const found = commandsOf(guide).find(({ command }) => command.includes(words));
  if (!found) throw new Error(`the guide ${guide} has no command with ${words}`);
  return found;
}
