import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBox } from './box.ts';
import type { BoxLimits } from './box-limits.ts';
import { boxedChildren, mediaProcesses, programOf } from './boxed-children.ts';
import { rawInputArguments, words } from './ffmpeg-arguments.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';

const box = await createBox({});
const folder = temporaryFolder('box');

const limits: BoxLimits = {
  memoryBytes: 256 * 1024 * 1024,
  cpuSeconds: 10,
  fileSizeBytes: 1024 * 1024,
  timeoutMilliseconds: 300_000,
};
const node = (script: string, changes: Partial<BoxLimits> = {}) =>
  ({ program: 'node', arguments: ['-e', script], limits: { ...limits, ...changes }, folder }) as const;
const allocate = (megabytes: number) =>
  `const used = []; for (let i = 0; i < ${megabytes}; i++) used.push(Buffer.alloc(2 ** 20, 1)); console.log('fine')`;
const frameBytes = 640 * 480 * 4;
/** Encodes raw frames of 640×480 as JPEGs of another size. */
const encode = (frames: Buffer, size: string, name: string) => ({
  program: 'ffmpeg' as const,
  arguments: [
    ...rawInputArguments({ width: 640, height: 480, fps: 24 }),
    ...words(`-vf scale=${size} -q:v 2 -f mjpeg -y ${name}`),
  ],
  stdin: frames,
  limits,
  folder,
});
const flood = (stream: string) => `for (let i = 0; i < 4000; i++) process.${stream}.write('x'.repeat(999) + i % 10)`;
const rawInput = '-f rawvideo -pix_fmt rgba -s 64x64 -i frame.raw';
const idle = 'setInterval(() => {}, 1000)';
/** Returns whether a process has ended. A zombie that its new parent has not reaped yet has ended too. */
function hasEnded(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Waits until a process has a boxed child that runs the program, and returns its pid. */
async function findChild(parent: number, program: string): Promise<number> {
  let child = 0;
  const find = () => {
    child = boxedChildren(parent).find((pid) => programOf(pid) === program) ?? 0;
    return child;
  };
  await expect.poll(find).toBeGreaterThan(0);
  return child;
}

describe('a boxed child', () => {
  it('cannot connect to a loopback listener that its parent can connect to', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // an IP server has no other kind of address
    const ours = connect(port, '127.0.0.1');
    await once(ours, 'connect');
    const { stdout } = await box.run(
      node(`require('node:net').connect(${port}, '127.0.0.1')
        .on('connect', () => { console.log('connected'); process.exit(); })
        .on('error', (error) => console.log(error.code))`),
    );
    ours.destroy();
    server.close();
    expect(stdout.toString().trim()).toBe('ENOSYS');
  });

  it("gets none of its parent's environment variables", async () => {
    const { stdout } = await box.run(node('console.log(JSON.stringify(process.env))'));
    expect(JSON.parse(stdout.toString())).toEqual({ LANG: 'C', HOME: folder, TMPDIR: folder });
  });

  it("cannot read its parent's environment from /proc", async () => {
    const { stdout } = await box.run(
      node(`try { require('node:fs').readFileSync('/proc/${process.pid}/environ'); console.log('read'); }
        catch (error) { console.log(error.code); }`),
    );
    expect(stdout.toString()).toMatch(/^E(ACCES|NOENT)/);
  });

  it('has no capabilities and cannot gain any', async () => {
    const child = box.spawn(node(idle));
    const status = readFileSync(`/proc/${await findChild(process.pid, 'node')}/status`, 'utf8');
    child.kill();
    expect(status).toMatch(/CapEff:\s+0+\n/);
    expect(status).toMatch(/CapPrm:\s+0+\n/);
    expect(status).toMatch(/NoNewPrivs:\s+1\n/);
    expect(status).toMatch(/Seccomp:\s+2\n/);
  });
});

describe('the limits of a boxed child', () => {
  it('let node use the memory it was given, and end it if it uses more', async () => {
    const [within, beyond] = await Promise.all([box.run(node(allocate(180))), box.run(node(allocate(400)))]);
    expect(within.stdout.toString()).toBe('fine\n');
    expect(beyond.stdout.toString()).toBe('');
    expect(beyond.exitCode).not.toBe(0);
  });

  it('end ffmpeg if it uses more memory than it was given', async () => {
    const frame = Buffer.alloc(frameBytes);
    const [within, beyond] = await Promise.all([
      box.run(encode(frame, '320:240', 'small.jpg')),
      box.run(encode(frame, '16000:16000', 'huge.jpg')),
    ]);
    expect(within.exitCode).toBe(0);
    expect(beyond.exitCode).not.toBe(0);
    expect(beyond.stderrTail).toContain('Cannot allocate memory');
  });

  it('end a busy child at its CPU limit', async () => {
    const result = await box.run(node('for (;;);', { cpuSeconds: 1 }));
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGXCPU', timedOut: false });
  });

  it('end an idle child at its time limit', async () => {
    const result = await box.run(node('setInterval(() => {}, 1000)', { timeoutMilliseconds: 300 }));
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true });
  });

  it('end a child that writes a file beyond the size limit', async () => {
    const noise = randomBytes(frameBytes * 10);
    const result = await box.run(encode(noise, '640:480', 'large.jpg'));
    expect(result.signal).toBe('SIGXFSZ');
  });

  it('kill a child that writes too much to stdout, and retain only the end of stderr', async () => {
    const [noisy, chatty] = await Promise.all([
      box.run({ ...node(flood('stdout')), maxOutputBytes: 10_000 }),
      box.run(node(flood('stderr'))),
    ]);
    expect(noisy.signal).toBe('SIGKILL');
    expect(noisy.stdout.length).toBeLessThanOrEqual(10_000);
    expect(chatty.exitCode).toBe(0);
    expect(chatty.stderrTail).toHaveLength(4096);
    expect(chatty.stderrTail.endsWith('x9')).toBe(true);
  });
});

