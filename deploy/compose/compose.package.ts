import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { namesOfPageCommands, readPageCommands } from '@kinora/stack/harness/page-commands';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { openImage } from '@kinora/stack/parts/container-image';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComposeEngine, type EngineImage } from './runner/compose-engine.ts';
import { loadProject } from './runner/compose-project.ts';
import { copyInstallation } from './runner/copy-installation.ts';
import { buildPrevious, hasPrevious, isKnownToPrevious, previousComposeFile } from './runner/previous-build.ts';

// Walks the page for operators with a stand-in for Docker: docs/operations/compose.md says what it does and does not do.

const run = promisify(execFile);
const page = readFileSync(join(import.meta.dirname, '../../docs/operations/compose.md'), 'utf8');
const version = '0.1.0';
const previousVersion = '0.0.0-previous';
const roles = ['relay', 'worker', 'api', 'console', 'animatic'];

const folder = testFolder();
/** What an operator has copied to the machine. */
const installation = copyInstallation(folder);
const composeFile = join(installation, 'compose.yaml');
const present = readFileSync(composeFile, 'utf8');
const earlier = () => previousComposeFile().replaceAll(`:-${version}}`, `:-${previousVersion}}`);

/** The earlier version runs in today's image, which may set variables that are new. */
function withKnownVariables<Image extends { environment: Record<string, string> }>(image: Image): Image {
  const known = Object.entries(image.environment).filter(([name]) => isKnownToPrevious(name));
  return { ...image, environment: Object.fromEntries(known) };
}

