/** Somebody who is signed in to the console, as a program sees it. */
export interface ConsoleClient {
  /** The value of the session's cookie. */
  cookie: string;
  /** Sends a request as the page would; throws unless the status is 2xx. */
  call<Body>(method: string, path: string, body?: unknown): Promise<Body>;
}

/** Signs in with one of the routes that make a session. */
export async function signIn(consoleUrl: string, path: string, body: object): Promise<ConsoleClient> {
  const response = await send(consoleUrl, 'POST', path, body);
  const cookie = /__Host-kinora_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
  if (!response.ok || cookie === undefined) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return {
    cookie,
    async call<Body>(method: string, route: string, sent?: unknown) {
      const answer = await send(consoleUrl, method, route, sent, { cookie: `__Host-kinora_session=${cookie}` });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as Body;
    },
  };
}

function send(
  consoleUrl: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${consoleUrl}/console-api${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-kinora-console': '1', origin: consoleUrl, ...headers },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  });
}