describe('the pipes and the end of a boxed child', () => {
  it('the child reads its stdin, and writes to stdout and to descriptor 3', async () => {
    const extra: Buffer[] = [];
    const result = await box.run({
      ...node(`require('node:fs').writeSync(3, 'side'); process.stdin.pipe(process.stdout)`),
      stdin: Buffer.from('hello'),
      onExtraOutput: (chunk) => extra.push(chunk),
    });
    expect(result).toMatchObject({ exitCode: 0, stdout: Buffer.from('hello') });
    expect(Buffer.concat(extra).toString()).toBe('side');
  });

  it('the child reads what another child writes, and the writer gets an error when its reader has died', async () => {
    const write = (megabytes: number) =>
      box.spawn(
        node(`const { writeSync } = require('node:fs'), piece = Buffer.alloc(2 ** 20, 'x');
          try { for (let i = 0; i < ${megabytes}; i++) for (let n = 0; n < piece.length; ) n += writeSync(1, piece, n); }
          catch { process.exit(7); }`),
      );
    const count = `let n = 0; process.stdin.on('data', (chunk) => (n += chunk.length)).on('end', () => console.log(n))`;
    const writer = write(20);
    const reader = await box.run({ ...node(count), stdinFrom: writer });
    expect(reader.stdout.toString()).toBe(`${20 * 2 ** 20}\n`);
    expect(await writer.result).toMatchObject({ exitCode: 0 });
    const unread = write(1_000_000);
    expect(await box.run({ ...node('process.exit(3)'), stdinFrom: unread })).toMatchObject({ exitCode: 3 });
    expect(await unread.result).toMatchObject({ exitCode: 7 });
  });

  it('a child that does not read its stdin is not an error', async () => {
    const result = await box.run({ ...node('process.exit(3)'), stdin: Buffer.alloc(4 * 1024 * 1024) });
    expect(result.exitCode).toBe(3);
  });

  it('an abort kills the child', async () => {
    const abort = new AbortController();
    const child = box.spawn({ ...node(`console.log('ready'); ${idle}`), signal: abort.signal });
    await once(child.stdout, 'data');
    const pid = await findChild(process.pid, 'node');
    expect(hasEnded(pid)).toBe(false);
    abort.abort();
    expect(await child.result).toMatchObject({ signal: 'SIGKILL', timedOut: false });
    expect(hasEnded(pid)).toBe(true);
  });

  it('a child that is aborted before it has started ends in the same way', async () => {
    expect(await box.run({ ...node(idle), signal: AbortSignal.abort() })).toMatchObject({ signal: 'SIGKILL' });
  });

  it('a child whose folder does not exist is an error that says so', async () => {
    await expect(box.run({ ...node(idle), folder: join(folder, 'none') })).rejects.toThrow(
      'the child could not be started: folder: ENOENT',
    );
  });

  it('kinora-media lets nobody in but its parent', async () => {
    const [media] = mediaProcesses(process.pid);
    const sockets = readdirSync(`/proc/${media}/fd`).map((fd) => readlinkSync(`/proc/${media}/fd/${fd}`));
    const lines = readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    // Its accepted connections have the name of the socket that it listens on.
    const [name] = lines.flatMap(([, , , , , , inode, name]) =>
      name && sockets.includes(`socket:[${inode}]`) ? [name] : [],
    );
    if (!name) throw new Error('kinora-media does not listen');
    const script = `require('node:net').connect('\\0' + process.argv[1].slice(1))
      .on('error', () => {}).on('connect', () => console.log('connected')).on('close', () => console.log('closed'))`;
    const stranger = spawn(process.execPath, ['-e', script, name], { stdio: ['ignore', 'pipe', 'inherit'] });
    expect((await stranger.stdout.toArray()).join('')).toBe('connected\nclosed\n');
  });

  it('children die with kinora-media, and the next one starts a new kinora-media', async () => {
    const own = await createBox({});
    const media = mediaProcesses(process.pid).at(-1) ?? 0;
    const child = own.spawn(node(`console.log('ready'); ${idle}`));
    await once(child.stdout, 'data');
    process.kill(media, 'SIGKILL');
    expect(await child.result).toMatchObject({ signal: 'SIGKILL' });
    await expect.poll(() => own.run(node(''))).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['node', 'node', ['-e', idle]],
    // It reads a file again and again, and no pipe, whose end would end it.
    ['kinora-ffmpeg', 'ffmpeg', words(`-v quiet -nostdin -re -stream_loop -1 ${rawInput} -f mjpeg -y endless.jpg`)],
  ] as const)('%s dies with its parent, even if the parent is killed', async (name, program, args) => {
    await writeFile(join(folder, 'frame.raw'), Buffer.alloc(64 * 64 * 4));
    const script = `
      import { createBox } from ${JSON.stringify(new URL('./box.ts', import.meta.url).href)};
      const box = await createBox({});
      box.spawn({ program: '${program}', arguments: ${JSON.stringify(args)}, folder: '${folder}',
        limits: ${JSON.stringify({ ...limits, timeoutMilliseconds: 3_600_000 })} });`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const child = await findChild(parent.pid ?? 0, name);
    expect(hasEnded(child)).toBe(false);
    parent.kill('SIGKILL');
    await expect.poll(() => hasEnded(child)).toBe(true);
  });
});
