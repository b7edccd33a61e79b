import type { Model } from '@kinora/sdk';
import type { Bucket } from './usage-series.ts';

/** The cost by today's prices, from `low` to `high` because usage does not know the resolution of the videos. */
export interface Cost {
  low: number;
  high: number;
}

export interface Prices {
  currency: string;
  /** The price of a second by the id of the model. */
  perSecond: ReadonlyMap<string, Cost>;
  /** Models in another currency; their cost is left out. */
  leftOut: readonly string[];
}

/** Returns the price list in its most frequent currency; null if no model has a price. */
export function pricesOf(models: readonly Pick<Model, 'id' | 'price'>[]): Prices | null {
  const counts = new Map<string, number>();
  for (const { price } of models) if (price) counts.set(price.currency, (counts.get(price.currency) ?? 0) + 1);
  const [currency] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  if (currency === undefined) return null;
  const perSecond = new Map<string, Cost>();
  const leftOut: string[] = [];
  for (const { id, price } of models) {
    const amounts = Object.values(price?.per_second ?? {}).map(Number);
    if (!price || amounts.length === 0) continue;
    if (price.currency === currency) perSecond.set(id, { low: Math.min(...amounts), high: Math.max(...amounts) });
    else leftOut.push(id);
  }
  return { currency, perSecond, leftOut };
}

/** Returns the cost of billable seconds of a model; a model without a price costs nothing. */
export function costOf(prices: Prices, model: string | null, billableSeconds: number): Cost {
  const price = prices.perSecond.get(model ?? '');
  return { low: billableSeconds * (price?.low ?? 0), high: billableSeconds * (price?.high ?? 0) };
}

/** Returns the cost of all buckets, which must be grouped by model. */
export function totalCost(prices: Prices, byModel: readonly Bucket[]): Cost {
  return byModel
    .flatMap(({ results }) => results)
    .map((result) => costOf(prices, result.model, result.billable_video_seconds))
    .reduce((sum, { low, high }) => ({ low: sum.low + low, high: sum.high + high }), { low: 0, high: 0 });
}

/** Returns the average price of a billable second, for the usage of a key, which the API does not split by model. */
export function averagePrice(prices: Prices, byModel: readonly Bucket[]): Cost {
  const seconds = byModel
    .flatMap(({ results }) => results)
    .reduce((sum, result) => sum + result.billable_video_seconds, 0);
  const total = totalCost(prices, byModel);
  return seconds === 0 ? { low: 0, high: 0 } : { low: total.low / seconds, high: total.high / seconds };
}
