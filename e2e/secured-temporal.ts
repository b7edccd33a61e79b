import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startProcess } from '@kinora/stack/parts/processes';
import type { Stack } from '@kinora/stack/parts/stack';
import { toolPath } from '@kinora/stack/parts/stack-state';

const run = promisify(execFile);
/** The name in the certificate of the server, which no name server knows. */
export const temporalName = 'temporal.kinora.test';

interface Certificate {
  certFile: string;
  keyFile: string;
}

/** The paths of a certificate authority's certificate, and of certificates that it issued. */
export interface Certificates {
  authority: string;
  server: Certificate;
  client: Certificate;
}

/** Makes certificates that are valid for a day: for a Temporal server and for its clients. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  await mkdir(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  await writeFile(at('openssl.cnf'), '[req]\ndistinguished_name = name\n[name]\n');
  const issue = async (name: string, issuer: Certificate | null, extensions: readonly string[]) => {
    const [certFile, keyFile] = [at(`${name}.pem`), at(`${name}.key`)];
    const subject = ['-config', at('openssl.cnf'), '-subj', `/CN=${name}`, '-days', '1', '-out', certFile];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
    const signer = issuer ? ['-CA', issuer.certFile, '-CAkey', issuer.keyFile] : [];
    const added = extensions.flatMap((extension) => ['-addext', extension]);
    await run('openssl', ['req', '-x509', ...subject, ...key, ...signer, ...added]);
    return { certFile, keyFile };
  };
  const authority = await issue('authority', null, ['basicConstraints=critical,CA:TRUE']);
  return {
    authority: authority.certFile,
    server: await issue('server', authority, [
      `subjectAltName=DNS:${temporalName},DNS:localhost`,
      'extendedKeyUsage=serverAuth',
    ]),
    client: await issue('client', authority, ['extendedKeyUsage=clientAuth']),
  };
}

/** Serves the public key with which Temporal verifies tokens, and signs tokens. */
export async function startTokenIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256', use: 'sig' }];
  const server = await startLoopbackServer((_request, response) => response.end(JSON.stringify({ keys })));
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return {
    keysUrl: `${server.url}/keys.json`,
    tokenFor(permissions: readonly string[]): string {
      const signed = `${encode({ alg: 'ES256', kid: 'test', typ: 'JWT' })}.${encode({ sub: 'kinora', permissions })}`;
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
    close: () => server.close(),
  };
}

/** Starts a Temporal that refuses clients without a certificate of our authority. */
export function startMutualTlsTemporal(stack: Stack, certificates: Certificates): Promise<SecuredTemporal> {
  const { authority, server, client } = certificates;
  const toServer = { client: { serverName: temporalName, rootCaFiles: [authority] } };
  return startInstead(stack, 'temporal-mtls', ['--allow-no-auth'], {
    global: {
      tls: {
        frontend: { server: { ...server, requireClientAuth: true, clientCaFiles: [authority] }, ...toServer },
        systemWorker: { ...client, ...toServer },
      },
    },
  });
}

/** Starts a Temporal with TLS that refuses calls without a token of the issuer. */
export async function startTokenTemporal(
  stack: Stack,
  { authority, server }: Certificates,
  keysUrl: string,
): Promise<SecuredTemporal> {
  const first = await findFreePorts(2);
  return startInstead(stack, 'temporal-jwt', [], {
    global: {
      tls: { frontend: { server, client: { serverName: temporalName, rootCaFiles: [authority] } } },
      authorization: { jwtKeyProvider: { keySourceURIs: [keysUrl] }, authorizer: 'default', claimMapper: 'default' },
    },
    // Temporal's own workers have no token: they use a frontend that asks for none.
    services: {
      'internal-frontend': { rpc: { grpcPort: first, membershipPort: first + 1, bindOnLocalHost: true } },
    },
  });
}

export interface SecuredTemporal {
  close(): Promise<void>;
}

type Sections = Record<'global' | 'services', Record<string, unknown>>;

/** Starts a server in the place of the stack's Temporal: with its data, at its address and with these settings added. */
async function startInstead(
  stack: Stack,
  name: string,
  flags: readonly string[],
  added: Partial<Sections>,
): Promise<SecuredTemporal> {
  await stack.stop('temporal');
  const { folder } = stack.info;
  const plain = JSON.parse(await readFile(join(folder, 'temporal.yaml'), 'utf8')) as Sections;
  const configPath = join(folder, `${name}.yaml`);
  const config = {
    ...plain,
    global: { ...plain.global, ...added.global },
    services: { ...plain.services, ...added.services },
  };
  await writeFile(configPath, JSON.stringify(config));
  const server = startProcess({
    name,
    command: toolPath('temporal-server'),
    arguments: ['--config-file', configPath, ...flags, 'start'],
    logPath: join(folder, `${name}.log`),
  });
  return {
    close: async () => {
      server.kill('SIGKILL'); // a graceful end with an internal frontend takes 50 s
      await server.exited;
    },
  };
}
