import type { FastifyRequest } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { clientNetwork } from '../domain/ip-address.ts';
import { createRateMemory } from '../domain/rate-memory.ts';
import { rateUsedUp } from '../errors.ts';

/** People mistype a password a few times; a program that guesses gets 7,200 tries per day. */
const rate = { perMinute: 5, burst: 10 };

/** Limits how often a client address and an e-mail address can try to sign in, in the memory of this process. */
export interface SignInLimits {
  /** Counts a try, which is given back if it succeeds. Throws `rate_limited`. */
  count<T>(request: FastifyRequest, email: string | null, attempt: () => Promise<T>): Promise<T>;
  /** Counts a signed-in person's try, at its own rate: strangers who guess at an address cannot lock its owner out. */
  countOfSession<T>(sessionId: string, attempt: () => Promise<T>): Promise<T>;
}

export function createSignInLimits({ clock }: { clock: Clock }): SignInLimits {
  const rates = createRateMemory();
  const countFor = async <T>(
    holders: readonly (readonly [whose: string, holder: string])[],
    attempt: () => Promise<T>,
  ): Promise<T> => {
    for (const [whose, holder] of holders) {
      const refused = rates.take(holder, rate, clock.now().getTime());
      if (refused) throw rateUsedUp({ what: `attempts to sign in ${whose}`, ...rate, ...refused });
    }
    const result = await attempt();
    for (const [, holder] of holders) rates.giveBack(holder, rate.perMinute);
    return result;
  };
  return {
    count: ({ clientAddress }, email, attempt) =>
      countFor(
        [
          ['from your address', `address ${clientNetwork(clientAddress ?? 'unknown')}`],
          ...(email === null ? [] : [['with this e-mail address', `e-mail ${email.toLowerCase()}`] as const]),
        ],
        attempt,
      ),
    countOfSession: (sessionId, attempt) => countFor([['in this session', `session ${sessionId}`]], attempt),
  };
}
