import type { ApiParts } from '../server/src/api/api-parts.ts';
import { createApp } from '../server/src/api/app.ts';
import { createUrlSigner } from '../server/src/api/presenters/url-signer.ts';
import { systemClock } from '../server/src/domain/clock.ts';
import { createLog } from '../server/src/telemetry/log.ts';

const publicUrl = 'https://kinora.example.com';

const used: Partial<ApiParts> = {
  log: createLog({ level: 'silent', roles: [] }),
  clock: systemClock,
  publicUrl,
  hasDocs: true,
  trustedProxies: [],
  keylessPerMinute: 1_000,
  signer: createUrlSigner({ publicUrl, secretKeys: ['never used'], clock: systemClock }),
  connectionLimit: 1,
  downloadLimit: 1,
  onRouteTime: () => undefined,
};

/** Renders the OpenAPI document as the server serves it, in a fixed order, so that two runs give the same text. */
export async function renderOpenapi(): Promise<string> {
  const app = createApp(partsThatOnlyDescribe());
  try {
    const response = await app.inject('/openapi.json');
    return `${JSON.stringify(response.json(), null, 2)}\n`;
  } finally {
    await app.close();
  }
}

/** Returns stubs for almost all dependencies of the app: to serve its OpenAPI document it calls hardly any of them. */
function partsThatOnlyDescribe(): ApiParts {
  const inert: object = new Proxy(() => Promise.reject(new Error('this app only describes itself')), {
    get: () => inert,
  });
  const parts = new Proxy(used, {
    get: (given, name) => Reflect.get(given, name) ?? (name === 'corsOrigins' ? [] : inert),
  });
  return parts as ApiParts; // the proxy has every property
}
