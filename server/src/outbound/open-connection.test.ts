import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createGuardedFetcher } from './guarded-fetch.ts';
import { listen } from './loopback-server.fixture.ts';

interface Certificate {
  key: string;
  cert: string;
}

const folder = temporaryFolder('outbound');
let authority: Certificate;
let forName: Certificate;
let forAddress: Certificate;

const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
const read = (name: string): Certificate => ({
  key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  cert: readFileSync(join(folder, `${name}.crt`), 'utf8'),
});

function makeCertificate(name: string, subjectAltName?: string): Certificate {
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
  const subject = ['-subj', `/CN=${name}`, '-days', '2'];
  if (subjectAltName === undefined) {
    openssl(
      'req',
      '-x509',
      ...newKey,
      ...subject,
      '-out',
      `${name}.crt`,
      '-addext',
      'basicConstraints=critical,CA:true',
    );
  } else {
    openssl('req', '-new', ...newKey, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${subjectAltName}\n`);
    const signing = ['-CA', 'authority.crt', '-CAkey', 'authority.key', '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-extfile', `${name}.ext`, '-out', `${name}.crt`);
  }
  return read(name);
}

beforeAll(() => {
  authority = makeCertificate('authority');
  forName = makeCertificate('name', 'DNS:pictures.example');
  forAddress = makeCertificate('address', 'IP:127.0.0.1');
});

afterAll(() => vi.unstubAllEnvs());

/** Returns the servername that the server saw, or throws what the fetcher threw. */
async function fetchOverTls(certificate: Certificate, host: string): Promise<string | false | null> {
  let servername: string | false | null = null;
  const server = createServer(certificate, (request, response) => {
    // A request that reaches an https server came over a TLS socket.
    servername = (request.socket as TLSSocket).servername;
    response.end('hello');
  });
  server.on('tlsClientError', () => {});
  await using running = await listen(server);
  const fetcher = createGuardedFetcher(
    {
      allowHttp: false,
      allowedPorts: [running.port],
      allowedNetworks: ['127.0.0.1/32'],
      deniedNetworks: [],
      publicHost: null,
    },
    { resolve: async () => ['127.0.0.1'] },
  );
  const url = `https://${host}:${running.port}/`;
  await fetcher.fetch(url, { maxBytes: 1_000, timeoutMilliseconds: hangLimitMilliseconds, maxRedirects: 0 });
  return servername;
}

describe('TLS', () => {
  test('a certificate without a trusted issuer is refused, even if the environment switches the check off', async () => {
    await expect(fetchOverTls(authority, 'pictures.example')).rejects.toMatchObject({ reason: 'connection_failed' });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await expect(fetchOverTls(authority, 'pictures.example')).rejects.toMatchObject({ reason: 'connection_failed' });
    vi.unstubAllEnvs();
  });

  describe('with a trusted authority', () => {
    const usual = getCACertificates('default');
    beforeAll(() => setDefaultCACertificates([...usual, authority.cert]));
    afterAll(() => setDefaultCACertificates(usual));

    test('the connection goes to the checked address and sends the name of the URL', async () => {
      expect(await fetchOverTls(forName, 'pictures.example')).toBe('pictures.example');
      expect(await fetchOverTls(forName, 'PICTURES.example.')).toBe('pictures.example');
    });

    test('the certificate must be for the name of the URL, not for the address', async () => {
      await expect(fetchOverTls(forName, 'other.example')).rejects.toMatchObject({ reason: 'connection_failed' });
      await expect(fetchOverTls(forAddress, 'pictures.example')).rejects.toMatchObject({ reason: 'connection_failed' });
    });

    test('the certificate must be for the address if the URL has an address, and then no name is sent', async () => {
      expect(await fetchOverTls(forAddress, '127.0.0.1')).toBe(false);
      await expect(fetchOverTls(forName, '127.0.0.1')).rejects.toMatchObject({ reason: 'connection_failed' });
    });
  });
});
