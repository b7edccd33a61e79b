/** How many jobs of an endpoint are remembered: far more than it can have at once. */
const maximumJobs = 64;

/** What this process observed of a server's jobs. If it is lost, a lost job is noticed later; nothing else changes. */
export function createCogMemory() {
  const over = new Set<string>();
  const idleSince = new Map<string, number>();
  return {
    /** Records that the job certainly does not run and never will. */
    noteOver(jobId: string): void {
      over.add(jobId);
      forgetOldest(over);
    },
    isOver: (jobId: string): boolean => over.has(jobId),
    noteBusy(jobId: string): void {
      idleSince.delete(jobId);
    },
    /** For how long the server has been idle without a report about this job: while it uploads, it is idle too. */
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
