/** The result of one part, as it is kept for the report and for the trend of later runs. */
export interface PartResult {
  part: string;
  commit: string;
  seed: number;
  endedAt: string;
  seconds: number;
  passed: number;
  failed: { check: string; message: string }[];
  skipped: number;
  figures: Record<string, Record<string, number | string>>;
}

/** How many earlier runs of a figure the report shows. */
const shownRuns = 5;

/** Renders the results of all parts as Markdown. `history` holds earlier results, oldest first. */
export function renderReport(results: readonly PartResult[], history: readonly PartResult[]): string {
  const failed = results.flatMap(({ part, failed }) => failed.map((failure) => ({ part, ...failure })));
  const rows = results.map(
    ({ part, passed, failed, skipped, seconds, seed, commit, endedAt }) =>
      `| ${part} | ${passed} | ${failed.length} | ${skipped} | ${seconds} | ${seed} | ${commit.slice(0, 8)} | ${endedAt} |`,
  );
  const figures = results.flatMap((result) =>
    Object.entries(result.figures).flatMap(([name, values]) =>
      Object.entries(values).map(([figure, value]) => {
        const before = history
          .filter(({ part }) => part === result.part)
          .flatMap((earlier) => earlier.figures[name]?.[figure] ?? [])
          .slice(-shownRuns);
        return `| ${name}: ${figure} | ${before.join(' → ')} | ${value} |`;
      }),
    ),
  );
  return [
    '# Nightly run',
    '',
    `${results.length} parts, ${failed.length} failures.`,
    '',
    '| Part | Passed | Failed | Skipped | Seconds | TEST_SEED | Commit | Ended |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
    ...(failed.length > 0 ? ['', '## Failures', ''] : []),
    ...failed.map(
      ({ part, check, message }) => `- ${part}, ${check}: ${message.slice(0, 1_000).replaceAll('\n', '\n  ')}`,
    ),
    ...(figures.length > 0 ? ['', '## Figures', '', '| Figure | Earlier | Now |', '|---|---|---|', ...figures] : []),
    '',
  ].join('\n');
}
