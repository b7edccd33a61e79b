import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block of a guide. If the block shows a file, its name follows the language: `file`. */
export interface GuideBlock {
  language: string;
  file: string | null;
  text: string;
}

/** A command of a guide, and the output that the guide shows for it. */
export interface GuideCommand {
  command: string;
  output: string[];
}

const folder = new URL('../docs/guides/', import.meta.url);

/** Reads the README of a guide; '.' is the index of all guides. */
export function readGuide(guide: string): string {
  return readGuideFile(`${guide}/README.md`);
}

/** Reads a file in the folder of the guides. */
export function readGuideFile(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** Returns the folder of every guide, and '.' for the index, which has a snippet too. */
export function guideNames(): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return ['.', ...entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)];
}

/** Returns the snippets of a guide: every file in its folder except the README. */
export function snippetsOf(guide: string): string[] {
  return readdirSync(new URL(guide, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map(({ name }) => name);
}

/** Returns the fenced blocks of a guide. */
export function blocksOf(guide: string): GuideBlock[] {
  return [...readGuide(guide).matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file, text = '']) => ({ language, file: file ?? null, text }),
  );
}

/** Returns the commands of a guide: the lines after `$ ` in its console blocks, each with the output lines below it. */
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

/** Turns an output in a guide into a pattern: `…` matches any text, and alone on a line any number of lines. */
export function patternOf(output: string[]): RegExp {
  const lines = output.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${escape(line).replaceAll('…', '.*')}\\n`));
  return new RegExp(`^${lines.join('')}$`);
}

/** Returns the first command of a guide that contains these words, such as the name of a snippet. */
export function commandWith(guide: string, words: string): GuideCommand {
  const found = commandsOf(guide).find(({ command }) => command.includes(words));
  if (!found) throw new Error(`the guide ${guide} has no command with ${words}`);
  return found;
}
