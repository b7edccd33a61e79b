/** How much of one thing a process does at once, and what happens beyond that. */
export interface Limit {
  what: string;
  /** Of all holders together. */
  total: number;
  /** Whose share is limited. */
  holder: string;
  perHolder: number;
  /** How many more of a holder may wait for their turn; 0 if none waits. Holders take turns. */
  waitingPerHolder: number;
  /** For how long they wait; null if there is no limit of time, or none waits. */
  waitMilliseconds: number | null;
  /** What happens to those that do not get their turn: an error of the API, or another way. */
  beyond: string;
  retryAfterSeconds: number | null;
  /** The setting that the numbers come from. */
  setting: string | null;
}

/** A limit beyond which callers get an error that says when to try again. */
export type RefusingLimit = Limit & { retryAfterSeconds: number };

const none = Number.POSITIVE_INFINITY;
const refusedAtOnce = { waitingPerHolder: 0, waitMilliseconds: null };
const megabyte = 1024 * 1024;

/** Every limit of what a process does at once whose numbers are fixed. */
export const limits = {
  /** Four: the creates of a project wait for its row in Postgres, each with a connection that others may need. */
  creates: {
    what: 'creates without an image',
    total: none,
    holder: 'project',
    perHolder: 4,
    // They have had their turn within some seconds. More than this is a program without a limit.
    waitingPerHolder: 1_000,
    waitMilliseconds: 10_000,
    beyond: 'rate_limited',
    retryAfterSeconds: 1,
    setting: null,
  },
  /** Two: with five connections for reports, no two projects can keep a third one waiting for long. */
  reports: {
    what: 'lists, searches and usage queries',
    total: none,
    holder: 'project',
    perHolder: 2,
    // A page of a console asks for a few lists at a time.
    waitingPerHolder: 20,
    waitMilliseconds: 10_000,
    beyond: 'rate_limited',
    retryAfterSeconds: 1,
    setting: null,
  },
  /** Enough to keep the decoders of a large machine busy: most of the time goes into fetching. */
  images: {
    what: 'images to fetch, decode and store',
    total: 12,
    holder: 'project',
    perHolder: 4,
    waitingPerHolder: 64,
    waitMilliseconds: 10_000,
    beyond: 'rate_limited, or overloaded if the total is used up',
    retryAfterSeconds: 5,
    setting: null,
  },
  /** A body in memory costs up to four times its size while it is parsed and its image is decoded from base64. */
  bodyBytes: {
    what: 'bytes of request bodies above 64 KiB',
    total: 128 * megabyte,
    holder: 'project',
    perHolder: 48 * megabyte,
    waitingPerHolder: 64,
    waitMilliseconds: 10_000,
    beyond: 'rate_limited, or overloaded if the total is used up',
    retryAfterSeconds: 5,
    setting: null,
  },
  fetches: {
    what: 'fetches of images',
    total: none,
    holder: 'IP address that serves them',
    perHolder: 6,
    waitingPerHolder: none,
    waitMilliseconds: 5_000,
    beyond: 'rate_limited',
    retryAfterSeconds: 5,
    setting: null,
  },
  /** 2 at a time: 128 MiB. 16 waiting: the last of them waits for about two seconds. */
  passwords: {
    what: 'passwords that are hashed',
    total: 2,
    holder: 'process',
    perHolder: 2,
    waitingPerHolder: 16,
    waitMilliseconds: null,
    beyond: 'overloaded',
    retryAfterSeconds: 2,
    setting: null,
  },
  /** A stream takes some tens of kilobytes, so these limits bound the memory of all streams. */
  streams: {
    what: 'open streams and waiting requests',
    total: 10_000,
    holder: 'project and mode',
    perHolder: 1_000,
    ...refusedAtOnce,
    beyond: 'rate_limited, or overloaded with a retry after 1 s if the total is used up',
    retryAfterSeconds: 10,
    setting: null,
  },
  /** Signed URLs are on public pages. Their streams are counted apart, so they never keep out those with a key. */
  signedStreams: {
    what: 'open streams by signed URL',
    total: 6_000,
    holder: 'project and mode',
    perHolder: 500,
    ...refusedAtOnce,
    beyond: 'rate_limited, or overloaded with a retry after 1 s if the total is used up',
    retryAfterSeconds: 10,
    setting: null,
  },
  signedStreamsOfTask: {
    what: 'open streams by signed URL',
    total: none,
    holder: 'task',
    perHolder: 20,
    ...refusedAtOnce,
    beyond: 'rate_limited',
    retryAfterSeconds: 10,
    setting: null,
  },
  /** Each upload holds up to four parts of 5 MB, and a connection to Postgres at its end. An engine that hangs holds one. */
  engineUploads: {
    what: 'outputs that engines send by themselves',
    total: 4,
    holder: 'endpoint',
    perHolder: 1,
    waitingPerHolder: none,
    waitMilliseconds: null,
    beyond: 'the engine waits',
    retryAfterSeconds: null,
    setting: null,
  },
  /** A fifth of all per project, so that receivers of one project that hang leave room for those of other projects. */
  firstDeliveries: {
    what: 'first tries of a webhook, made by the worker that caused the event; they count as tries too',
    total: 100,
    holder: 'project',
    perHolder: 20,
    ...refusedAtOnce,
    beyond: 'the delivery workflow makes the try',
    retryAfterSeconds: null,
    setting: null,
  },
  /** A fifth of what a worker does at once, for the same reason. */
  deliveries: {
    what: 'tries of webhooks in a worker',
    total: none,
    holder: 'project',
    perHolder: 100,
    ...refusedAtOnce,
    beyond: 'put off for about 1 to 30 s',
    retryAfterSeconds: null,
    setting: null,
  },
  /** A receiver that hangs must not take the capacity of others. */
  deliveriesOfReceiver: {
    what: 'tries of webhooks in a worker',
    total: none,
    holder: 'receiver',
    perHolder: 20,
    ...refusedAtOnce,
    beyond: 'put off for about 1 to 30 s',
    retryAfterSeconds: null,
    setting: null,
  },
  deliveriesOfFailingReceiver: {
    what: 'tries of webhooks in a worker',
    total: none,
    holder: 'receiver that has failed for a minute',
    perHolder: 5,
    ...refusedAtOnce,
    beyond: 'put off for about 5 s to 10 min',
    retryAfterSeconds: null,
    setting: null,
  },
} as const satisfies Record<string, Limit>;

