import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

type RequestHandler = S3Client['config']['requestHandler'];
type Request = Parameters<RequestHandler['handle']>[0];

/** A store that sends and takes nothing for this long is gone, even if its connections seem open. */
export const silenceMilliseconds = 10_000;
/** Longer than the API lets a caller pause its download. */
const pauseMilliseconds = 60_000;
/** A connection in the pool may have fallen silent without a sign; one that was used just now is probably alive. */
const idleMilliseconds = 5_000;
/** For connecting, and for waiting until one of the connections is free. */
const connectMilliseconds = 2_000;
const usualConnections = 50;
/** How long the store may take to respond, for example while it copies an object of 2 GiB on a slow disk. */
const responseMilliseconds = 30_000;

/** Gives up on silent connections, but reads have their own: callers may pause, so readers must notice silence. */
export function createS3RequestHandler(readLimit = usualConnections): RequestHandler {
  const limitsWith = (maxSockets: number) => ({
    connectionTimeout: connectMilliseconds,
    requestTimeout: responseMilliseconds,
    throwOnRequestTimeout: true,
    httpAgent: { timeout: idleMilliseconds, maxSockets },
    httpsAgent: { timeout: idleMilliseconds, maxSockets },
  });
  const prompt = handlerWith({ ...limitsWith(usualConnections), socketTimeout: silenceMilliseconds });
  const patient = handlerWith({ ...limitsWith(readLimit), socketTimeout: pauseMilliseconds });
  return {
    ...(prompt.metadata && { metadata: prompt.metadata }),
    handle: (request, options) => (needsPatience(request) ? patient : prompt).handle(request, options),
    destroy() {
      prompt.destroy?.();
      patient.destroy?.();
    },
  };
}

/** Returns whether a request reads an object, or makes the store copy one before it responds. */
function needsPatience({ method, query, headers }: Request): boolean {
  const isList = 'list-type' in query || 'uploads' in query;
  const isCopy = 'x-amz-copy-source' in headers || (method === 'POST' && 'uploadId' in query);
  return (method === 'GET' && !isList) || isCopy;
}

/** The SDK does not export its handler for Node, but a client makes one. */
function handlerWith(options: NonNullable<S3ClientConfig['requestHandler']>): RequestHandler {
  return new S3Client({ requestHandler: options }).config.requestHandler;
}
