import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kinora } from '@kinora/sdk';
import { eventually } from '@kinora/stack/harness/eventually';
import { ampleLimits } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { describe, expect, inject, test } from 'vitest';
import { commandsOf, commandWith, guideNames, patternOf } from './guides-readme.ts';
import { newWorkspace, type Workspace } from './guides-workspace.ts';
import { openBrowser, openPage } from './open-browser.ts';
import { ownProject, workerPort } from './own-project.ts';
import { probe } from './probe-video.ts';
import { picture } from './sample-pictures.ts';

// Runs every command of the guides in a shell, as a reader would, and compares its output with the one in the guide.

const { url, deadPort } = inject('world');
const ownPort = workerPort();
const ran = new Set<string>();

const [own, hooked, batched, photo] = await Promise.all([
  ownProject('guides', ampleLimits),
  ownProject('guides-webhooks', ampleLimits),
  ownProject('guides-batch', ampleLimits),
  picture({ width: 640, height: 480 }, 'png'),
]);

/** Returns the command of a guide with these words, with the reader's own values (`own`) in place of the examples. */
function takeCommand(guide: string, words: string, own: Record<string, string> = {}) {
  const { command, output } = commandWith(guide, words);
  ran.add(`${guide}: ${command}`);
  const fillIn = (line: string) =>
    Object.entries(own).reduce((text, [example, value]) => text.replaceAll(example, value), line);
  return { command: fillIn(command), pattern: patternOf(output.map(fillIn)) };
}

/** Runs a command of a guide to its end. Returns its exit code, and whether its output matches the guide. */
async function follow(workspace: Workspace, guide: string, words: string) {
  const { command, pattern } = takeCommand(guide, words);
  const { exitCode, stdout, stderr } = await workspace.run(command);
  return { exitCode, printed: pattern.test(stdout) ? 'as the guide says' : `${stdout}${stderr}` };
}

const asTheGuideSays = { exitCode: 0, printed: 'as the guide says' };

/** Probes the video stream of a file that a command has written. */
async function videoOf(workspace: Workspace, name: string) {
  return (await probe(join(workspace.folder, name))).streams[0];
}

/** Runs a command of a guide and returns the secret that it sets in the shell. */
async function secretBy(workspace: Workspace, command: string): Promise<string> {
  const { stdout } = await workspace.run(`${command}\nprintf %s "$KINORA_WEBHOOK_SECRET"`);
  expect(stdout).toMatch(/^whsec_/);
  return stdout;
}

/** Sends a webhook with a wrong signature to the handler, and returns the status of its response. */
async function statusOfForgery(): Promise<number> {
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
  const forged = await fetch(`http://127.0.0.1:${ownPort}/webhooks/kinora`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'webhook-signature': 'v1,AAAA' },
    body: '{"type": "video.completed"}',
  });
  return forged.status;
}

/** Makes the service redeliver an event of the project with the webhooks. */
async function redeliver(type: string): Promise<void> {
  const delivery = await eventually(`${type} has been delivered before`, async () => {
    const { body } = await hooked.client.get<{ data: { id: string; event_type: string; status: string }[] }>(
      '/v1/webhook-deliveries',
    );
    return body.data.find(({ event_type: of, status }) => of === type && status === 'delivered');
  });
  expect((await hooked.client.post(`/v1/webhook-deliveries/${delivery.id}/redeliver`, {})).status).toBe(200);
}

const square = { codec_name: 'h264', width: 480, height: 480 };
const landscape = { codec_name: 'h264', width: 640, height: 480 };

