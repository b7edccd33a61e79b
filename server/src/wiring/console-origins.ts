import type { Config } from '../config/config.ts';

/** Where Vite serves the console while somebody works on it. */
export const viteOrigin = 'http://127.0.0.1:5173';

/** Returns the origins of the console, whose pages call the API. */
export function consoleOrigins({ KINORA_ENV, KINORA_CONSOLE_URL }: Config): string[] {
  return [KINORA_CONSOLE_URL, ...(KINORA_ENV === 'development' ? [viteOrigin] : [])];
}
