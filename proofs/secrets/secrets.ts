import { randomBytes } from 'node:crypto';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { operationsOf } from '@kinora/stack/harness/openapi-operations';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome } from '../proof.ts';
import { withWorkflows } from '../with-workflows.ts';
import { collect } from './collect.ts';
import { drive } from './drive.ts';
import { type Control, searchSecrets } from './search.ts';

export const proof: Proof = {
  name: 'secrets',
  promise:
    'No key, secret or signature is stored in plain text; no prompt is in a log or a history, and none remains after DELETE.',
  minutes: 2,
  inGate: 'shared',
  run: (stack, { report }) => run(stack, report),
};

async function run(stack: Stack, report: (line: string) => void): Promise<ProofOutcome> {
  const port = await findFreePorts(1);
  await using receiver = closing(await startWebhookReceiver(port));
  const secretKey = randomBytes(32).toString('base64');
  await using installation = await startInstallation({
    stack,
    onProgress: report,
    limits: { creates: 10_000, reads: 100_000 },
    loopbackPorts: [port],
    environment: {
      KINORA_SECRET_KEYS: secretKey,
      KINORA_LOG_LEVEL: 'trace',
      KINORA_WEBHOOK_SCHEDULE_SECONDS: '0,1,1,1',
    },
  });
  const operations = operationsOf(await (await fetch(`${installation.url}/openapi.json`)).json());
  const controls = await plantControls(stack, installation);
  const { planted, requests, undriven } = await drive({ installation, operations, receiver, controls, report });
  const webhooks = receiver.all.filter(({ headers }) => 'webhook-signature' in headers);
  const signatures = new Set(webhooks.flatMap(({ headers }) => headers['webhook-signature']?.match(/v1,\S+/g) ?? []));
  planted.push(
    { what: 'KINORA_SECRET_KEYS', value: secretKey, forbiddenIn: ['log', 'database', 'history'] },
    {
      what: "the store's secret key",
      value: stack.info.s3.secretAccessKey,
      forbiddenIn: ['log', 'database', 'history'],
    },
    ...[...signatures].map((value) => ({
      what: 'the signature of a webhook',
      value,
      forbiddenIn: ['log', 'database', 'history'] as const,
    })),
  );
  const repairs = await findSelfRepairs(stack, installation);
  await installation.close();
  const haystacks = await collect(stack, installation);
  const found = searchSecrets(haystacks, planted, controls);
  const failures = [
    ...undriven.map((name) => `${name} never succeeded`),
    ...(signatures.size === 0 ? ['no webhook was received'] : []),
    ...found,
    ...repairs,
  ];
  return {
    figures: {
      requests,
      webhooks: webhooks.length,
      planted: planted.length,
      controls: controls.length,
      logs: haystacks.filter(({ place }) => place === 'log').length,
      histories: haystacks.filter(({ place }) => place === 'history').length,
      searchedBytes: haystacks.reduce((sum, { text }) => sum + text.length, 0),
      found: found.length,
    },
    failures,
  };
}

/** Plants one secret in each place, which the search must find. */
async function plantControls(stack: Stack, { url, liveKey }: Installation): Promise<Control[]> {
  const canary = (): string => `kin_live_${randomBytes(18).toString('hex')}`;
  const [inLog, inDatabase, inHistory] = [canary(), canary(), canary()];
  // A request id is logged as the caller sends it, and metadata is stored as the caller sends it.
  const api = createApiClient({ url, key: liveKey });
  await api.get('/v1/videos', { 'x-request-id': inLog });
  await api.create({ prompt: 'a hill', duration: 1, resolution: '480p', metadata: { note: inDatabase } });
  const control = { workflowId: 'control', taskQueue: 'no-worker', args: [inHistory] };
  await withWorkflows(stack, (workflow) => workflow.start('never-started', control));
  return [
    { place: 'log', value: inLog },
    { place: 'database', value: inDatabase },
    { place: 'history', value: inHistory },
  ];
}
