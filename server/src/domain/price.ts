import type { Resolution } from './generation-request.ts';
import type { Model } from './model.ts';

/** An amount of money. The number is decimal text, so that nothing is lost to rounding. */
export interface Amount {
  amount: string;
  currency: string;
}

/** Returns what a video costs by the operator's price, or null if there is no price for the resolution. */
export function priceOf({ price }: Model, resolution: Resolution, durationSeconds: number): Amount | null {
  const perSecond = price?.perSecond[resolution];
  if (!price || perSecond === undefined) return null;
  const [whole = '0', fraction = ''] = perSecond.split('.');
  const digits = String(BigInt(whole + fraction) * BigInt(durationSeconds)).padStart(fraction.length + 1, '0');
  const point = digits.length - fraction.length;
  const amount = fraction === '' ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return { amount, currency: price.currency };
}
