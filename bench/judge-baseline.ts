/** How much worse than the baseline a figure may be: a quarter, because two runs on a busy machine differ by up to 15 %. */
const tolerance = 1.25;

export type Figures = Readonly<Record<string, number>>;

/** Returns a sentence for each figure that is missing, unknown to the baseline, or worse than the baseline allows. */
export function judgeBaseline(bench: string, measured: Figures, baseline: Figures): string[] {
  const names = [...new Set([...Object.keys(baseline), ...Object.keys(measured)])];
  return names.flatMap((name) => {
    const now = measured[name];
    const before = baseline[name];
    if (now === undefined) return [`${bench}: ${name} is in the baseline but was not measured`];
    if (before === undefined) return [`${bench}: ${name} is ${round(now)}, and the baseline has no such figure`];
    if (now <= before * tolerance) return [];
    return [`${bench}: ${name} is ${round(now)}, more than a quarter above the baseline of ${round(before)}`];
  });
}

/** Rounds a figure to three significant digits. */
export function round(figure: number): number {
  return Number(figure.toPrecision(3));
}
