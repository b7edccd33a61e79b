import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { reservePorts } from '@kinora/stack/parts/free-port';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkAdvisories, checkOsv, checkSignatures, createRunNpm, type PackageVersion } from './supply-chain.ts';

// A server on loopback takes the place of the registry and of OSV.
const probe: PackageVersion = { ecosystem: 'npm', name: 'fastify', version: '5.12.8' };

async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await startLoopbackServer(listener);
  onTestFinished(close);
  return url;
}

const serveJson = (value: object) => serve((_, response) => response.end(JSON.stringify(value)));
const serveStatus = (status: number) => serve((_, response) => response.writeHead(status).end());

/** Returns the URL of a port on which nothing listens. */
const closedPort = async () => `http://127.0.0.1:${await reservePorts(1)}`;

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

describe('advisories', () => {
  test('an advisory of high severity for a package in production, or in a bundle for callers, fails', async () => {
    // The real npm runs here, because it selects the packages. Its cache is empty: it remembers advisories by their id.
    const cache = testFolder(onTestFinished);
    vi.stubEnv('npm_config_cache', cache);
    const severities = { fastify: 'high', zod: 'high', '@ai-sdk/provider': 'high', vitest: 'high', pg: 'moderate' };
    const advisories = Object.entries(severities).map(([name, severity], id) => [
      name,
      [{ id, url: `https://example.com/${id}`, title: 'a', severity, vulnerable_versions: '>=0.0.1' }],
    ]);
    const registry = await serve((request, response) => {
      if (request.url?.endsWith('/advisories/bulk')) response.end(JSON.stringify(Object.fromEntries(advisories)));
      else response.writeHead(404).end('{}');
    });
    try {
      const { failures, notes, unchecked } = await checkAdvisories(createRunNpm(registry, hangLimitMilliseconds));
      const found = (texts: string[]) =>
        texts.map((text) => text.split(' ')[0] ?? '').filter((name) => Object.hasOwn(severities, name));
      // Only developers use Vitest, so nothing is said about it.
      expect(found(failures).toSorted()).toEqual(['@ai-sdk/provider', 'fastify', 'zod']);
      expect(found(notes)).toEqual(['pg']);
      expect(unchecked).toBeNull();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  /** Judges a report that npm 11 printed for both of its runs, without the fields that nothing reads. */
  const judge = (report: object) => checkAdvisories(async () => JSON.stringify(report));

  test('severities of high and above fail, and lower ones are reported', async () => {
    const vulnerabilities = Object.fromEntries(
      ['critical', 'high', 'moderate', 'low'].map((severity) => [severity[0], { severity, range: '>=0.0.1' }]),
    );
    expect(await judge({ vulnerabilities })).toMatchObject({
      failures: ['c >=0.0.1: critical', 'h >=0.0.1: high'],
      notes: ['m >=0.0.1: moderate', 'l >=0.0.1: low'],
      unchecked: null,
    });
  });

  test('no advisories pass', async () => {
    expect(await judge({ vulnerabilities: {} })).toMatchObject({ failures: [], unchecked: null });
  });

  test('a registry without advisories does not fail', async () => {
    const outcome = await judge({ statusCode: 405, body: {}, error: { summary: '', detail: '' } });
    expect(outcome).toMatchObject({ failures: [], unchecked: 'the registry responded with status 405' });
  });

  test('a registry that does not respond does not fail', async () => {
    const message = 'request to http://127.0.0.1:1/-/npm/v1/security/advisories/bulk failed, reason: ECONNREFUSED';
    const outcome = await judge({ message, error: { summary: '', detail: '' } });
    expect(outcome).toMatchObject({ failures: [], unchecked: 'npm stopped with an unknown error' });
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
