import type { Client } from 'pg';

/** The writes to the write-ahead log between two positions. */
export interface WalUse {
  /** Commits in Kinora's database by the tables that they wrote; no tables if they wrote only unlogged ones. */
  commits: { tables: string[]; count: number }[];
  /** Of Kinora's database, without full-page images, which depend on checkpoints and not on the writes. */
  ourBytes: number;
  ourPageImageBytes: number;
  /** Bytes of Temporal's two databases. */
  temporalBytes: number;
  temporalPageImageBytes: number;
  temporalCommits: number;
}

/** Returns the current end of the log. */
export async function walPosition(client: Client): Promise<string> {
  // The insert position includes asynchronous commits, which the flush position does not.
  const { rows } = await client.query<{ position: string }>('select pg_current_wal_insert_lsn()::text as position');
  return rows[0]?.position ?? '0/0';
}

/** Reads the log itself, because the statistics of Postgres count every read-only poll as a commit. */
export async function readWal(client: Client, from: string, to: string): Promise<WalUse> {
  await client.query('create extension if not exists pg_walinspect');
  // Only what is on disk can be read, and nothing else may have written since.
  await client.query("select pg_logical_emit_message(true, 'cost', 'so that the commit flushes the log')");
  await client.query('drop table if exists pg_temp.wal');
  await client.query(
    `create temp table wal as
     select xid::text, resource_manager, record_type, record_length, fpi_length,
            array(select m[1]::oid from regexp_matches(coalesce(block_ref, ''), 'rel \\d+/(\\d+)/\\d+', 'g') as m) as databases,
            array(select m[1]::oid from regexp_matches(coalesce(block_ref, ''), 'rel \\d+/\\d+/(\\d+)', 'g') as m) as filenodes
     from pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)`,
    [from, to],
  );
  const commits = await client.query<{ tables: string[] | null; count: number }>(commitsByTables);
  const bytes =
    await client.query<Record<'our' | 'images' | 'temporal' | 'temporal_images' | 'commits', number>>(bytesByDatabase);
  const use = bytes.rows[0];
  return {
    commits: commits.rows.map(({ tables, count }) => ({ tables: tables ?? [], count })),
    ourBytes: use?.our ?? 0,
    ourPageImageBytes: use?.images ?? 0,
    temporalBytes: use?.temporal ?? 0,
    temporalPageImageBytes: use?.temporal_images ?? 0,
    temporalCommits: use?.commits ?? 0,
  };
}

// An index counts as its table, and a partition as its parent table.
const commitsByTables = `
  with written as (
    select distinct wal.xid, coalesce(parent.relname, owner.relname)::text as name
    from wal
    cross join unnest(wal.filenodes) as filenode
    join pg_class on pg_class.relfilenode = filenode
    left join pg_index on pg_index.indexrelid = pg_class.oid
    join pg_class as owner on owner.oid = coalesce(pg_index.indrelid, pg_class.oid)
    left join pg_inherits on pg_inherits.inhrelid = owner.oid
    left join pg_class as parent on parent.oid = pg_inherits.inhparent
    where (select oid from pg_database where datname = current_database()) = any(wal.databases) and wal.xid <> '0'
  ), foreign_work as (
    select distinct xid from wal
    where wal.databases <> '{}' and not (select oid from pg_database where datname = current_database()) = any(wal.databases)
  ), committed as (
    select wal.xid, (select array_agg(name order by name) from written where written.xid = wal.xid) as tables
    from wal where resource_manager = 'Transaction' and record_type like 'COMMIT%' and xid not in (select xid from foreign_work)
  )
  select tables, count(*)::int as count from committed group by tables order by count desc`;

const bytesByDatabase = `
  with ours as (select oid from pg_database where datname = current_database()),
  temporal as (select oid from pg_database where datname like 'temporal%'),
  temporal_work as (select distinct xid from wal where databases && array(select oid from temporal) and xid <> '0'),
  our_work as (select distinct xid from wal where databases && array(select oid from ours) and xid <> '0')
  select
    coalesce(sum(record_length - fpi_length) filter (where databases && array(select oid from ours)
      or (databases = '{}' and xid in (select xid from our_work))), 0)::float8 as our,
    coalesce(sum(fpi_length) filter (where databases && array(select oid from ours)), 0)::float8 as images,
    coalesce(sum(record_length) filter (where databases && array(select oid from temporal)), 0)::float8 as temporal,
    coalesce(sum(fpi_length) filter (where databases && array(select oid from temporal)), 0)::float8 as temporal_images,
    count(*) filter (where resource_manager = 'Transaction' and record_type like 'COMMIT%'
      and xid in (select xid from temporal_work))::float8 as commits
  from wal`;
