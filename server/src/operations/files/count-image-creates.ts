import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { createBurst } from '../../domain/rate-limit.ts';
import { createRateMemory } from '../../domain/rate-memory.ts';
import { rateUsedUp } from '../../errors.ts';

/** Counts a create with an image before the image is touched: Postgres counts only tasks, so failures would be free. */
export type CountImageCreate = (caller: Pick<Caller, 'projectId' | 'livemode' | 'limits'>) => void;

export function countImageCreates({ clock }: { clock: Clock }): CountImageCreate {
  const creates = createRateMemory();
  return ({ projectId, livemode, limits: { createsPerMinute } }) => {
    // More than tasks may use at once, so that this refuses nobody whose images can be used.
    const rate = { perMinute: createsPerMinute, burst: createsPerMinute + createBurst };
    const refused = creates.take(`${projectId} ${livemode}`, rate, clock.now().getTime());
    if (!refused) return;
    const remark = 'Creates with an image count even if the image cannot be used.';
    throw rateUsedUp({ what: 'creates with an image', ...rate, remark, ...refused });
  };
}
