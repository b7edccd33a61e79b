import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Question, type Reply, readQuestion, writeReply } from './dns-message.ts';

/** Returns the reply to a question; `count` is how often the same question came before. */
export type Script = (question: Pick<Question, 'name' | 'type'>, count: number) => Partial<Reply> | 'silence';

export interface NameServer {
  /** Sets the script that replies for a name. */
  define(name: string, script: Script): void;
  /** Returns how often a name has been queried. */
  queries(name: string): number;
}

/** Starts the only name server of the namespace; `otherwise` replies for names that no case defined. */
export async function startNameServer(address: string, otherwise: Script): Promise<NameServer> {
  const scripts = new Map<string, Script>();
  const counts = new Map<string, number>();
  const names = new Map<string, number>();
  // Bound to one address, so that replies come from the address that the queries were sent to.
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const question = readQuestion(message);
    if (!question) return;
    const { name, type } = question;
    const count = counts.get(`${type} ${name}`) ?? 0;
    counts.set(`${type} ${name}`, count + 1);
    names.set(name, (names.get(name) ?? 0) + 1);
    const reply = (scripts.get(name) ?? otherwise)({ name, type }, count);
    if (reply === 'silence') return;
    socket.send(writeReply(question, { status: 'ok', aliases: [], addresses: [], ...reply }), from.port, from.address);
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  return {
    define: (name, script) => void scripts.set(name.toLowerCase(), script),
    queries: (name) => names.get(name.toLowerCase()) ?? 0,
  };
}
