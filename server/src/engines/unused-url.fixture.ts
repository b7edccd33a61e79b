import { reservePorts } from '@kinora/stack/parts/free-port';

/** Returns a URL on this machine where nothing listens. */
export const unusedUrl = async (): Promise<string> => `http://127.0.0.1:${await reservePorts(1)}`;
