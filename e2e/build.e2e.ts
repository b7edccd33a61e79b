import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { roleNames, startInstallation } from '@kinora/stack/harness/installation';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { startTemporaryStack } from '@kinora/stack/parts/temporary-stack';
import { expect, onTestFinished, test } from 'vitest';
import { save } from './media-folder.ts';
import { probe } from './probe-video.ts';
import { plainPicture } from './sample-pictures.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');

test('a build makes videos and serves the console without the repository', async () => {
  await using cleanup = new AsyncDisposableStack();
  // Outside the repository, so that neither its sources nor its packages are found.
  const folder = testFolder(onTestFinished);
  const stack = await startTemporaryStack('build');
  cleanup.defer(() => stack.wipe());
  await run(process.execPath, [join(root, 'scripts/build.ts'), '--output', folder]);
  const installation = cleanup.use(await startInstallation({ stack, build: folder, roles: roleNames }));
  const { url, testKey: key } = installation;
  const client = createApiClient({ url, key });

  const image_url = `data:image/png;base64,${(await plainPicture('480x480')).toString('base64')}`;
  const shape = { resolution: '480p', aspect_ratio: '1:1', duration: 1 };
  const created = [
    await client.create({ prompt: 'A lighthouse at dusk', ...shape }),
    await client.create({ prompt: 'The camera slowly moves in', image_url, ...shape }),
  ];
  for (const { task_id } of created) {
    const { end } = await client.follow(task_id);
    expect(end).toMatchObject({ status: 'completed', error: null });
    const { streams } = await probe(await save(await client.content(task_id), 'mp4'));
    expect(streams[0]).toMatchObject({ codec_name: 'h264', width: 480, height: 480 });
  }

  for (const path of ['/docs/', '/docs/js/scalar.js', '/openapi.json', '/readyz'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  const page = await (await fetch(installation.consoleUrl)).text();
  const [, script = ''] = /<script type="module"[^>]* src="(\/assets\/[^"]+)"/.exec(page) ?? [];
  const { status, headers } = await fetch(installation.consoleUrl + script);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);

  const unreachable = {
    ...installation.environment,
    KINORA_DATABASE_URL: 'postgres://kinora:unused@127.0.0.1:1/kinora',
  };
  const failure = run(process.execPath, [join(folder, 'main.js'), 'projects', 'create', 'unused'], {
    env: unreachable,
  });
  await expect(failure).rejects.toThrow(/server\/src\/commands\/project-commands\.ts:\d+/);
});
