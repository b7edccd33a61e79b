/** Jobs of one endpoint that are worth remembering: far more than it can have at once. */
const maximumJobs = 64;

/** What this process saw of the jobs of one server. It may be lost: then a loss is noticed later, and nothing else. */
export function createCogMemory() {
  const over = new Set<string>();
  const idleSince = new Map<string, number>();
  return {
    /** The job certainly does not run and never will. */
    noteOver(jobId: string): void {
      over.add(jobId);
      forgetOldest(over);
    },
    isOver: (jobId: string): boolean => over.has(jobId),
    noteBusy(jobId: string): void {
      idleSince.delete(jobId);
    },
    /**
     * For how long, in milliseconds, the server has been seen idle by those who asked for this job, and not heard of: while it
     * hands its output over it is idle already.
     */
    noteIdle(jobId: string, now: Date, heardAt?: Date): number {
      const since = idleSince.get(jobId) ?? now.getTime();
      idleSince.set(jobId, since);
      forgetOldest(idleSince);
      return now.getTime() - Math.max(since, heardAt?.getTime() ?? since);
    },
  };
}

function forgetOldest(jobs: Set<string> | Map<string, number>): void {
  for (const jobId of jobs.keys()) {
    if (jobs.size <= maximumJobs) return;
    jobs.delete(jobId);
  }
}