describe.concurrent('the guides', () => {
  test.each(['first-video.sh', 'first-video.ts', 'first-video-command.sh'])(
    'first video: %s makes the video that the guide promises',
    async (file) => {
      const workspace = newWorkspace(own.key);
      expect(await follow(workspace, 'first-video', file)).toEqual(asTheGuideSays);
      expect(await videoOf(workspace, file.includes('command') ? 'paper-boat.mp4' : 'boat.mp4')).toMatchObject(square);
    },
  );

  test.each(['image-to-video.sh', 'image-to-video.ts', 'image-to-video-command.sh'])(
    'image to video: %s animates a picture',
    async (file) => {
      const workspace = newWorkspace(own.key);
      await writeFile(join(workspace.folder, 'photo.jpg'), photo);
      expect(await follow(workspace, 'image-to-video', file)).toEqual(asTheGuideSays);
      expect(await videoOf(workspace, file.includes('command') ? 'moving-photo.mp4' : 'moving.mp4')).toMatchObject(
        landscape,
      );
    },
  );

  test('image to video: a file that is not a picture is refused with a clear message', async () => {
    const refused = await follow(newWorkspace(own.key), 'image-to-video', 'image-to-video.ts README.md');
    expect(refused).toEqual({ ...asTheGuideSays, exitCode: 1 });
  });

  test.each(['npm.ts', 'python.py'])('openai: %s works with two changed lines', async (file) => {
    const workspace = newWorkspace(own.key);
    expect(await follow(workspace, 'openai', file)).toEqual(asTheGuideSays);
    expect(await videoOf(workspace, 'boat.mp4')).toMatchObject(square);
  });

  test('README.md: the request returns a task with the fields that it shows, and repeating it makes no second one', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, command = ''] = /```sh\n(curl [\s\S]*?)```/.exec(readme) ?? [];
    const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(readme) ?? [];
    const workspace = newWorkspace(own.key);
    const [first, second] = [await workspace.run(command), await workspace.run(command)];
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    const [task, repeated, sample] = [first.stdout, second.stdout, shown].map((text) => JSON.parse(text));
    expect(Object.keys(task)).toEqual(Object.keys(sample));
    const { prompt, model, resolution, duration, size, livemode } = sample;
    expect(task).toMatchObject({ prompt, model, resolution, duration, size, livemode });
    expect(repeated.id).toBe(task.id);
  });

  test('index: environment.sh makes the kinora command available in a shell', async () => {
    expect(await follow(newWorkspace(own.key), '.', 'kinora models')).toEqual(asTheGuideSays);
  });

  test('batch: batch.sh makes every video of jobs.jsonl once, although it is killed and run again', async () => {
    const workspace = newWorkspace(batched.key);
    const kinora = new Kinora({ apiKey: batched.key, baseUrl: url });
    const { command } = takeCommand('batch', 'batch.sh');
    const [first, second] = commandsOf('batch').map(({ output }) => patternOf(output));
    const killed = workspace.start(command);
    await eventually('the first film', async () => existsSync(join(workspace.folder, 'films/lighthouse.mp4')));
    await killed.kill();
    expect(await workspace.run(command)).toMatchObject({ exitCode: 0 });
    for (const name of ['lighthouse', 'train', 'castle']) {
      expect(await videoOf(workspace, `films/${name}.mp4`)).toMatchObject(square);
    }
    expect((await workspace.run(command)).stdout).toMatch(second ?? 'a second run');
    // The tasks still exist without the files, so this run only downloads them, and prints the same as the first run.
    await workspace.run('rm -r films');
    expect((await workspace.run(command)).stdout).toMatch(first ?? 'a first run');
    const prompts: string[] = [];
    for await (const { prompt } of kinora.videos.list()) prompts.push(prompt);
    expect(prompts.toSorted()).toEqual(['A castle at night', 'A lighthouse in the fog', 'A train in the mountains']);
  });

  test('webhooks: after register.sh, express.js, fastify.ts and next-route.ts accept real events and refuse forged ones', async () => {
    const workspace = newWorkspace(hooked.key);
    const mine = { '3000': String(ownPort) };
    const secret = await secretBy(workspace, takeCommand('webhooks', 'register.sh http://127.0.0.1', mine).command);
    const silent = { 'https://example.com': `http://127.0.0.1:${deadPort}` };
    await secretBy(workspace, takeCommand('webhooks', 'register.sh https://example.com', silent).command);
    const variables = { KINORA_WEBHOOK_SECRET: secret, PORT: String(ownPort) };
    const express = takeCommand('webhooks', 'express.js', mine);
    const first = workspace.start(`exec ${express.command}`, variables);
    await first.printed(/listening/);

    // A handler without a public address gets the same events from `kinora listen`, with a secret of its own.
    const port = String(await findFreePorts(1));
    const made = await secretBy(workspace, takeCommand('webhooks', 'openssl rand').command);
    const behind = { KINORA_WEBHOOK_SECRET: made, PORT: port };
    const handler = workspace.start(`exec ${express.command}`, behind);
    await handler.printed(/listening/);
    const listen = takeCommand('webhooks', 'kinora listen', { '3000': port });
    const listening = workspace.start(`exec ${listen.command}`, behind);
    await listening.printed(/Forwarding/);

    const { id } = await new Kinora({ apiKey: hooked.key, baseUrl: url }).videos.textToVideo({
      prompt: 'A paper boat',
      ...smallestVideo,
    });
    await first.printed(new RegExp(`video.completed ${id}`));
    expect(first.stdout()).toMatch(express.pattern);
    expect(await statusOfForgery()).toBe(400);
    await first.printed(/refused: WebhookVerificationError/);
    await first.kill();
    await handler.printed(new RegExp(`video.completed ${id}`));
    await listening.printed(new RegExp(`video.completed +${id} .*\n`));
    expect(listening.stdout()).toMatch(listen.pattern);

    // The service redelivers the same events to the other handlers; e2e/guides-next-server.ts plays Next.js.
    for (const command of [takeCommand('webhooks', 'fastify.ts', mine).command, 'node e2e/guides-next-server.ts']) {
      const server = workspace.start(`exec ${command}`, variables);
      await server.printed(/listening/);
      await redeliver('video.started');
      await server.printed(new RegExp(`video.started ${id}`));
      await redeliver('video.completed');
      await server.printed(new RegExp(`video.completed ${id}`));
      expect(server.stdout()).toMatch(express.pattern);
      expect(await statusOfForgery()).toBe(400);
      await server.printed(/refused: WebhookVerificationError/);
      await server.kill();
    }
  });

  describe('browser upload: backend.ts', () => {
    async function startBackend() {
      const workspace = newWorkspace(own.key);
      await writeFile(join(workspace.folder, 'photo.png'), photo);
      const { command } = takeCommand('browser-upload', 'backend.ts');
      const backend = workspace.start(`exec ${command}`, { PORT: '0' });
      const [, address = ''] = await backend.printed(/open (\S+)/);
      return { workspace, address };
    }

    test('gives make-video.js, here run in Node, only the id and the events URL and never the key', async () => {
      const { workspace, address } = await startBackend();
      const script = `
        import { openAsBlob } from 'node:fs';
        import { makeVideo } from './docs/guides/browser-upload/make-video.js';
        const fetchIt = fetch;
        globalThis.fetch = async (...request) => {
          const response = await fetchIt(...request);
          console.log(Object.keys(await response.clone().json()).join());
          return response;
        };
        const make = async (name) =>
          makeVideo('${address}/videos', { prompt: 'zoom', image: await openAsBlob(name) }, ({ stage }) => console.log(stage));
        console.log(await make('photo.png'));
        console.log(await make('page.mjs').catch(String));`;
      await writeFile(join(workspace.folder, 'page.mjs'), script);
      const ended = await workspace.run('node --experimental-eventsource page.mjs');
      expect(`${ended.stdout}${ended.exitCode === 0 ? '' : ended.stderr}`).toMatch(
        /^id,events_url\n(?:.*\n)*finishing\nhttp:\S+\/content\S+\nmessage\nError: The image must be a JPEG, PNG or WebP.\n$/,
      );
    });

    test('serves page.html, which in Chromium uploads a picture and plays the video', async () => {
      const { workspace, address } = await startBackend();
      await using browser = await openBrowser();
      const page = await openPage(browser);
      const errors: Error[] = [];
      page.on('pageerror', (error) => errors.push(error));
      await page.goto(address);
      expect(await page.content()).not.toContain('kin_');
      await page.getByLabel('Picture').setInputFiles(join(workspace.folder, 'photo.png'));
      await page.getByRole('button', { name: 'Make a video' }).click();
      await page.getByRole('status').getByText('done').waitFor();
      await page.waitForFunction(`document.querySelector('video').videoWidth === 640`);
      expect(errors).toEqual([]);
    });
  });
});

