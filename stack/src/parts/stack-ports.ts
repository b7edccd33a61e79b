import { findFreePorts, tryToReserve } from './free-port.ts';
import { StackError } from './stack-state.ts';

export interface PortOptions {
  name: string;
  /**
   * `default` takes KINORA_STACK_BASE_PORT, or else the ports of the last start, or else 15000, while they are free. `free`
   * picks any free ports at first. If omitted: `default` for the stack dev and `free` for all others, so that stacks can
   * run in parallel.
   */
  ports?: 'default' | 'free' | undefined;
  /** The first of ten consecutive ports: Postgres, S3, and Temporal's eight. */
  basePort?: number | undefined;
}

const PORT_COUNT = 10;
const DEFAULT_BASE_PORT = 15_000;

/** Chooses the ports of a stack that is not running. */
export async function chooseBasePort(options: PortOptions, remembered: number | undefined): Promise<number> {
  const fixed = (options.ports ?? (options.name === 'dev' ? 'default' : 'free')) === 'default';
  const wanted = options.basePort ?? (fixed ? fromEnvironment() : undefined);
  if (wanted !== undefined) return insistOnRange(wanted);
  const usual = remembered ?? (fixed ? DEFAULT_BASE_PORT : undefined);
  if (usual !== undefined && (await tryToReserve(usual, PORT_COUNT))) return usual;
  return findFreePorts(PORT_COUNT);
}

function fromEnvironment(): number | undefined {
  const value = process.env['KINORA_STACK_BASE_PORT'];
  return value ? Number(value) : undefined;
}

function insistOnRange(basePort: number): number {
  if (Number.isInteger(basePort) && basePort >= 1024 && basePort + PORT_COUNT <= 65_536) return basePort;
  throw new StackError(`the base port must be a whole number from 1024 to ${65_536 - PORT_COUNT}`);
}
