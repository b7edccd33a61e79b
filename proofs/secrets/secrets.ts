import { randomBytes } from 'node:crypto';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { operationsOf } from '@kinora/stack/harness/openapi-operations';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import type { Stack } from '@kinora/stack/parts/stack';
import { Client, Connection } from '@temporalio/client';
import type { Proof, ProofOutcome } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { collect } from './collect.ts';
import { drive } from './drive.ts';
import { startReceiver } from './receiver.ts';
import { type Control, searchSecrets } from './search.ts';

export const proof: Proof = {
  name: 'secrets',
  promise:
    'No key, secret or signature is written down anywhere, no prompt in a log or a history, none at all after DELETE.',
  covers: ['server/src/', 'package-lock.json'],
  minutes: 1,
  run: (_size, report) => withProofStack('secrets', report, (stack) => run(stack, report)),
};

async function run(stack: Stack, report: (line: string) => void): Promise<ProofOutcome> {
  const image = sampleImage(3);
  const receiver = await startReceiver(Buffer.from(image.slice(image.indexOf(',') + 1), 'base64'));
  const secretKey = randomBytes(32).toString('base64');
  const installation = await startInstallation({
    stack,
    onProgress: report,
    environment: {
      KINORA_ENV: 'production',
      KINORA_SECRET_KEYS: secretKey,
      KINORA_LOG_LEVEL: 'trace',
      KINORA_OUTBOUND_ALLOW_HTTP: 'true',
      KINORA_OUTBOUND_ALLOWED_PORTS: String(receiver.port),
      KINORA_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      KINORA_WEBHOOK_SCHEDULE_SECONDS: '0,1,1,1',
    },
  });
  try {
    const operations = operationsOf(await (await fetch(`${installation.url}/openapi.json`)).json());
    const controls = await plantControls(stack, installation);
    const { planted, requests, undriven } = await drive({ installation, operations, receiver, controls, report });
    planted.push(
      { what: 'KINORA_SECRET_KEYS', value: secretKey, forbiddenIn: ['log', 'database', 'history'] },
      {
        what: "the store's secret key",
        value: stack.info.s3.secretAccessKey,
        forbiddenIn: ['log', 'database', 'history'],
      },
      ...[...receiver.signatures].map((value) => ({
        what: 'the signature of a webhook',
        value,
        forbiddenIn: ['log', 'database', 'history'] as const,
      })),
    );
    await installation.close();
    const haystacks = await collect(stack, installation);
    const failures = [
      ...undriven.map((name) => `${name} was not driven`),
      ...(receiver.signatures.size === 0 ? ['no webhook came in'] : []),
      ...searchSecrets(haystacks, planted, controls),
    ];
    return {
      figures: {
        requests,
        webhooks: receiver.bodies.length,
        planted: planted.length,
        controls: controls.length,
        logs: haystacks.filter(({ place }) => place === 'log').length,
        histories: haystacks.filter(({ place }) => place === 'history').length,
        searchedBytes: haystacks.reduce((sum, { text }) => sum + text.length, 0),
        found: failures.length,
      },
      failures,
    };
  } finally {
    await installation.close();
    await receiver.close();
  }
}

/** One secret in each place, put there on purpose: whoever searches must find it. */
async function plantControls(stack: Stack, { url, liveKey }: Installation): Promise<Control[]> {
  const canary = (): string => `kin_live_${randomBytes(18).toString('hex')}`;
  const [inLog, inDatabase, inHistory] = [canary(), canary(), canary()];
  // A request id is logged as the caller sends it, and metadata is stored as the caller sends it.
  await fetch(`${url}/v1/videos`, { headers: { authorization: `Bearer ${liveKey}`, 'x-request-id': inLog } });
  await fetch(`${url}/v1/videos/text-to-video`, {
    method: 'POST',
    headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a hill', duration: 1, resolution: '480p', metadata: { note: inDatabase } }),
  });
  const connection = await Connection.connect({ address: stack.info.temporalAddress });
  const client = new Client({ connection, namespace: stack.info.temporalNamespace });
  await client.workflow.start('nobody-works-on-this', {
    workflowId: 'control',
    taskQueue: 'nobody',
    args: [inHistory],
  });
  await connection.close();
  return [
    { place: 'log', value: inLog },
    { place: 'database', value: inDatabase },
    { place: 'history', value: inHistory },
  ];
}
