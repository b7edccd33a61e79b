import type { ApiParts } from '../server/src/api/api-parts.ts';
import { createApp } from '../server/src/api/app.ts';
import { describeRoutes } from '../server/src/api/openapi.ts';
import { createUrlSigner } from '../server/src/api/presenters/url-signer.ts';
import { systemClock } from '../server/src/domain/clock.ts';
import { createLog } from '../server/src/telemetry/log.ts';

const publicUrl = 'https://kinora.example.com';

const used: Partial<ApiParts> = {
  log: createLog({ level: 'silent', roles: [] }),
  clock: systemClock,
  publicUrl,
  hasDocs: true,
  beforeRoutes: (app) => describeRoutes(app, publicUrl),
  trustedProxies: [],
  keylessPerMinute: 1_000,
  signer: createUrlSigner({ publicUrl, secretKeys: ['never used'], clock: systemClock }),
  connectionLimit: 1,
  downloadLimit: 1,
  onRouteTime: () => undefined,
};

/** Renders the OpenAPI document from the routes of the server, in a fixed order, so that two runs give the same text. */
export async function renderOpenapi(): Promise<string> {
  const app = createApp(partsThatOnlyDescribe());
  try {
    await app.ready();
    return `${JSON.stringify(app.swagger(), null, 2)}\n`;
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