test('browser token: token-backend.ts gives token-page.ts, here run in Node, tokens of one task and never the key', async () => {
  const workspace = newWorkspace(own.key);
  const backend = workspace.start(`exec ${takeCommand('browser-token', 'token-backend.ts').command}`, { PORT: '0' });
  const [, address = ''] = await backend.printed(/listening on (\S+)/);
  const script = `
    import { makeVideo } from './docs/guides/browser-token/token-page.ts';
    const bearers = new Set();
    const fetchIt = fetch;
    globalThis.fetch = (url, init = {}) => {
      const bearer = [...new Headers(init.headers).values()].find((value) => value.startsWith('Bearer '));
      bearers.add(bearer?.slice(0, 'Bearer kin_token_'.length) ?? 'none');
      return fetchIt(url, init);
    };
    console.log(await makeVideo('a kite', console.log, '${address}/videos'));
    console.log([...bearers].join());`;
  await writeFile(join(workspace.folder, 'page.mjs'), script);
  const ended = await workspace.run('node page.mjs');
  expect(`${ended.stdout}${ended.exitCode === 0 ? '' : ended.stderr}`).toMatch(
    /^(?:a kite: .* %\n)+http:\S+\/content\S+\nnone,Bearer kin_token_\n$/,
  );
});

test('the tests above ran every command of every guide', () => {
  const all = guideNames().flatMap((guide) => commandsOf(guide).map(({ command }) => `${guide}: ${command}`));
  expect([...ran].toSorted()).toEqual([...new Set(all)].toSorted());
});
