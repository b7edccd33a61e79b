/**
 * Returns the commands of the block on a page that begins with "```sh NAME", without the indentation that a block has
 * inside a list. Tests run them, so that the page cannot say anything that does not work.
 */
export function readPageCommands(page: string, name: string): string {
  const [, indentation = '', commands] =
    new RegExp(`^( *)\`\`\`sh ${name}\n([\\s\\S]*?)^\\1\`\`\`$`, 'm').exec(page) ?? [];
  if (commands === undefined) throw new Error(`the page has no commands named ${name}`);
  return commands.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
}

/** Returns the names of all blocks of commands on a page. Throws if a block has another language or no name. */
export function namesOfPageCommands(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```(\S*) ?(.*)$\n/gm)].filter(([, language]) => language !== '');
  return blocks.map(([opening, language, name]) => {
    if (language !== 'sh' || !name) throw new Error(`a test cannot run the block ${opening.trim()}`);
    return name;
  });
}