describe('an installation', () => {
  let engine: ComposeEngine;
  let environment: Record<string, string>;

  beforeAll(async () => {
    rmSync(join(installation, '.env'), { force: true });
    const server = await openImage('server');
    const animatic = await openImage('animatic');
    const images = new Map<string, EngineImage>([
      [`kinora-server:${version}`, { image: server, mounts: [] }],
      [`kinora-animatic:${version}`, { image: animatic, mounts: [] }],
    ]);
    if (hasPrevious()) {
      const mounts = [{ folder: buildPrevious(), at: '/opt/kinora' }];
      images.set(`kinora-server:${previousVersion}`, { image: withKnownVariables(server), mounts });
      images.set(`kinora-animatic:${previousVersion}`, { image: withKnownVariables(animatic), mounts });
    }
    mkdirSync(join(folder, 'engine'));
    engine = await ComposeEngine.start(join(folder, 'engine'), images);
    mkdirSync(join(folder, 'bin'));
    const docker = `exec ${process.execPath} ${join(import.meta.dirname, 'runner/docker.ts')} "$@"`;
    writeFileSync(join(folder, 'bin', 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
    environment = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, KINORA_ENGINE_SOCKET: engine.socketPath };
  });
  afterAll(() => engine?.close());

  /** Runs commands on the host, in the folder of the installation, and returns what they print. */
  async function onHost(commands: string, more: Record<string, string> = {}): Promise<string> {
    const words = [
      `--net=/run/netns/${engine.hostNamespace}`,
      '--',
      'bash',
      '--norc',
      '-euo',
      'pipefail',
      '-c',
      commands,
    ];
    const options = {
      cwd: installation,
      env: { ...environment, ...more },
      maxBuffer: 2 ** 26,
      timeout: hangLimitMilliseconds, // a loop of a block that never ends must not outlive the test
      killSignal: 'SIGKILL' as const,
    };
    // It ends with this process, however that ends.
    return (await run('setpriv', ['--pdeathsig', 'KILL', 'nsenter', ...words], options)).stdout;
  }
  const runBlock = (name: string, more: Record<string, string> = {}) => onHost(readPageCommands(page, name), more);
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(installation, name)))
      .digest('hex');
  const useKey = `key=$(sed -n 's/^KINORA_FIRST_KEY=//p' .env); url=http://127.0.0.1:8080/v1/videos;
    request() { curl -sS --fail "$url$1" -H "Authorization: Bearer $key" "\${@:2}"; };`;

  it('starts in the order of its dependencies, and the key in .env makes the first video', async () => {
    await runBlock('start');
    const { services } = await loadProject(installation, {});
    const at = (event: string) => engine.events.indexOf(event);
    for (const [name, { depends_on = {}, profiles }] of Object.entries(services)) {
      if (profiles) continue;
      expect(at(`${name} started`)).toBeGreaterThanOrEqual(0);
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        const before = at(`${needed} ${condition === 'service_healthy' ? 'healthy' : 'completed'}`);
        expect(before).toBeGreaterThanOrEqual(0);
        expect(before).toBeLessThan(at(`${name} started`));
      }
    }
    await runBlock('first-video');
    expect(readFileSync(join(installation, 'boat.mp4')).subarray(4, 8).toString()).toBe('ftyp');
    expect(JSON.parse(await runBlock('keys'))).toMatchObject({ name: 'first' });
  });

  it('serves the console, and prints the link by which the first operator signs in', async () => {
    expect(await onHost('curl -sS --fail http://127.0.0.1:8081/')).toMatch(
      /<script type="module"[^>]* src="\/assets\//,
    );
    const session = await onHost('curl -sS --fail http://127.0.0.1:8081/console-api/session');
    expect(JSON.parse(session)).toMatchObject({ signed_in: false, sign_in: { needs_first_operator: true } });
    expect(await runBlock('first-operator')).toContain('http://127.0.0.1:8081/welcome#token=');
  });

  it('has no fault that the doctor knows', async () => {
    // It exits with 1 if a check fails.
    const report = await runBlock('doctor');
    expect(report).toMatch(/^ok +temporal\.fairness/m);
    expect(report).not.toMatch(/^(failed|skipped)/m);
  });

  it('comes back from a backup with its keys and videos after all data was removed', async () => {
    await runBlock('backup');
    expect(readdirSync(join(installation, 'backups/monday')).toSorted()).toEqual([
      'README.txt',
      'files.tar',
      'kinora.dump',
    ]);
    const list = `${useKey} request '?limit=1'`;
    const [task = ''] = /task_[0-9a-z]{26}/.exec(await onHost(list)) ?? [];
    await runBlock('remove');
    expect(readdirSync(join(folder, 'engine/volumes'))).toEqual([]);
    await runBlock('restore');
    await onHost(`${useKey} request /${task}/content --output restored.mp4`);
    expect(hashOf('restored.mp4')).toBe(hashOf('boat.mp4'));
  });

  /** Brings the files of another version, runs the command of the page while a task renders, and returns how that ended. */
  async function upgradeTo(to: string, files: string): Promise<unknown> {
    const created = await onHost(`${useKey} request /text-to-video -H 'Content-Type: application/json' \
      -d '{"prompt": "A train crosses a valley at dusk", "resolution": "1080p", "duration": 8}'`);
    const [task = ''] = /task_[0-9a-z]{26}/.exec(created) ?? [];
    await onHost(`${useKey} until request /${task} | grep -q '"status":"in_progress"'; do sleep 0.2; done`);
    writeFileSync(composeFile, files);
    const begun = engine.events.length;
    expect(await runBlock('upgrade', { VERSION: to })).toContain('relies on the backup backups/monday of ');
    const stopped = roles.map((role) => `${role} stopped`);
    expect(engine.events.slice(begun).filter((event) => stopped.includes(event))).toEqual(stopped);
    expect(readFileSync(join(installation, '.env'), 'utf8')).toContain(`\nKINORA_VERSION=${to}\n`);
    await onHost(`${useKey} until request /${task} | grep -q '"is_final":true'; do sleep 0.5; done`);
    const ended = await onHost(`${useKey} request /${task}; request /${task}/content --output train.mp4`);
    expect(readFileSync(join(installation, 'train.mp4')).subarray(4, 8).toString()).toBe('ftyp');
    return JSON.parse(ended);
  }

  const completed = { status: 'completed' };

  it('is upgraded from an earlier version while a task is in flight, which completes', async ({ skip }) => {
    skip(!hasPrevious(), 'this clone has no commit before HEAD to upgrade from');
    // The earlier version, with a database of its own.
    writeFileSync(composeFile, earlier());
    await onHost(`
      docker compose stop api console relay worker animatic
      docker compose exec -T postgres dropdb --username postgres --force kinora </dev/null
      docker compose exec -T postgres createdb --username postgres --owner kinora kinora </dev/null
      sed -i 's/^KINORA_VERSION=.*/KINORA_VERSION=${previousVersion}/' .env
      docker compose up --detach --wait`);
    expect(await upgradeTo(version, present)).toMatchObject(completed);
  });

  it('goes back if migrate of the earlier version accepts the tables, and forward again, with tasks in flight', async ({
    skip,
  }) => {
    skip(!hasPrevious(), 'this clone has no commit before HEAD to go back to');
    const change = (statement: string) =>
      onHost(
        `docker compose exec -T postgres psql --username postgres --dbname kinora --command "${statement}" </dev/null`,
      );
    await change("insert into kysely_migration (name, timestamp, works_with) values ('9999-later', '', null)");
    writeFileSync(composeFile, earlier());
    const before = engine.events.length;
    await expect(runBlock('upgrade', { VERSION: previousVersion })).rejects.toThrow('nothing was replaced');
    expect(engine.events.slice(before)).toEqual(['postgres healthy']);
    expect(readFileSync(join(installation, '.env'), 'utf8')).toContain(`\nKINORA_VERSION=${version}\n`);
    writeFileSync(composeFile, present);
    await change("update kysely_migration set works_with = '0.0.0' where name = '9999-later'");
    expect(await upgradeTo(previousVersion, earlier())).toMatchObject(completed);
    expect(await upgradeTo(version, present)).toMatchObject(completed);
  });

  it('runs all commands of the page', () => {
    const names = namesOfPageCommands(page);
    expect(names.toSorted()).toEqual([
      'backup',
      'doctor',
      'first-operator',
      'first-video',
      'keys',
      'remove',
      'restore',
      'start',
      'upgrade',
    ]);
  });
});
