import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A page in a real browser. */
export interface Page {
  /** The value of an expression in the page; promises are waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Chooses a file, as a person does in the dialog. */
  chooseFile(selector: string, path: string): Promise<void>;
  close(): Promise<void>;
}

/** Where Chromium is on this machine; null where it is not. */
export const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path)) ?? null;

interface Answer {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** Opens an address in a Chromium of its own, without a window, by its own protocol. */
export async function openPage(program: string, url: string): Promise<Page> {
  const profile = await mkdtemp(join(tmpdir(), 'kinora-chromium-'));
  const options = ['--headless=new', '--remote-debugging-port=0', '--no-first-run', '--disable-gpu', '--mute-audio'];
  // Its sandbox does not work for root; all that it opens is our own page.
  if (process.getuid?.() === 0) options.push('--no-sandbox');
  const browser = spawn(program, [...options, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const exited = once(browser, 'exit');
  const close = async () => {
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL');
    await exited;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const send = await connect(await addressOf(browser.stderr));
    const { targetId } = await send('Target.createTarget', { url });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const ask = (method: string, params: object) => send(method, params, String(sessionId));
    const evaluate = async (expression: string) => {
      const given = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await ask('Runtime.evaluate', given);
      if (exceptionDetails) throw new Error(`in the page: ${JSON.stringify(exceptionDetails)}`);
      return (result as { value: unknown }).value; // what the protocol promises
    };
    return {
      evaluate,
      async chooseFile(selector, path) {
        const { result } = await ask('Runtime.evaluate', { expression: `document.querySelector('${selector}')` });
        const { objectId } = result as { objectId: string }; // what the protocol promises
        await ask('DOM.setFileInputFiles', { objectId, files: [path] });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  let said = '';
  const lines = createInterface({ input: stderr });
  for await (const line of lines) {
    said += `${line}\n`;
    const [, address] = /DevTools listening on (ws:\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    stderr.resume();
    return address;
  }
  throw new Error(`Chromium did not start:\n${said}`);
}

async function connect(address: string) {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer; // what the protocol promises
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  await once(socket, 'open');
  return async (method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> => {
    const id = waiting.size + 1;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    const { result, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  };
}
