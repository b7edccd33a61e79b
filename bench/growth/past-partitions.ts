import type { Client } from 'pg';

const tables = ['tasks', 'attempts', 'events', 'usage', 'webhook_deliveries', 'webhook_tries'];

/**
 * Creates the daily partitions of the past, named and bounded as the service does it. The service itself creates those
 * from yesterday on, and an installation that has run for a month has the others.
 */
export async function createPastPartitions(database: Client, days: number): Promise<void> {
  const startOfToday = new Date().setUTCHours(0, 0, 0, 0);
  const startOf = (daysAgo: number): Date => new Date(startOfToday - daysAgo * 86_400_000);
  for (const table of tables) {
    const statements: string[] = [];
    for (let daysAgo = days; daysAgo > 1; daysAgo -= 1) {
      const name = `${table}_${startOf(daysAgo).toISOString().slice(0, 10).replaceAll('-', '_')}`;
      const [from, to] = [lowestUuidAt(startOf(daysAgo)), lowestUuidAt(startOf(daysAgo - 1))];
      statements.push(
        `create table ${name} (like ${table} including all)`,
        `alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`,
      );
    }
    await database.query(statements.join(';'));
  }
}

function lowestUuidAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
