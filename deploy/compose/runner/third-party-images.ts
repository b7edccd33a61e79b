import { chmodSync, copyFileSync, linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerImage } from '@kinora/stack/parts/container-image';

const tools = join(import.meta.dirname, '../../../.tools/bin');

/**
 * Images of others, which cannot be pulled here. Each is imitated by the programs of this machine and of .tools, in a root
 * that has nothing else, with an entrypoint that does what the image's own does as far as the compose files use it.
 */
const imitations: Record<
  string,
  {
    programs: string[];
    entrypoint?: string;
    user: string;
    scripts?: Record<string, string>;
    environment?: Record<string, string>;
  }
> = {
  // docker-library/postgres: makes the data folder, runs what is in /docker-entrypoint-initdb.d while only the socket is
  // open, and then runs the command.
  postgres: {
    programs: ['initdb', 'pg_ctl', 'postgres', 'psql', 'pg_isready', 'pg_dump'],
    user: '0:0',
    environment: { PGDATA: '/var/lib/postgresql/data', LANG: 'C.UTF-8' },
    entrypoint: `
[ "$1" = postgres ] || exec "$@"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username postgres --pwfile /tmp/password --pgdata "$PGDATA" >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  pg_ctl --pgdata "$PGDATA" --options "-c listen_addresses=''" --wait --silent --log /tmp/log start
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  pg_ctl --pgdata "$PGDATA" --mode fast --wait --silent stop
fi
exec "$@"`,
  },
  // temporal's docker/targets/server.Dockerfile: the binary itself makes its configuration from the environment.
  'temporalio/server': {
    programs: ['temporal-server'],
    user: '1000:1000',
    entrypoint: `
: "\${BIND_ON_IP:=$(getent hosts "$(hostname)" | cut -d ' ' -f 1)}"
export BIND_ON_IP
if [ "$BIND_ON_IP" = 0.0.0.0 ]; then
  : "\${TEMPORAL_BROADCAST_ADDRESS:=$(getent hosts "$(hostname)" | cut -d ' ' -f 1)}"
  export TEMPORAL_BROADCAST_ADDRESS
fi
exec temporal-server start`,
    // That of busybox.
    scripts: { nc: '#!/bin/bash\nexec 3<>"/dev/tcp/$2/$3"\n' },
  },
  'temporalio/admin-tools': { programs: ['temporal-sql-tool'], user: '1000:1000' },
  'versity/versitygw': { programs: ['versitygw'], user: '0:0', entrypoint: 'exec versitygw "$@"' },
};

const users: Record<string, string> = { root: '0:0', postgres: '999:999' };

/** The files of a whole Postgres, which finds its parts by its own path. */
const postgresFolder = () => join(realpathSync(join(tools, 'postgres')), '..');

/** Returns the imitation of an image, whose root is made below `folder`, and the mounts that it needs; null if it is unknown. */
export function openThirdPartyImage(reference: string, folder: string) {
  const [name = ''] = reference.split(':');
  const imitation = imitations[name];
  if (!imitation) return null;
  const imageFolder = join(folder, reference.replaceAll(/[/:]/g, '-'));
  const root = join(imageFolder, 'root');
  const programs = join(imageFolder, 'programs');
  for (const path of ['usr', 'proc', 'dev', 'run', 'tmp', 'var', 'etc'])
    mkdirSync(join(root, path), { recursive: true });
  for (const path of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${path}`, join(root, path));
  symlinkSync('/run', join(root, 'var/run'));
  mkdirSync(programs);
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0::/:/bin/sh\npostgres:x:999:999::/:/bin/sh\ntemporal:x:1000:1000::/:/bin/sh\n',
  );
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\npostgres:x:999:\ntemporal:x:1000:\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files\n');
  for (const name of ['hosts', 'resolv.conf']) writeFileSync(join(root, 'etc', name), '');
  copyFileSync('/etc/ld.so.cache', join(root, 'etc/ld.so.cache'));
  for (const program of imitation.programs) {
    if (name === 'postgres') continue;
    linkOrCopy(realpathSync(join(tools, program)), join(programs, program));
  }
  const scripts = {
    ...imitation.scripts,
    ...(imitation.entrypoint && { entrypoint: `#!/bin/sh\nset -eu\n${imitation.entrypoint}\n` }),
  };
  for (const [script, text] of Object.entries(scripts)) {
    writeFileSync(join(programs, script), text);
    chmodSync(join(programs, script), 0o755);
  }
  const image: ContainerImage = {
    rootFolder: root,
    entrypoint: imitation.entrypoint ? ['/usr/local/bin/entrypoint'] : [],
    command: [],
    environment: {
      PATH: `${name === 'postgres' ? `${postgresFolder()}:` : ''}/usr/local/bin:/usr/bin:/bin:/usr/sbin`,
      ...imitation.environment,
    },
    user: imitation.user,
    workingFolder: '/',
    healthCommand: [],
    labels: {},
  };
  const mounts = [
    { folder: '/usr', at: '/usr' },
    { folder: programs, at: '/usr/local/bin' },
  ];
  return { image, mounts };
}

/** Returns a user as numbers. Names are those that the images know. */
export function userNumbers(user: string): string {
  const numbers = users[user];
  if (!numbers) throw new Error(`the runner does not know the user ${user}`);
  return numbers;
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target); // the cache is on another disk
  }
}
