import { expect, test } from 'vitest';
import { projectFiles, readText } from './project-files.fixture.ts';

// Our names on the registries are not ours yet. A reader who installs a package by its bare name, or runs it with a
// plain npx, would run somebody else's code. docs/install.md says how to install from a clone.

const packageName = String.raw`(?:kinora(?:-server|-animatic)?|@kinora\/[a-z-]+)(?![\w./-])`;
const installs = new RegExp(
  String.raw`\b(?:npm|pnpm|yarn|bun|deno) (?:i|install|add)\b[^\n\x60|#]*[ :]${packageName}`,
  'g',
);
/** A command that fetches a package to run it, also as the words of a JSON array, unless it must not install. */
const runs = new RegExp(
  String.raw`\b(?:npx|bunx|pnpx|(?:npm|pnpm|yarn) (?:exec|dlx|x))\b(?![^\n\x60]*--no-install)[^\n\x60#]*[ "':]${packageName}`,
  'g',
);

function registryCommandsOf(text: string): string[] {
  return [...text.matchAll(installs), ...text.matchAll(runs)].map(([command]) => command);
}

test('no file tells anybody to get our packages from a registry', () => {
  const files = projectFiles().filter(
    (path) => /\.(?:md|ts|js|json|sh|html|ya?ml)$/.test(path) && path !== 'checks/install-instructions.test.ts',
  );
  expect(files).toContain('docs/install.md');
  const found = files.flatMap((path) => registryCommandsOf(readText(path)).map((command) => `${path}: ${command}`));
  expect(found).toEqual([]);
});

test('the search finds every command that gets a package of ours from a registry', () => {
  const commands = [
    'npm install kinora',
    'npm i --global kinora',
    'npm install @kinora/ai-sdk ai',
    'pnpm add @kinora/sdk',
    'deno add npm:@kinora/sdk',
    'npx kinora mcp',
    'npx --yes kinora',
    '"command": "npx", "args": ["--yes", "kinora", "mcp"]',
    'npx kinora-server start',
    'bunx kinora',
  ];
  expect(commands.filter((command) => registryCommandsOf(`Run \`${command}\` now.`).length !== 1)).toEqual([]);
});

test('the search accepts commands that install tarballs, or nothing', () => {
  const commands = [
    'npm install ./kinora-sdk-0.1.0.tgz',
    'npm install --global ./kinora-0.1.0.tgz',
    'npm install ../clone/packages/kinora-ai-sdk-0.1.0.tgz ai',
    'npx --no-install kinora --version',
    'npm run build -w kinora',
  ];
  expect(commands.flatMap((command) => registryCommandsOf(`Run \`${command}\` now.`))).toEqual([]);
});
