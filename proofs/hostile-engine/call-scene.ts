/** Of a job, what its callbacks depend on. */
interface CallingJob {
  id: string;
  webhook: string | null;
}

/** One post to the webhook of a job. */
export interface Call {
  /** After the job was taken. */
  atMilliseconds: number;
  body: string | Buffer;
  /** Where it goes instead of the job's own address. */
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** Announced, then left hanging or cut. */
  manner?: 'never ends' | 'is cut';
}

/** What a mutation of callbacks may look at. */
export interface CallScene {
  job: CallingJob & { runMilliseconds: number };
  /** Another task's job at an engine of the same kind, if there is one. */
  other: CallingJob | null;
  video: Buffer;
  /** A good video of another colour: a task that ends with it has the wrong one. */
  otherVideo: Buffer;
  canaryUrl: string;
}
