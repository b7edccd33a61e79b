import { createApp } from '../server/src/api/app.ts';
import { createUrlSigner } from '../server/src/api/signed-urls.ts';
import { systemClock } from '../server/src/domain/clock.ts';
import { createLog } from '../server/src/telemetry/log.ts';

const publicUrl = 'https://kinora.example.com';
const inert = () => Promise.reject(new Error('this app only describes itself'));

/** The OpenAPI document as the server serves it, in a fixed order, so that two runs give the same text. */
export async function renderOpenapi(): Promise<string> {
  const app = createApp({
    log: createLog({ level: 'silent', roles: [] }),
    clock: systemClock,
    publicUrl,
    allowHttpImages: false,
    authenticate: inert,
    createTask: inert,
    readTask: inert,
    readFile: inert,
    links: inert,
    signer: createUrlSigner({ publicUrl, secretKeys: ['never used'], clock: systemClock }),
    readiness: inert,
    onRouteTime: () => undefined,
  });
  try {
    const response = await app.inject('/openapi.json');
    return `${JSON.stringify(response.json(), null, 2)}\n`;
  } finally {
    await app.close();
  }
}
