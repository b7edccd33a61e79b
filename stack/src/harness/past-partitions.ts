import type { Client } from 'pg';

const tables = ['tasks', 'attempts', 'events', 'usage', 'webhook_deliveries', 'webhook_tries'];
const dayMilliseconds = 86_400_000;

/** Creates daily partitions of the past as the service does, which itself creates only those from yesterday on. */
export async function createPastPartitions(database: Client, days: number): Promise<void> {
  for (const table of tables) {
    const statements: string[] = [];
    for (let daysAgo = days; daysAgo > 1; daysAgo -= 1) {
      const { name, attach } = pastPartition(table, daysAgo);
      statements.push(`create table ${name} (like ${table} including all)`, attach);
    }
    await database.query(statements.join(';'));
  }
}

/** Names the partition of a day in the past, and returns the statement that attaches it. */
export function pastPartition(table: string, daysAgo: number): { name: string; attach: string; startsAt: Date } {
  const startsAt = new Date(new Date().setUTCHours(0, 0, 0, 0) - daysAgo * dayMilliseconds);
  const endsAt = new Date(startsAt.getTime() + dayMilliseconds);
  const name = `${table}_${startsAt.toISOString().slice(0, 10).replaceAll('-', '_')}`;
  const bounds = `from ('${lowestUuidAt(startsAt)}') to ('${lowestUuidAt(endsAt)}')`;
  return { name, attach: `alter table ${table} attach partition ${name} for values ${bounds}`, startsAt };
}

function lowestUuidAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
