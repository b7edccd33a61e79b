/** Somebody who is signed in to the console, as a program sees it. */
export interface ConsoleClient {
  /** The value of the session's cookie. */
  cookie: string;
  /** Sends a request as the page would; throws unless the status is 2xx. */
  call<Body>(method: string, path: string, body?: unknown): Promise<Body>;
}

export interface ConsoleResponse {
  status: number;
  body: { error?: { code: string; message: string } } & Record<string, unknown>;
  /** The value of the session's cookie, if the response sets one. */
  cookie: string | null;
}

interface ConsoleRequest {
  cookie?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request as a page of the console does. */
export async function askConsole(
  consoleUrl: string,
  method: string,
  path: string,
  { cookie, body = {}, headers = {} }: ConsoleRequest = {},
): Promise<ConsoleResponse> {
  const change = { 'content-type': 'application/json', 'x-kinora-console': '1', origin: consoleUrl };
  const response = await fetch(`${consoleUrl}/console-api${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(cookie === undefined ? {} : { cookie: `__Host-kinora_session=${cookie}` }),
      ...(method === 'GET' ? {} : change),
      ...headers,
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : JSON.parse(text),
    cookie: /__Host-kinora_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? null,
  };
}

/** Signs in with one of the routes that make a session. */
export async function signIn(
  consoleUrl: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<ConsoleClient> {
  const response = await askConsole(consoleUrl, 'POST', path, { body, headers });
  const { cookie } = response;
  if (cookie === null) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return {
    cookie,
    async call<Body>(method: string, route: string, sent?: unknown) {
      const { status, body: received } = await askConsole(consoleUrl, method, route, { cookie, body: sent });
      if (status >= 300) throw new Error(`${method} ${route}: ${status} ${JSON.stringify(received)}`);
      return received as Body;
    },
  };
}

/** Returns the one-time token of a link. It is in the fragment, which browsers never send. */
export function tokenOf(link: string): string {
  const token = /#token=(\S+)$/.exec(link)?.[1];
  if (token === undefined) throw new Error(`there is no token in ${link}`);
  return token;
}
