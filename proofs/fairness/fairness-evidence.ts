/** A task that began at the engine, by the engine's clock in milliseconds. */
export interface Start {
  taskId: string;
  project: string;
  beganAt: number;
  endedAt: number;
}

/** A start with the times in Kinora's rows, in milliseconds since 1970. */
export interface BusyStart extends Start {
  slot: number;
  /** When Kinora began the task, before it submitted the job to the engine. */
  startedAt: number;
  /** When Kinora noticed that the engine had finished. */
  freedAt: number;
}

/** A project whose tasks were all waiting before the first one began. */
export interface Backlog {
  project: string;
  weight: number;
  tasks: number;
}

/** A `queue_position` that was read, and the true position. */
export interface PositionSample {
  position: number;
  /** How many tasks of the pool began after the read, up to and including this one. */
  begun: number;
}

/** The span in which a task was admitted and waited, in milliseconds since 1970. */
export interface AdmittedWait {
  from: number;
  until: number;
}

/** What a light task met when it was queued while all slots were taken and many tasks of a heavy project waited. */
export interface LightStart {
  /** Starts of the heavy project between the moment at which slots became free and this task's start. */
  heavyBefore: number;
  /** Tasks of the heavy project that had not begun by then. */
  heavyLeft: number;
}

/** What happened, in which order and how often. */
export interface Evidence {
  slots: number;
  equal: { backlogs: Backlog[]; starts: Start[] };
  weighted: { backlogs: Backlog[]; starts: Start[] };
  light: LightStart[];
  capped: {
    cap: number;
    starts: Start[];
    /** Each task from its admission to its end. */
    running: (AdmittedWait & { project: string })[];
  };
  /** How many jobs ran at once while none ended and tasks waited, each time that this was tried. */
  filled: number[];
  /** Positions that were read while no task began or ended. */
  positions: PositionSample[];
}

/** What was measured on a machine that did nothing else. */
export interface Times {
  slots: number;
  jobMilliseconds: number;
  /** Seconds that light tasks waited, without and with a heavy neighbour. */
  light: { alone: number[]; beside: number[]; heavyWaiting: number };
  busy: { starts: BusyStart[]; waits: AdmittedWait[] };
  /** Positions that were read while tasks began. They may be some seconds old. */
  positions: PositionSample[];
}
