/** The fields of a job that its callbacks depend on. */
interface CallingJob {
  id: string;
  webhook: string | null;
}

/** One POST to the webhook of a job. */
export interface Call {
  /** Milliseconds after the engine accepted the job. */
  atMilliseconds: number;
  body: string | Buffer;
  /** The target, if it is not the job's own webhook. */
  url?: string;
  headers?: Readonly<Record<string, string>>;
  /** If present, the body is shorter than announced, and the connection is left open or cut. */
  manner?: 'never ends' | 'is cut';
}

/** Everything that a mutation of callbacks can use. */
export interface CallScene {
  job: CallingJob & { runMilliseconds: number };
  /** A job of another task at an engine of the same kind; null if there is none. */
  other: CallingJob | null;
  video: Buffer;
  /** A valid video of another colour: a task that ends with it has the wrong video. */
  otherVideo: Buffer;
  canaryUrl: string;
}
