interface RetentionSettings {
  KINORA_FILE_RETENTION_DAYS: number;
  KINORA_RECORD_RETENTION_DAYS: number;
  KINORA_USAGE_RETENTION_DAYS: number;
  KINORA_TASK_WAIT_HOURS: number;
  KINORA_WEBHOOK_SCHEDULE_SECONDS: readonly number[];
  KINORA_WEBHOOK_TRY_SECONDS: number;
}

/** Returns a sentence for each retention setting that is too short for another setting. */
export function conflictsOfRetention(settings: RetentionSettings): string[] {
  // A task that waited for all of its time may then work for most of a day.
  const longestLifeDays = Math.ceil(settings.KINORA_TASK_WAIT_HOURS / 24) + 1;
  const schedule = settings.KINORA_WEBHOOK_SCHEDULE_SECONDS;
  const longestDeliverySeconds = schedule.reduce(
    (sum, seconds) => sum + seconds + settings.KINORA_WEBHOOK_TRY_SECONDS,
    0,
  );
  const needs = [
    {
      name: 'KINORA_RECORD_RETENTION_DAYS',
      days: settings.KINORA_FILE_RETENTION_DAYS,
      because: 'files are kept for KINORA_FILE_RETENTION_DAYS, and a file without a record cannot be found',
    },
    {
      name: 'KINORA_RECORD_RETENTION_DAYS',
      days: longestLifeDays,
      because: 'a task may wait for KINORA_TASK_WAIT_HOURS and work for a day, and its caller must see how it ended',
    },
    {
      name: 'KINORA_RECORD_RETENTION_DAYS',
      days: Math.ceil(longestDeliverySeconds / 86_400),
      because: 'the tries of a webhook last that long, by KINORA_WEBHOOK_SCHEDULE_SECONDS',
    },
    {
      name: 'KINORA_USAGE_RETENTION_DAYS',
      days: longestLifeDays,
      because: 'a task may wait for KINORA_TASK_WAIT_HOURS and work for a day, and its usage counts from its creation',
    },
  ] as const;
  return needs
    .filter(({ name, days }) => settings[name] < days)
    .map(({ name, days, because }) => `${name} must be at least ${days}: ${because}.`);
}
