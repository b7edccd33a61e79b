import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Question, type Reply, readQuestion, writeReply } from './dns-message.ts';

/** What a name answers; `count` is how often this very question came before. */
export type Script = (question: Pick<Question, 'name' | 'type'>, count: number) => Partial<Reply> | 'silence';

export interface NameServer {
  /** Lets a name answer by a script from now on. */
  define(name: string, script: Script): void;
  /** How often anyone asked for a name. */
  asked(name: string): number;
}

/** The only name server of the namespace; `otherwise` answers for names that nobody defined. */
export async function startNameServer(address: string, otherwise: Script): Promise<NameServer> {
  const scripts = new Map<string, Script>();
  const counts = new Map<string, number>();
  const names = new Map<string, number>();
  // On its own address and no other, so that answers come from where questions were sent.
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
    asked: (name) => names.get(name.toLowerCase()) ?? 0,
  };
}