/** An eighth for a project's keys, an eighth for its signed URLs, a task half of each: a leak locks no owner out. */
export function downloadLimits(maximum: number) {
  const common = { ...refusedAtOnce, retryAfterSeconds: 5, setting: 'KINORA_DOWNLOAD_LIMIT' };
  return {
    downloads: {
      what: 'downloads of files, with a key or by signed URL',
      total: maximum,
      holder: 'project, mode and kind of access',
      perHolder: Math.ceil(maximum / 8),
      beyond: 'rate_limited, or overloaded if the total is used up',
      ...common,
    },
    downloadsOfTask: {
      what: 'downloads of files, with a key or by signed URL',
      total: none,
      holder: 'task and kind of access',
      perHolder: Math.ceil(maximum / 16),
      beyond: 'rate_limited',
      ...common,
    },
  } satisfies Record<string, Limit>;
}

/** Limits of a process that decodes images and finishes videos, by how many it may decode at once. */
export function mediaLimits(concurrency: number) {
  const setting = 'KINORA_MEDIA_CONCURRENCY';
  return {
    /** One more than a project may have, so that images which take as long as they may keep no other project waiting. */
    imageChildren: {
      what: 'images in a decoder',
      total: concurrency + 1,
      holder: 'project',
      perHolder: concurrency,
      waitingPerHolder: 32 * concurrency,
      // Longer than two images may take, and short enough for a sender that waits for the response.
      waitMilliseconds: 10_000,
      beyond: 'of the API: rate_limited, or overloaded if the total is used up; in a worker, the image is tried again',
      retryAfterSeconds: 5,
      setting,
    },
    /** 4 per child: most of finishing is waiting for the engine, the storage and the database. */
    finishing: {
      what: 'videos that the worker which rendered them finishes',
      total: 8 * concurrency,
      holder: 'process',
      perHolder: 8 * concurrency,
      ...refusedAtOnce,
      beyond: 'any worker finishes it, through the store',
      retryAfterSeconds: null,
      setting,
    },
    /** 5 s: a task that waits for longer is safer in the storage, where any worker finds its output. */
    finishChildren: {
      what: 'child processes that finish videos there',
      total: 2 * concurrency,
      holder: 'project',
      perHolder: 2 * concurrency,
      waitingPerHolder: none,
      waitMilliseconds: 5_000,
      beyond: 'any worker finishes it, through the store',
      retryAfterSeconds: null,
      setting,
    },
  } satisfies Record<string, Limit>;
}
