import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkAdvisories, checkOsv, checkSignatures, createRunNpm, type PackageVersion } from './supply-chain.ts';

// A server on loopback takes the place of the registry and of OSV.
const probe: PackageVersion = { ecosystem: 'npm', name: 'fastify', version: '5.12.8' };
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has a port
}

const serveJson = (value: object) => serve((_, response) => response.end(JSON.stringify(value)));
const serveStatus = (status: number) => serve((_, response) => response.writeHead(status).end());

/** Returns the URL of a port on which nothing listens any more. */
async function closedPort(): Promise<string> {
  const url = await serve(() => {});
  const server = servers.pop();
  server?.close();
  if (server?.listening) await once(server, 'close');
  return url;
}

describe('signatures', () => {
  const signing = () => serveJson({ dist: { signatures: [{ keyid: 'a', sig: 'b' }] } });
  const judge = async (report: object | string) =>
    checkSignatures(await signing(), probe, async () => (typeof report === 'string' ? report : JSON.stringify(report)));

  test('an invalid or a missing signature fails', async () => {
    const invalid = [{ name: 'a', version: '1.0.0', code: 'EINTEGRITYSIGNATURE' }];
    const { failures, unchecked } = await judge({ invalid, missing: [{ name: 'b', version: '2.0.0' }] });
    expect(failures).toEqual([
      'a@1.0.0 has an invalid signature (EINTEGRITYSIGNATURE)',
      'b@2.0.0 has no signature, but other packages have one',
    ]);
    expect(unchecked).toBeNull();
  });

  test.for(['EMISSINGSIGNATUREKEY', 'EEXPIREDSIGNATUREKEY'])('%s, with which npm ends early, fails', async (code) => {
    expect((await judge({ error: { code, summary: 'a@1.0.0' } })).failures).toEqual([`${code}: a@1.0.0`]);
  });

  test('valid signatures pass', async () => {
    expect(await judge({ invalid: [], missing: [] })).toMatchObject({ failures: [], unchecked: null });
  });

  test.for([
    [{ error: { code: 'ENOTFOUND', summary: '' } }, 'npm stopped with ENOTFOUND'],
    ['', 'npm had no result after at most 60 s'],
    ['{"invalid": [', 'npm had no result after at most 60 s'],
    [{}, 'npm stopped with an unknown error'],
  ] as const)('a run of npm without a result does not fail: %j', async ([report, reason]) => {
    expect(await judge(report)).toMatchObject({ failures: [], unchecked: reason });
  });

  test('npm is not run if the registry serves no signatures, responds with an error or not at all', async () => {
    const registries = [
      await serveJson({ dist: {} }),
      await serveStatus(404),
      await serveStatus(503),
      await closedPort(),
    ];
    const runs: string[][] = [];
    const outcomes = registries.map((registry) =>
      checkSignatures(registry, probe, async (args) => {
        runs.push(args);
        return '';
      }),
    );
    expect((await Promise.all(outcomes)).map(({ unchecked }) => unchecked)).toEqual([
      'the registry serves no signatures',
      'the registry responded with status 404',
      'the registry responded with status 503',
      'the registry did not respond',
    ]);
    expect(runs).toEqual([]);
  });
});

describe('advisories, as npm itself reports them', () => {
  // npm remembers advisories by their id, so each test has a cache of its own.
  let cache: string;
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'npm-cache-'));
    vi.stubEnv('npm_config_cache', cache);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(cache, { recursive: true, force: true });
  });

  /** A registry that knows one advisory, by default for a package that runs in production. */
  const advising = (severity: string, name = 'fastify') => {
    const advisory = { id: 1, url: 'https://example.com/1', title: 'a', severity, vulnerable_versions: '>=0.0.1' };
    return serve((request, response) => {
      if (request.url?.endsWith('/advisories/bulk')) response.end(JSON.stringify({ [name]: [advisory] }));
      else response.writeHead(404).end('{}');
    });
  };

  test('an advisory of high severity for a package in production fails', async () => {
    const { failures, unchecked } = await checkAdvisories(createRunNpm(await advising('high')));
    expect(failures).toContainEqual(expect.stringMatching(/^fastify .*: high$/));
    expect(unchecked).toBeNull();
  });

  test.for(['zod', '@ai-sdk/provider'])('an advisory for %s, which is bundled into a client, fails', async (name) => {
    const { failures } = await checkAdvisories(createRunNpm(await advising('high', name)));
    expect(failures).toContainEqual(expect.stringMatching(new RegExp(`^${name} .*: high$`)));
  });

  test('an advisory for a package that only developers use passes', async () => {
    const { failures, unchecked } = await checkAdvisories(createRunNpm(await advising('high', 'vitest')));
    expect({ failures, unchecked }).toEqual({ failures: [], unchecked: null });
  });

  test('an advisory of moderate severity is reported and does not fail', async () => {
    const { failures, notes } = await checkAdvisories(createRunNpm(await advising('moderate')));
    expect(notes).toContainEqual(expect.stringMatching(/^fastify .*: moderate$/));
    expect(failures).toEqual([]);
  });

  test('no advisories pass', async () => {
    expect(await checkAdvisories(createRunNpm(await serveJson({})))).toMatchObject({ failures: [], unchecked: null });
  });

  test('a registry without advisories does not fail', async () => {
    const outcome = await checkAdvisories(createRunNpm(await serveStatus(405)));
    expect(outcome).toMatchObject({ failures: [], unchecked: 'the registry responded with status 405' });
  });

  test('a registry that does not respond does not fail', async () => {
    const outcome = await checkAdvisories(createRunNpm(await closedPort()));
    expect(outcome.failures).toEqual([]);
    expect(outcome.unchecked).toMatch(/^npm stopped with /);
  });
});

describe('OSV', () => {
  const torch: PackageVersion = { ecosystem: 'PyPI', name: 'torch', version: '2.15.0' };

  test('a malicious package fails, and a vulnerable one is reported', async () => {
    const bodies: string[] = [];
    const found = { results: [{ vulns: [{ id: 'MAL-2026-1' }] }, { vulns: [{ id: 'GHSA-a' }] }] };
    const osv = await serve((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.end(JSON.stringify(found));
      });
    });
    expect(await checkOsv(osv, [probe, torch])).toMatchObject({
      failures: ['MAL-2026-1: fastify@5.12.8 (npm)'],
      notes: ['GHSA-a: torch@2.15.0 (PyPI)'],
      unchecked: null,
    });
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      {
        queries: [
          { package: { ecosystem: 'npm', name: 'fastify' }, version: '5.12.8' },
          { package: { ecosystem: 'PyPI', name: 'torch' }, version: '2.15.0' },
        ],
      },
    ]);
  });

  test('a response that is incomplete, wrong or missing does not fail', async () => {
    const services = [
      await serveJson({ results: [{}] }),
      await serve((_, response) => response.end('<html>')),
      await serveStatus(500),
      await closedPort(),
    ];
    const outcomes = await Promise.all(services.map((osv) => checkOsv(osv, [probe, torch])));
    expect(outcomes.flatMap(({ failures }) => failures)).toEqual([]);
    expect(outcomes.map(({ unchecked }) => unchecked)).toEqual([
      'OSV sent an incomplete response',
      'OSV did not respond with JSON',
      'OSV responded with status 500',
      'OSV did not respond',
    ]);
  });
});
