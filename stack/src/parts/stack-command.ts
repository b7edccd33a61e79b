import { parseArgs } from 'node:util';
import { findStack, type Stack, startStack } from './stack.ts';
import { partNames, StackError } from './stack-state.ts';

const usage = `usage: scripts/stack up|down|status|wipe [--name NAME] [--base-port N]

  up      start Postgres, Temporal and S3 (those that are not running), and wait until they are usable
  down    stop them; their data stays
  status  show which of them are running; the exit code is 1 unless all are
  wipe    stop them and delete all their data

  --name NAME      a stack other than the default one (dev); free ports are chosen for it
  --base-port N    the first of ten consecutive ports; also KINORA_STACK_BASE_PORT; 15000 for the stack dev
`;

try {
  process.exitCode = await main();
} catch (error) {
  const wrongOption = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof StackError) && !wrongOption) throw error;
  console.error(`stack: ${wrongOption ? error.message.split('. ')[0] : error.message}`);
  if (error.cause instanceof Error) console.error(`  because: ${error.cause.message}`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'dev' },
      'base-port': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command, ...more] = positionals;
  const { name } = values;
  if (values.help) {
    console.log(usage);
    return 0;
  }
  switch (more.length === 0 ? command : undefined) {
    case 'up':
      return up(name, values['base-port']);
    case 'down':
      await findStack(name)?.down();
      console.log(`stack ${name} is down`);
      return 0;
    case 'status':
      return status(name);
    case 'wipe':
      await findStack(name)?.wipe();
      console.log(`stack ${name} is wiped`);
      return 0;
    default:
      console.error(usage);
      return 1;
  }
}

async function up(name: string, basePort: string | undefined): Promise<number> {
  const startedAt = performance.now();
  const stack = await startStack({
    name,
    basePort: basePort === undefined ? undefined : Number(basePort),
    onProgress: (line) => console.log(`  ${line}`),
  });
  console.log(`stack ${name} is up (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  console.log(describe(stack));
  return 0;
}

function status(name: string): number {
  const stack = findStack(name);
  if (!stack) {
    console.log(`stack ${name} does not exist; scripts/stack up starts it`);
    return 1;
  }
  console.log(describe(stack));
  return partNames.every((part) => stack.pid(part) !== null) ? 0 : 1;
}

function describe(stack: Stack): string {
  const { databaseUrl, temporalAddress, temporalNamespace, s3 } = stack.info;
  const places = {
    postgres: databaseUrl,
    temporal: `${temporalAddress}, namespace ${temporalNamespace}`,
    s3: `${s3.endpoint}, bucket ${s3.bucket}, keys in .stack/${stack.info.name}/stack.json`,
  };
  return partNames
    .map((part) => {
      const pid = stack.pid(part);
      return `  ${part.padEnd(8)}  ${(pid === null ? 'stopped' : `process ${pid}`).padEnd(15)}  ${places[part]}`;
    })
    .join('\n');
}
